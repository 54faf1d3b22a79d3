const { channel } = require('node:diagnostics_channel');
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { TestEnvironment } = require('jest-environment-node');
const { disableAsyncStorages } = require('./async-storages.cjs');

// Held as long as the process: Node 20 forgets a channel when a former one of its name is collected, as happens between files.
const EVENTS = join(__dirname, '../lib/events');
const texts = readdirSync(EVENTS).map((file) => readFileSync(join(EVENTS, file), 'utf8'));
const names = texts.flatMap((text) => text.match(/keyward:[a-z-]+(?=['"])/g) ?? []);
const channels = names.map((name) => channel(name));

const BEFORE_ALL = 'beforeAll';

/** For mutants: once a test of a file has failed, the others of that file are skipped. */
module.exports = class MutantEnvironment extends TestEnvironment {
  channels = channels;
  #failed = false;
  #folder = process.cwd();

  handleTestEvent({ name, test, hook }) {
    if (name === 'test_done' && test.errors.length > 0) this.#failed = true;
    if (name === 'test_start' && this.#failed) test.mode = 'skip';
    if (hook?.type === 'beforeAll') this.#cover(name, hook.parent);
  }

  /**
   * What a `beforeAll` executes is covered by each test of its block. Stryker would take its mutants for static ones, and would try
   * them by all tests.
   */
  #cover(name, block) {
    const stryker = this.global.__stryker__;
    if (stryker === undefined) return;
    stryker.currentTestId = name === 'hook_start' ? BEFORE_ALL : undefined;
    const perTest = stryker.mutantCoverage?.perTest ?? {};
    const counts = Object.entries(perTest[BEFORE_ALL] ?? {});
    delete perTest[BEFORE_ALL];
    for (const id of testsIn(block).map(fullNameOf)) {
      const own = perTest[id] ?? {};
      for (const [mutant, count] of counts) own[mutant] = (own[mutant] ?? 0) + count;
      perTest[id] = own;
    }
  }

  /** A command that a mutant does not let end would leave the next file in the folder of its test. */
  async teardown() {
    process.chdir(this.#folder);
    await super.teardown();
    disableAsyncStorages();
  }
};

function testsIn({ children }) {
  return children.flatMap((child) => (child.type === 'test' ? [child] : testsIn(child)));
}

/** The name by which Stryker knows a test. */
function fullNameOf({ name, parent }) {
  return parent === undefined ? '' : `${fullNameOf(parent)} ${name}`.trimStart();
}
