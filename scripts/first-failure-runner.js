import jestRunner from 'jest-runner';

// Of a CommonJS build Node takes the whole module for the default export.
const TestRunner = jestRunner.default ?? jestRunner;

/** For mutants: one test file after the other, and none after one that fails, which is all that is asked of it. */
export default class FirstFailureRunner extends TestRunner {
  async runTests(tests, watcher, options) {
    let failed = false;
    this.on('test-file-success', ([, { numFailingTests, testExecError }]) => {
      failed ||= numFailingTests > 0 || testExecError !== undefined;
    });
    this.on('test-file-failure', () => {
      failed = true;
    });
    for (const test of tests) {
      if (failed) return;
      await super.runTests([test], watcher, { ...options, serial: true });
    }
  }
}
