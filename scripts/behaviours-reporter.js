import { readFileSync } from 'node:fs';

/** By stage of the work, for each numbered case, by its id, how many inputs it has. */
const STAGES = JSON.parse(readFileSync(new URL('../__tests__/behaviours.json', import.meta.url), 'utf8'));

/**
 * Ends a run with a line for each stage, `behaviours: N of N core inputs`: how many inputs of its numbered cases have a
 * test, by the id at the start of its name, that ran and passed wherever it ran. A whole run in which one has none fails.
 */
export default class BehavioursReporter {
  #config;
  #shortfall;

  constructor(config) {
    this.#config = config;
  }

  onRunComplete(projects, { testResults }) {
    const proven = passedById(testResults);
    const wanted = Object.values(STAGES).flatMap(Object.entries);
    const short = wanted.filter(([id, inputs]) => (proven.get(id) ?? 0) < inputs);
    if (this.#isWhole(projects) && short.length > 0) {
      this.#shortfall = new Error('numbered cases have fewer passing tests than inputs');
      const lines = short.map(([id, inputs]) => `  ${id}: ${proven.get(id) ?? 0} of ${inputs}`);
      process.stdout.write(`\n${this.#shortfall.message}:\n${lines.join('\n')}\n`);
    }
    const tallies = Object.entries(STAGES).map(([stage, cases]) => tallyOf(stage, Object.entries(cases), proven));
    process.stdout.write(`\n${tallies.join('\n')}\n`);
  }

  /** What Jest asks for: an error makes the run fail. Only where KEYWARD_ALL_CASES is set: CI runs every case, and a person perhaps a few. */
  getLastError() {
    return process.env.KEYWARD_ALL_CASES ? this.#shortfall : undefined;
  }

  #isWhole(projects) {
    const { testPathPatterns, testNamePattern, onlyChanged, onlyFailures, shard } = this.#config;
    const isNarrowed = testPathPatterns.patterns.length > 0 || testNamePattern || onlyChanged || onlyFailures || shard;
    return !isNarrowed && projects.size === this.#config.projects.length;
  }
}

function tallyOf(stage, cases, proven) {
  const covered = cases.map(([id, inputs]) => Math.min(proven.get(id) ?? 0, inputs));
  return `behaviours: ${sum(covered)} of ${sum(cases.map(([, inputs]) => inputs))} ${stage} inputs`;
}

/** How many tests of each id passed. A test that runs on two versions of Express counts once, if it passed on both. */
function passedById(testResults) {
  const tests = new Map();
  for (const { testFilePath, testResults: results } of testResults) {
    for (const { title, fullName, status } of results) {
      const [id] = /^[A-Z]\d\d(?= )/.exec(title) ?? [];
      const name = `${testFilePath}\n${fullName}`;
      if (id !== undefined) tests.set(name, { id, passed: status === 'passed' && tests.get(name)?.passed !== false });
    }
  }
  const counts = new Map();
  for (const { id, passed } of tests.values()) if (passed) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
