import { bound, folders, onSqlite, report, without } from './scripts/mutation-part.js';

// The processes that run tests get the environment of this one.
if (onSqlite) delete process.env.KEYWARD_TEST_POSTGRES;

export default {
  testRunner: 'jest',
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  jest: { configFile: 'jest.mutation.config.js', enableFindRelatedTests: false },
  coverageAnalysis: 'perTest',
  mutate: [...folders.map((folder) => `lib/${folder}/**/*.ts`), ...without.map((folder) => `!lib/${folder}/**/*.ts`)],
  appendPlugins: ['./scripts/mutation-progress.js'],
  reporters: ['json', process.stderr.isTTY ? 'progress-line' : 'progress-append-only'],
  jsonReporter: { fileName: `reports/mutation/${report}.json` },
  // `scripts/mutation-page.js` fails a run that is below the bound, because it also counts what another Express detects.
  thresholds: { high: 100, low: bound, break: null },
  // More than cores: most of the time of a mutant is spent on waiting for a test that hangs, or for files.
  concurrency: 4,
  // Modules of earlier mutants stay in memory: after 50 mutants a process had 2 GB, and most of its time was garbage collection.
  maxTestRunnerReuse: 15,
  timeoutMS: 60_000,
  // The first run, of all tests of the part, on a machine that is busy.
  dryRunTimeoutMinutes: 20,
  // A second run tries only the mutants that survived, and those whose code or tests changed.
  incremental: true,
  incrementalFile: `reports/mutation/${report}-incremental.json`,
  tempDirName: `.stryker-tmp/${report}`,
  // The copies that other parts are tried in.
  ignorePatterns: ['.stryker-tmp'],
  cleanTempDir: 'always',
};
