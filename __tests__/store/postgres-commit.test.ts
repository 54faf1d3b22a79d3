import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { CredentialStore } from 'keyward/store';
import { onDatabase } from '../support/store-database.js';
import { makeStores, type Stores } from '../support/store-places.js';
import { startStoreProxy } from '../support/store-proxy.js';
import { accountRow } from '../support/stored-rows.js';
import { onServer } from '../support/test-stores.js';

/** The statement, and not the setting `synchronous_commit`, which PGOPTIONS may put into the first message of a connection. */
const COMMIT = /(?<!_)commit/;

onServer('a commit in PostgreSQL', () => {
  let stores: Stores;
  let store: CredentialStore;

  beforeEach(async () => {
    stores = await makeStores('PostgreSQL');
    store = await stores.open();
  });

  afterEach(() => stores.close());

  const insertAccount = (into: CredentialStore) => into.repository.transact((tx) => tx.insertAccount(accountRow()));

  /** Raises a message while COMMIT runs, as the server does if an operator ends its wait for a synchronous replica. */
  const raiseAtCommit = (level: 'warning' | 'notice') =>
    onDatabase(
      stores.url,
      `create function at_commit() returns trigger language plpgsql as $$ begin raise ${level} 'row'; return null; end $$`,
      `create constraint trigger at_commit after insert on accounts deferrable initially deferred
         for each row execute function at_commit()`,
    );

  it('that gets no answer fails, and has been cancelled so that it does not hold locks', async () => {
    const proxy = await startStoreProxy(stores.url);
    const far = await stores.open({}, proxy.urlOf(stores.url));
    proxy.holdAnswersTo(COMMIT);
    await expect(insertAccount(far)).rejects.toMatchObject({ name: 'StoreError', code: 'store_unavailable' });
    expect(proxy.cancellations()).toBe(1);
    proxy.holdAnswersTo(/(?!)/);
    expect(await far.repository.account('acme')).toMatchObject({ id: 'acme' });
    await far.close();
    await proxy.close();
  });

  it.each([
    ['a commit', (far: CredentialStore) => insertAccount(far), COMMIT],
    ['a used proof', (far: CredentialStore) => far.firstUse('client.proof', 60), /used_ids/],
  ])(
    'that is cancelled and succeeds nevertheless fails, because a replica may lack it: %s',
    async (_what, write, held) => {
      const proxy = await startStoreProxy(stores.url);
      const far = await stores.open({}, proxy.urlOf(stores.url));
      proxy.holdAnswersTo(held);
      proxy.releaseWhenCancelled();
      await expect(write(far)).rejects.toMatchObject({ code: 'store_unavailable', driverCode: '57014' });
      await far.close();
      await proxy.close();
    },
  );

  it('fails if the server warns meanwhile, and its connection stays usable', async () => {
    await raiseAtCommit('warning');
    await expect(insertAccount(store)).rejects.toMatchObject({
      ...{ code: 'store_unavailable', driverCode: '01000' },
      message: 'the write may have been committed on the primary server, but not on its synchronous replica (01000)',
    });
    expect(await store.repository.account('acme')).toMatchObject({ id: 'acme' });
    await store.repository.transact((tx) => tx.updateAccount('acme', 1, { scopes: '[]' }));
  });

  it('succeeds if the server sends a notice meanwhile', async () => {
    await raiseAtCommit('notice');
    await expect(insertAccount(store)).resolves.toBeUndefined();
  });
});
