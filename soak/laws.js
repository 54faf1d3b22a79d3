/** The laws of the test suite, at many runs each. */
import { spawnSync } from 'node:child_process';

export function laws(count) {
  const run = spawnSync(process.execPath, ['node_modules/jest/bin/jest.js', '--testNamePattern', 'law', '--json'], {
    env: { ...process.env, KEYWARD_SOAK_RUNS: String(count) },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const report = JSON.parse(run.stdout.slice(run.stdout.indexOf('{"')));
  return {
    title: `Laws: ${count.toLocaleString('en')} runs each`,
    figures: [
      ['laws that held', report.numPassedTests, report.numPassedTests > 0],
      ['laws that did not', report.numFailedTests, report.numFailedTests === 0],
    ],
  };
}
