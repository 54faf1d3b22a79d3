import { expect, it, jest } from '@jest/globals';
import * as real from '../../../lib/store/open-store.js';
import { StoreError } from '../../../lib/store/store-error.js';

let failure: Error | undefined;
jest.unstable_mockModule('../../../lib/store/open-store.js', () => ({
  ...real,
  async openStore(...args: Parameters<typeof real.openStore>) {
    const store = await real.openStore(...args);
    if (failure === undefined) return store;
    return { ...store, repository: { ...store.repository, account: () => Promise.reject(failure) } };
  },
}));
const { transcriptOnDatabase } = await import('../../support/transcript.js');

const keyward = transcriptOnDatabase();
const ACCOUNT = ['accounts', 'put', 'acme', '--api', 'payments'];

// Without the account as it was, the command could not ask whether to remove something from it.
it('accounts put changes nothing if the account cannot be read', async () => {
  failure = undefined;
  await keyward.run(...ACCOUNT, '--api', 'disputes');
  const before = await keyward.json('accounts', 'view', 'acme');
  failure = new StoreError('store_unavailable', 'the database was lost');
  expect(await keyward.run(...ACCOUNT)).toMatch(/ returned an error: the database was lost\n\[exit code 3\]$/);
  failure = new TypeError('a fault of the program');
  await expect(keyward.run(...ACCOUNT)).rejects.toBe(failure);
  failure = undefined;
  expect(await keyward.json('accounts', 'view', 'acme')).toEqual(before);
});
