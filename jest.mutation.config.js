import config from './jest.config.js';

// Mutants are tried on one Express; what packs, builds or starts programs would tell nothing of them.
const [project] = config.projects;

/** @type {import('jest').Config} */
export default {
  ...project,
  testPathIgnorePatterns: ['/node_modules/', '/__tests__/(?:package|examples|docs|issuer)/'],
};
