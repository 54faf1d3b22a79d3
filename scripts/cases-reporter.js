import { readFileSync, writeFileSync } from 'node:fs';

const LIST = new URL('../__tests__/cases.json', import.meta.url);

/**
 * Compares the numbered tests of a run with the list in `__tests__/cases.json`: for each case, the full name of each of
 * its tests and the versions of Express it runs on.
 *
 * Every run fails if a test passed without an assertion. A whole run with KEYWARD_ALL_CASES=1 also fails if a listed
 * test is missing or unproven, and if a numbered test is not listed. `npm run cases` writes the list from a whole run.
 */
export default class CasesReporter {
  #config;
  #error;

  constructor(config) {
    this.#config = config;
  }

  onRunComplete(projects, { testResults }) {
    const found = numberedTests(testResults);
    if (process.env.KEYWARD_WRITE_CASES && this.#isWhole(projects)) writeFileSync(LIST, format(found));
    const listed = JSON.parse(readFileSync(LIST, 'utf8'));
    const problems = { ...compare(listed, found), silent: silentTests(testResults) };
    const total = count(listed);
    process.stdout.write(`\ncases: ${total - problems.unproven.length} of ${total} inputs are proven\n`);
    report('passed without an assertion', problems.silent);
    if (problems.silent.length > 0) this.#error = new Error('tests passed without an assertion');
    if (!this.#isWhole(projects)) return;
    report('listed in __tests__/cases.json, but not proven by this run', problems.unproven);
    report('not listed in __tests__/cases.json; run `npm run cases`', problems.unlisted);
    // A run without every server or browser may leave cases unproven.
    if (process.env.KEYWARD_ALL_CASES && problems.unproven.length + problems.unlisted.length > 0)
      this.#error = new Error('the numbered tests differ from __tests__/cases.json');
  }

  /** Jest fails the run if this returns an error. */
  getLastError() {
    return this.#error;
  }

  #isWhole(projects) {
    const { testPathPatterns, testNamePattern, onlyChanged, onlyFailures, shard } = this.#config;
    const isNarrowed = testPathPatterns.patterns.length > 0 || testNamePattern || onlyChanged || onlyFailures || shard;
    return !isNarrowed && projects.size === this.#config.projects.length;
  }
}

/** Tests whose title begins with an id, by id and full name: where each ran, and whether it passed. */
function numberedTests(testResults) {
  const found = new Map();
  for (const { displayName, testResults: results } of testResults) {
    for (const { title, fullName, status } of results) {
      const id = /^[A-Z]\d\d(?= )/.exec(title)?.[0];
      if (id === undefined || status === 'pending') continue;
      const tests = found.get(id) ?? new Map();
      const runs = tests.get(fullName) ?? [];
      runs.push({ project: displayName.name, passed: status === 'passed' });
      found.set(id, tests.set(fullName, runs));
    }
  }
  return found;
}

/** Tests that cannot fail, numbered or not. */
function silentTests(testResults) {
  const all = testResults.flatMap(({ testResults: results }) => results);
  return all
    .filter(({ status, numPassingAsserts }) => status === 'passed' && numPassingAsserts === 0)
    .map(({ fullName }) => fullName);
}

function compare(listed, found) {
  const problems = { unproven: [], unlisted: [] };
  for (const [id, tests] of Object.entries(listed)) {
    for (const [name, projects] of Object.entries(tests)) {
      const runs = found.get(id)?.get(name) ?? [];
      if (runs.some(({ passed }) => !passed) || projectsOf(runs) !== projects) problems.unproven.push(name);
    }
  }
  for (const [id, tests] of found) {
    for (const name of tests.keys()) if (listed[id]?.[name] === undefined) problems.unlisted.push(name);
  }
  return problems;
}

/** `express 5, express 4`; a test of the same name in a second file is counted: `express 5 (2)`. */
function projectsOf(runs) {
  const names = [...new Set(runs.map(({ project }) => project))].sort().reverse();
  return names
    .map((name) => [name, runs.filter(({ project }) => project === name).length])
    .map(([name, times]) => (times === 1 ? name : `${name} (${times})`))
    .join(', ');
}

function format(found) {
  const sorted = (map) => [...map].sort(([one], [other]) => (one < other ? -1 : 1));
  const list = sorted(found).map(([id, tests]) => [
    id,
    Object.fromEntries(sorted(tests).map(([name, runs]) => [name, projectsOf(runs)])),
  ]);
  return `${JSON.stringify(Object.fromEntries(list), null, 2)}\n`;
}

function count(listed) {
  return Object.values(listed).reduce((sum, tests) => sum + Object.keys(tests).length, 0);
}

function report(what, names) {
  if (names.length === 0) return;
  const more = names.length > 40 ? [`  and ${names.length - 40} more`] : [];
  process.stdout.write(`\n${[`${what}:`, ...names.slice(0, 40).map((name) => `  ${name}`), ...more].join('\n')}\n`);
}
