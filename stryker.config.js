import { bound, folders, name } from './scripts/mutation-part.js';

export default {
  testRunner: 'jest',
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  jest: { configFile: 'jest.mutation.config.js', enableFindRelatedTests: false },
  // The command line runs in processes of its own, of the built package: which test reaches which mutant is not known there.
  ...(name === 'cli' ? { coverageAnalysis: 'off', buildCommand: 'npm run build' } : { coverageAnalysis: 'perTest' }),
  mutate: folders.map((folder) => `lib/${folder}/**/*.ts`),
  appendPlugins: ['./scripts/mutation-progress.js'],
  reporters: ['json', process.stderr.isTTY ? 'progress-line' : 'progress-append-only'],
  jsonReporter: { fileName: `reports/mutation/${name}.json` },
  thresholds: { high: 100, low: bound, break: bound },
  concurrency: 2,
  maxTestRunnerReuse: 40,
  timeoutMS: 20_000,
  tempDirName: `.stryker-tmp/${name}`,
  cleanTempDir: 'always',
};
