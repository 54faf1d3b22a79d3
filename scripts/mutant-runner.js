import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import jestRunner from 'jest-runner';
import { seconds } from './mutation-part.js';

// Node's default import of a CommonJS module is its whole `exports`.
const TestRunner = jestRunner.default ?? jestRunner;

/**
 * Written by the first run, which has no mutant, into Stryker's copy of the project: how long each test of each file took, and how long
 * its modules took to load.
 */
const TIMES = 'times-of-tests.json';

/** How long the tests of one mutant may take, by the times of the first run. */
const LIMIT_MS = seconds * 1_000;

/** The test files that detected mutants of each file of lib/, the last one first. */
const detectedBy = new Map();

/**
 * Runs the tests of a mutant, one file after the other, until one fails. Only tests that execute the mutant are run. First come the
 * files that are named like the mutant's file, then those of its folder, then the others. In each of these groups, files that detected
 * another mutant of the same file come first, and fast files before slow ones.
 *
 * Two limits make this fast enough. Files that would exceed the time of the part are not run. A static mutant is executed when its module is
 * loaded, so that all tests would have to be run: only those of its name and folder are. Both only leave tests out: a mutant that
 * survives here may be detected by one of these, but each that is detected here is detected by the whole tests too.
 */
export default class MutantRunner extends TestRunner {
  async runTests(tests, watcher, options) {
    const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
    if (mutant === undefined) return this.#runFirst(tests, watcher, options);
    let failed = false;
    this.on('test-file-success', ([, { numFailingTests, testExecError }]) => {
      failed ||= numFailingTests > 0 || testExecError !== undefined;
    });
    this.on('test-file-failure', () => {
      failed = true;
    });
    const config = this._globalConfig;
    const file = fileOf(mutant);
    let timeMs = 0;
    for (const { test, pattern, ms } of ordered(tests, file, namesIn(config.testNamePattern))) {
      if (timeMs + ms > LIMIT_MS) continue;
      timeMs += ms;
      this._globalConfig = { ...config, testNamePattern: pattern };
      await super.runTests([test], watcher, { ...options, serial: true });
      if (failed) return remember(file, test.path);
    }
  }

  async #runFirst(tests, watcher, options) {
    const times = {};
    this.on('test-file-success', ([{ path }, { testResults, perfStats }]) => {
      const tests = testResults.map(({ fullName, duration }) => [fullName, duration ?? 0]);
      times[path] = { tests, loading: perfStats.runtime - tests.reduce((sum, [, time]) => sum + time, 0) };
    });
    await super.runTests(tests, watcher, { ...options, serial: true });
    writeFileSync(TIMES, JSON.stringify(times));
  }
}

function remember(file, path) {
  const paths = detectedBy.get(file) ?? [];
  detectedBy.set(file, [path, ...paths.filter((other) => other !== path)]);
}

function known(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
}

/** Splits the one pattern that Stryker makes of thousands of test names, because matching it is slow. */
function namesIn(pattern) {
  const parts = pattern?.slice(1, -1).split(')|(') ?? [];
  return new Set(parts.map((part) => part.replaceAll(/\\(.)/g, '$1')));
}

function patternOf(names) {
  return `^(?:${names.map((name) => name.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)).join('|')})$`;
}

/** The test files to run, in order; for a static mutant, of which Stryker names no tests, only those of its name and folder. */
function ordered(tests, file, wanted) {
  const times = known(TIMES);
  const lastRank = wanted.size === 0 ? 3 : 4;
  const places = detectedBy.get(file) ?? [];
  return tests
    .map((test) => {
      const { tests: all, loading } = times[test.path] ?? { tests: [], loading: 0 };
      const those = wanted.size === 0 ? all : all.filter(([name]) => wanted.has(name));
      const pattern = those.length === all.length ? '' : patternOf(those.map(([name]) => name));
      const ms = those.reduce((sum, [, time]) => sum + time, loading);
      const place = places.includes(test.path) ? places.indexOf(test.path) : places.length;
      return { test, pattern, ms, place, rank: rankOf(test.path, file), isReached: those.length > 0 };
    })
    .filter(({ isReached, rank }) => isReached && rank <= lastRank)
    .sort((one, other) => one.rank - other.rank || one.place - other.place || one.ms - other.ms);
}

function rankOf(path, { folder, inner, name }) {
  // Without the path of the copy, which contains the part's name.
  const place = path.slice(path.lastIndexOf('/__tests__/'));
  if (basename(path).startsWith(`${name}.`)) return 0;
  if (basename(path).startsWith(`${name}-`)) return 1;
  if (place.includes(`/${inner}/`) || basename(path).startsWith(`${inner}-`)) return 2;
  return place.includes(`/${folder}/`) ? 3 : 4;
}

/** The file in lib/ of each mutant, from the ids that Stryker wrote into the source. */
const files = new Map();

function fileOf(mutant) {
  if (files.size === 0) readdirSync('lib', { recursive: true }).filter(isSource).forEach(readMutants);
  return files.get(mutant);
}

const isSource = (path) => path.endsWith('.ts');

function readMutants(path) {
  const file = { folder: path.split('/')[0], inner: basename(dirname(path)), name: basename(path, '.ts') };
  const text = readFileSync(join('lib', path), 'utf8');
  for (const [, mutant] of text.matchAll(/stryMutAct_\w+\("(\d+)"\)/g)) files.set(mutant, file);
}
