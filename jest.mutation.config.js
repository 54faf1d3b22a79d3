import { fileURLToPath } from 'node:url';
import config from './jest.config.js';
import { express, tests } from './scripts/mutation-part.js';

// Mutants are tried on one Express, the fifth unless told, by the tests of their part.
const project = config.projects.find(({ globals }) => globals.EXPRESS === Number(express));

/** @type {import('jest').Config} */
export default {
  ...project,
  testMatch: tests.map((place) => `**/__tests__/${place.endsWith('*') ? place : `${place}/**/*`}.test.ts`),
  // Stryker, which puts its own around it, does not know <rootDir>.
  testEnvironment: fileURLToPath(new URL('scripts/mutant-environment.cjs', import.meta.url)),
  // Heaps are counted after thousands of tokens, processes are started or killed, browsers are slow, and types are checked by the
  // compiler, which reads no mutant: too long for each mutant.
  testPathIgnorePatterns: [
    '/node_modules/',
    '/browser/',
    '-(?:memory|oracle|types)\\.test\\.ts$',
    '-process(?:es)?\\.test\\.ts$',
    '-(?:crash|restart)\\.test\\.ts$',
    '/express/(?:augment|route-audit/(?:instrumentation|own-endpoints))\\.test\\.ts$',
    '/store/(?:bulk|shared-rate-limits)\\.test\\.ts$',
  ],
  // A mutant that lets a test wait for ever is found sooner.
  testTimeout: 10_000,
  runner: '<rootDir>/scripts/mutant-runner.js',
};
