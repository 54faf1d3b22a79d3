import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { CredentialStore } from 'keyward/store';
import { sql } from 'kysely';
import type { Engine } from '../../lib/store/engine.js';
import { openPostgres } from '../../lib/store/postgres-engine.js';
import { onDatabase, schemaOf } from '../support/store-database.js';
import { makeStores, type Stores, storeKey } from '../support/store-places.js';
import { startStoreProxy } from '../support/store-proxy.js';
import { eventually, pause } from '../support/store-wait.js';
import { onServer, POSTGRES } from '../support/test-stores.js';

onServer('the connections of a store in PostgreSQL', () => {
  let stores: Stores;
  let store: CredentialStore;
  let engine: Engine | undefined;

  beforeEach(async () => {
    stores = await makeStores('PostgreSQL');
    store = await stores.open();
    engine = undefined;
  });

  afterEach(async () => {
    await engine?.close();
    await stores.close();
  });

  const open = () => openPostgres(POSTGRES ?? '', schemaOf(stores.url));
  const terminate = () =>
    onDatabase(
      stores.url,
      `select pg_terminate_backend(pid) from pg_stat_activity where state = 'idle in transaction'
         and application_name = 'keyward' and query like '%"${schemaOf(stores.url)}"%'`,
    );

  it('one is terminated in a transaction: the error of the work comes out, and the next work is done', async () => {
    const own = new Error('mine');
    const work = store.ledger.transact(async (tx) => {
      await tx.account('acme');
      expect(await terminate()).toHaveLength(1);
      throw own;
    });
    await expect(work).rejects.toBe(own);
    await storeKey(store);
  });

  it('one is terminated in a transaction: its next statement says so, nothing was done, and the next work is', async () => {
    const work = store.ledger.transact(async (tx) => {
      tx.tell({ key: 'lost' });
      await tx.account('acme');
      await terminate();
      await tx.key('key_1');
    });
    await expect(work).rejects.toMatchObject({ name: 'StoreError', code: 'store_unavailable' });
    await storeKey(store);
    expect(await onDatabase(stores.url, `select * from changes where subject = 'lost'`)).toEqual([]);
  });

  it('each is terminated while nobody uses it: the next work is done', async () => {
    await Promise.all(Array.from({ length: 5 }, () => store.ready()));
    const pids = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'keyward' and state = 'idle'
       and query like '%"${schemaOf(stores.url)}"%'`;
    expect((await onDatabase(stores.url, pids)).length).toBeGreaterThan(0);
    await eventually(() => store.ready());
    await storeKey(store);
  });

  it('F03 one gets no answer: what waits for it fails in its time, and the next is sound', async () => {
    const proxy = await startStoreProxy(stores.url);
    const far = await stores.open({}, proxy.urlOf(stores.url));
    proxy.silence('all');
    const start = performance.now();
    const work = far.ledger.transact(async (tx) => await tx.account('acme'));
    await expect(work).rejects.toMatchObject({ code: 'store_unavailable', message: 'Query read timeout' });
    expect(performance.now() - start).toBeLessThan(5_000);
    await eventually(() => far.ready());
    await far.close();
    await proxy.close();
  });

  it('every transaction is bounded, and no session is', async () => {
    engine = open();
    const show = async (db: Engine['reader']) => {
      const names = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
      const shown = names.map((name) => sql<Record<string, string>>`show ${sql.raw(name)}`.execute(db));
      return (await Promise.all(shown)).map(({ rows }) => Object.values(rows[0] ?? {})[0]);
    };
    expect(await engine.transact((tx) => show(tx))).toEqual(['3s', '2s', '10s']);
    expect(await show(engine.reader)).toEqual(['0', '0', '0']);
  });

  it('a word that comes while a poll is under way is not put off by the end of that poll', async () => {
    const own = open();
    engine = own;
    let polls = 0;
    const end = own.follow(async () => {
      polls += 1;
      await own.transact((tx) => own.announce(tx));
      await pause(5);
    });
    await eventually(() => polls > 3);
    const before = polls;
    await pause(1_000);
    end();
    expect(polls - before).toBeGreaterThan(6);
  });
});
