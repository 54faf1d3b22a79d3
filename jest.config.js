import { spawnSync } from 'node:child_process';

// Jest runs native ES modules only under this Node flag: when it is missing, run the same command again with it.
const flag = '--experimental-vm-modules';
const startedByJest = /[\\/]jest(\.js)?$/.test(process.argv[1] ?? '');
const flagged = process.execArgv.includes(flag) || (process.env.NODE_OPTIONS ?? '').includes(flag);
if (startedByJest && !flagged) {
  const args = [...process.execArgv, flag, '--disable-warning=ExperimentalWarning', ...process.argv.slice(1)];
  const run = spawnSync(process.execPath, args, { stdio: 'inherit' });
  process.exit(run.status ?? 1);
}

const base = {
  testEnvironment: '<rootDir>/scripts/test-environment.js',
  roots: ['<rootDir>/__tests__'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['ts-jest', { useESM: true, diagnostics: false }] },
};

const sources = {
  '^(\\.{1,2}/.*)\\.js$': '$1',
  '^keyward$': '<rootDir>/lib/index.ts',
  '^keyward/client$': '<rootDir>/lib/client/index.ts',
  '^keyward/dashboard$': '<rootDir>/lib/dashboard/index.ts',
  '^keyward/issuer$': '<rootDir>/lib/issuer/index.ts',
  '^keyward/management$': '<rootDir>/lib/management/index.ts',
  '^keyward/mcp$': '<rootDir>/lib/mcp/index.ts',
  '^keyward/openapi$': '<rootDir>/lib/openapi/index.ts',
  '^keyward/store$': '<rootDir>/lib/store/index.ts',
  '^keyward/testing$': '<rootDir>/lib/testing/index.ts',
};

// What meets Express runs twice, once on each major version; the rest runs once.
const onBothExpress = ['express', 'mcp', 'openapi', 'testing', 'behaviours', 'examples'].map(
  (folder) => `<rootDir>/__tests__/${folder}/`,
);

// What needs a browser is left out where none is named, as the last lines of a run say; where time is short, its long half.
const { KEYWARD_TEST_BROWSER: browser, KEYWARD_TEST_SHORT: short } = process.env;
const longInBrowser = '/browser/(?:accessibility|budgets|hostile-texts|keyboard|phone|two-editors|whole-words)\\.test';
const leftOut = browser === undefined ? ['/(?:dashboard|examples)/browser/'] : short ? [longInBrowser] : [];

/** @type {import('jest').Config} */
export default {
  reporters: [
    'default',
    '<rootDir>/scripts/long-files-reporter.js',
    '<rootDir>/scripts/cases-reporter.js',
    '<rootDir>/scripts/summary-reporter.js',
  ],
  maxWorkers: 2,
  // Modules of a test file stay in the memory of its worker, and each garbage collection visits them: with 2 GB, 199 files took
  // 344 s of CPU time, and 287 s with 600 MB.
  workerIdleMemoryLimit: '500MB',
  // A test that takes this long hangs. Some make hundreds of requests, or start programs, and a machine may be busy.
  testTimeout: 180_000,
  projects: [
    {
      ...base,
      displayName: 'express 5',
      testPathIgnorePatterns: leftOut,
      moduleNameMapper: sources,
      globals: { EXPRESS: 5 },
    },
    {
      ...base,
      displayName: 'express 4',
      roots: onBothExpress,
      // A law is about the rule, not about Express; what the example keeps from start to start, and what a browser shows, neither.
      testPathIgnorePatterns: ['-laws?\\.test\\.ts$', '/another-start\\.test\\.ts$', '/examples/browser/'],
      moduleNameMapper: { ...sources, '^express$': 'express4' },
      globals: { EXPRESS: 4 },
    },
  ],
  // The command line runs in processes of its own, where nothing is counted.
  collectCoverageFrom: ['lib/**/*.ts', '!lib/augment.ts', '!lib/cli/**'],
  // Counted in the code: V8's own count slows each file by seconds.
  coverageProvider: 'babel',
  coverageReporters: ['text', 'lcov'],
  coverageThreshold: { global: { branches: 95, functions: 95, lines: 95, statements: 95 } },
};
