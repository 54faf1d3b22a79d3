/** What is not installed with the package, by the variable that says where it is. */
const NOT_INSTALLED = [
  ['KEYWARD_TEST_POSTGRES', 'PostgreSQL'],
  ['KEYWARD_TEST_REDIS', 'Redis'],
  ['KEYWARD_TEST_BROWSER', 'Chromium'],
];

/** Ends a run with one plain line, `N passed, N failed, N skipped`, for programs that read the output. */
export default class SummaryReporter {
  onRunComplete(_contexts, results) {
    const skipped = results.numPendingTests + results.numTodoTests;
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const leftOut = NOT_INSTALLED.filter(([variable]) => process.env[variable] === undefined);
    if (leftOut.length > 0) {
      const names = leftOut.map(([variable, program]) => `${program} (${variable} is not set)`).join(', ');
      process.stdout.write(`\nleft out: what needs ${names}\n`);
    }
    if (process.env.KEYWARD_TEST_SHORT)
      process.stdout.write('\nleft out: the long half of what is tried in a browser\n');
    process.stdout.write(`\n${results.numPassedTests} passed, ${failed} failed, ${skipped} skipped\n`);
  }
}
