/** The laws of the test suite, tried many times each. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** What makes a test a law, and the end of the name that it gives it. */
const [MAKER, NAMES] = ["/support/law.js'", '\\(law\\)$'];

/** The folders of the test suite that have laws. */
export const FLOORS = [...new Set(filesWith(MAKER).map((file) => file.split('/')[1]))].sort();

/** Tries the laws of a folder. Each folder is a part of its own: all of them together take hours. */
export function laws(floor, count) {
  const files = filesWith(MAKER).filter((file) => file.startsWith(`__tests__/${floor}/`));
  const which = [...files, '--testNamePattern', NAMES, '--selectProjects', 'express 5'];
  const run = spawnSync(process.execPath, ['node_modules/jest/bin/jest.js', '--json', ...which], {
    env: { ...process.env, KEYWARD_SOAK_RUNS: String(count) },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const report = JSON.parse(run.stdout.slice(run.stdout.indexOf('{"')));
  const tried = report.testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'passed' || status === 'failed'),
  );
  const broken = tried.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
  const held = tried.length - broken.length;
  const slowest = Math.max(...tried.map(({ duration }) => duration ?? 0));
  return {
    title: `Laws of \`__tests__/${floor}\`: ${count.toLocaleString('en')} tries each`,
    figures: [
      ['laws that held', held, held > 0],
      ['laws that did not', broken.join('; ') || 'none', broken.length === 0],
      ['test files that could not be run', report.numRuntimeErrorTestSuites, report.numRuntimeErrorTestSuites === 0],
      ['minutes that the slowest took', (slowest / 60_000).toFixed(1)],
    ],
  };
}

/** The test files that have a text in them. */
function filesWith(text) {
  return readdirSync('__tests__', { recursive: true })
    .map((file) => `__tests__/${file}`)
    .filter((file) => file.endsWith('.test.ts') && readFileSync(file, 'utf8').includes(text));
}
