const { channel } = require('node:diagnostics_channel');
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { TestEnvironment } = require('jest-environment-node');

// Held as long as the process: Node 20 forgets a channel when a former one of its name is collected, as happens between files.
const EVENTS = join(__dirname, '../lib/events');
const texts = readdirSync(EVENTS).map((file) => readFileSync(join(EVENTS, file), 'utf8'));
const names = texts.flatMap((text) => text.match(/keyward:[a-z-]+(?='\))/g) ?? []);
const channels = names.map((name) => channel(name));

/** For mutants: once a test of a file has failed, the others of that file are skipped. */
module.exports = class MutantEnvironment extends TestEnvironment {
  channels = channels;
  #failed = false;

  handleTestEvent({ name, test }) {
    if (name === 'test_done' && test.errors.length > 0) this.#failed = true;
    if (name === 'test_start' && this.#failed) test.mode = 'skip';
  }
};
