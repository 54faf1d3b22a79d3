import config from './jest.config.js';

// Mutants are tried on one Express, by the tests of the core: what packs, builds or starts programs tells nothing of them.
const [project] = config.projects;
const elsewhere = ['cli', 'contracts', 'dashboard', 'docs', 'examples', 'issuer', 'management', 'package', 'store'];
// Of one floor alone the quick tests do: KEYWARD_MUTATION=verify.
if (process.env.KEYWARD_MUTATION) elsewhere.push('behaviours', 'rfc', 'testing');

/** @type {import('jest').Config} */
export default {
  ...project,
  testPathIgnorePatterns: ['/node_modules/', `/__tests__/(?:${elsewhere.join('|')})/`],
  runner: '<rootDir>/scripts/first-failure-runner.js',
  testSequencer: '<rootDir>/scripts/units-first-sequencer.js',
};
