import { fileURLToPath } from 'node:url';
import config from './jest.config.js';

// Mutants are tried on one Express, the fifth unless told, by the tests of the core: what packs, builds or starts programs tells
// nothing of them.
const { KEYWARD_MUTATION_EXPRESS: express = '5' } = process.env;
const project = config.projects.find(({ globals }) => globals.EXPRESS === Number(express));
const elsewhere = 'bench|cli|contracts|dashboard|docs|examples|issuer|management|package|store';

/** @type {import('jest').Config} */
export default {
  ...project,
  // Stryker, which puts its own around it, does not know <rootDir>.
  testEnvironment: fileURLToPath(new URL('scripts/mutant-environment.cjs', import.meta.url)),
  // Heaps are counted after thousands of tokens: too many for each mutant on the way.
  testPathIgnorePatterns: ['/node_modules/', `/__tests__/(?:${elsewhere})/`, '-memory\\.test\\.ts$'],
  // A mutant that lets a test wait for ever is found sooner.
  testTimeout: 10_000,
  runner: '<rootDir>/scripts/mutant-runner.js',
};
