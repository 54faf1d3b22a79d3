import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import jestRunner from 'jest-runner';

// Node's default import of a CommonJS module is its whole `exports`.
const TestRunner = jestRunner.default ?? jestRunner;

/** Written by the first run, which has no mutant, into Stryker's copy of the project: the names of the tests of each file. */
const NAMES = 'names-of-tests.json';

/**
 * Runs the tests of a mutant, one file after the other, until one fails. Only tests that execute the mutant are run. First come the
 * tests that are named like the mutant's file, then those of its folder, small files before large ones. For a static mutant, which is
 * executed when its module is loaded, all tests would have to be run: only these two groups are, so some that survive here would be
 * detected by others.
 */
export default class MutantRunner extends TestRunner {
  async runTests(tests, watcher, options) {
    const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
    const names = mutant === undefined ? {} : known(NAMES);
    let failed = false;
    this.on('test-file-success', ([{ path }, { numFailingTests, testExecError, testResults }]) => {
      if (mutant === undefined) names[path] = testResults.map(({ fullName }) => fullName);
      failed ||= numFailingTests > 0 || testExecError !== undefined;
    });
    this.on('test-file-failure', () => {
      failed = true;
    });
    const config = this._globalConfig;
    const wanted = namesIn(config.testNamePattern);
    const isStatic = mutant !== undefined && wanted.size === 0;
    for (const test of ordered(tests, fileOf(mutant), isStatic ? 2 : 3)) {
      if (failed && mutant !== undefined) return;
      const all = names[test.path] ?? [];
      const those = wanted.size === 0 ? all : all.filter((name) => wanted.has(name));
      if (those.length === 0 && mutant !== undefined) continue;
      this._globalConfig = { ...config, testNamePattern: those.length === all.length ? '' : patternOf(those) };
      await super.runTests([test], watcher, { ...options, serial: true });
    }
    if (mutant === undefined) writeFileSync(NAMES, JSON.stringify(names));
  }
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

function ordered(tests, file, lastRank) {
  return tests
    .map((test) => ({ test, rank: rankOf(test.path, file), size: statSync(test.path).size }))
    .filter(({ rank }) => file === undefined || rank <= lastRank)
    .sort((one, other) => one.rank - other.rank || one.size - other.size)
    .map(({ test }) => test);
}

function rankOf(path, { folder, name } = {}) {
  if (basename(path).startsWith(`${name}.`)) return 0;
  if (basename(path).startsWith(`${name}-`)) return 1;
  return path.includes(`/${folder}/`) ? 2 : 3;
}

/** The file in lib/ of each mutant, from the ids that Stryker wrote into the source. */
const files = new Map();

function fileOf(mutant) {
  if (files.size === 0) readdirSync('lib', { recursive: true }).filter(isSource).forEach(readMutants);
  return files.get(mutant);
}

const isSource = (path) => path.endsWith('.ts');

function readMutants(path) {
  const file = { folder: path.split('/')[0], name: basename(path, '.ts') };
  const text = readFileSync(join('lib', path), 'utf8');
  for (const [, mutant] of text.matchAll(/stryMutAct_\w+\("(\d+)"\)/g)) files.set(mutant, file);
}
