import { channel } from 'node:diagnostics_channel';
import { TestEnvironment } from 'jest-environment-node';
import { disableAsyncStorages } from './async-storages.cjs';

const NAMES = [
  'decision',
  'lookup-failure',
  'key-set',
  'feed',
  'token',
  'issuer',
  'store',
  'dashboard',
  'callback-failure',
];

// Held as long as the process: Node 20 forgets a channel when a former one of its name is collected, as happens between files.
const channels = NAMES.map((name) => channel(`keyward:${name}`));
const heard = () => channels.filter(({ hasSubscribers }) => hasSubscribers).map(({ name }) => name);

/** Jest's Node environment; a test file fails if it leaves a listener that would hear the events of the files after it. */
export default class extends TestEnvironment {
  heardBefore = heard();

  async teardown() {
    await super.teardown();
    disableAsyncStorages();
    const left = heard().filter((name) => !this.heardBefore.includes(name));
    if (left.length > 0) throw new Error(`this file left a listener on ${left.join(', ')}`);
  }
}
