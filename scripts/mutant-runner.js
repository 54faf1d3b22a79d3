import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import jestRunner from 'jest-runner';

// Of a CommonJS build Node takes the whole module for the default export.
const TestRunner = jestRunner.default ?? jestRunner;

/** What the first run without a mutant leaves in Stryker's copy of the project, for all that follow: path, names of tests. */
const NAMES = 'names-of-tests.json';

/**
 * For mutants: of the test files only those that hold a test which reaches the mutant, one after the other, and none
 * after one that fails, which is all that is asked of it. The tests that are named like the mutant's file come first,
 * then those of its floor, small files before large ones.
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
    for (const test of ordered(tests, fileOf(mutant))) {
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

/** The names that Stryker put into one pattern for all files: thousands, which would be tried at every place of every name. */
function namesIn(pattern) {
  const parts = pattern?.slice(1, -1).split(')|(') ?? [];
  return new Set(parts.map((part) => part.replaceAll(/\\(.)/g, '$1')));
}

function patternOf(names) {
  return `^(?:${names.map((name) => name.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)).join('|')})$`;
}

function ordered(tests, file) {
  return tests
    .map((test) => ({ test, rank: rankOf(test.path, file), size: statSync(test.path).size }))
    .sort((one, other) => one.rank - other.rank || one.size - other.size)
    .map(({ test }) => test);
}

function rankOf(path, { floor, name } = {}) {
  if (basename(path).startsWith(`${name}.`)) return 0;
  if (basename(path).startsWith(`${name}-`)) return 1;
  return path.includes(`/${floor}/`) ? 2 : 3;
}

/** By mutant: the file of lib/ whose text, as Stryker wrote it, switches it on. */
const files = new Map();

function fileOf(mutant) {
  if (files.size === 0) readdirSync('lib', { recursive: true }).filter(isSource).forEach(readMutants);
  return files.get(mutant);
}

const isSource = (path) => path.endsWith('.ts');

function readMutants(path) {
  const file = { floor: path.split('/')[0], name: basename(path, '.ts') };
  const text = readFileSync(join('lib', path), 'utf8');
  for (const [, mutant] of text.matchAll(/stryMutAct_\w+\("(\d+)"\)/g)) files.set(mutant, file);
}
