import { fileURLToPath } from 'node:url';
import config from './jest.config.js';
import { tests } from './scripts/mutation-part.js';

// Mutants are tried on one Express, the fifth unless told, by the tests of their part.
const { KEYWARD_MUTATION_EXPRESS: express = '5' } = process.env;
const project = config.projects.find(({ globals }) => globals.EXPRESS === Number(express));

/** @type {import('jest').Config} */
export default {
  ...project,
  roots: tests.map((folder) => `<rootDir>/__tests__/${folder}/`),
  // Stryker, which puts its own around it, does not know <rootDir>.
  testEnvironment: fileURLToPath(new URL('scripts/mutant-environment.cjs', import.meta.url)),
  // Heaps are counted after thousands of tokens, processes are killed a hundred times, and browsers are slow: too long for each mutant.
  testPathIgnorePatterns: [
    '/node_modules/',
    '/browser/',
    '-memory\\.test\\.ts$',
    '-(?:processes|crash|restart)\\.test\\.ts$',
  ],
  // A mutant that lets a test wait for ever is found sooner.
  testTimeout: 10_000,
  runner: '<rootDir>/scripts/mutant-runner.js',
};
