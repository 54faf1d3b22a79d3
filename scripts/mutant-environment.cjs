const { TestEnvironment } = require('jest-environment-node');

/** For mutants: once a test of a file has failed, the others of that file are skipped. */
module.exports = class MutantEnvironment extends TestEnvironment {
  #failed = false;

  handleTestEvent({ name, test }) {
    if (name === 'test_done' && test.errors.length > 0) this.#failed = true;
    if (name === 'test_start' && this.#failed) test.mode = 'skip';
  }
};
