import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type CredentialStore, openStore } from 'keyward/store';
import { sql } from 'kysely';
import type { Engine } from '../../lib/store/engine.js';
import { openPostgres } from '../../lib/store/postgres/engine.js';
import { onDatabase, schemaOf } from '../support/store-database.js';
import { makeStores, type Stores, storeKey } from '../support/store-places.js';
import { startStoreProxy } from '../support/store-proxy.js';
import { eventually, pause } from '../support/store-wait.js';
import { onServer, POSTGRES, placesOf } from '../support/test-stores.js';

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

  it.each(['a database that does not exist', 'a wrong role'])('%s makes openStore fail at once', async (what) => {
    const url = new URL(stores.url);
    if (what === 'a wrong role') url.username = 'nobody_here';
    else url.pathname = '/nothing_here';
    await expect(openStore(url.href)).rejects.toMatchObject({ name: 'StoreError' });
  });

  it('one is terminated in a transaction: the error of the work is thrown, and the next transaction succeeds', async () => {
    const own = new Error('mine');
    const work = store.repository.transact(async (tx) => {
      await tx.account('acme');
      expect(await terminate()).toHaveLength(1);
      throw own;
    });
    await expect(work).rejects.toBe(own);
    await storeKey(store);
  });

  it('one is terminated in a transaction: its next statement fails, nothing is committed, and the next transaction succeeds', async () => {
    const work = store.repository.transact(async (tx) => {
      tx.notify({ key: 'lost' });
      await tx.account('acme');
      await terminate();
      await tx.key('key_1');
    });
    await expect(work).rejects.toMatchObject({ name: 'StoreError', code: 'store_unavailable' });
    await storeKey(store);
    expect(await onDatabase(stores.url, `select * from changes where subject = 'lost'`)).toEqual([]);
  });

  it('each is terminated while idle: the next transaction succeeds', async () => {
    const application = `own_${randomBytes(6).toString('hex')}`;
    const own = await stores.open({}, `${stores.url}&application_name=${application}`);
    await Promise.all([own.ready(), own.resolveAccessKey('none'), own.repository.account('none')]);
    const pids = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = '${application}'`;
    expect((await onDatabase(stores.url, pids)).length).toBeGreaterThanOrEqual(3);
    await eventually(() => own.ready());
    await storeKey(own);
  });

  it('other programs drop schemas while it migrates: the migration succeeds', async () => {
    let isMigrating = true;
    const dropper = async (name: string) => {
      while (isMigrating) {
        const tables = Array.from({ length: 20 }, (_, table) => `create table ${name}.t${table} (id serial)`);
        await onDatabase(stores.url, [`create schema ${name}`, ...tables].join(';'));
        await onDatabase(stores.url, `drop schema ${name} cascade`);
      }
    };
    const droppers = ['one', 'two'].map((which) => dropper(`dropped_${which}_${randomBytes(6).toString('hex')}`));
    try {
      for (let migration = 0; migration < 10; migration += 1) {
        const place = await placesOf.PostgreSQL();
        const fresh = openPostgres(POSTGRES ?? '', schemaOf(place.url));
        await expect(fresh.migrate()).resolves.toBeUndefined();
        await fresh.close();
        await place.remove();
      }
    } finally {
      isMigrating = false;
      await Promise.all(droppers);
    }
  });

  it('F03 one gets no answer: its statement times out, and the next connection works', async () => {
    const proxy = await startStoreProxy(stores.url);
    const far = await stores.open({}, proxy.urlOf(stores.url));
    await far.repository.account('acme');
    proxy.silence('all');
    const start = performance.now();
    const work = far.repository.transact(async (tx) => await tx.account('acme'));
    await expect(work).rejects.toMatchObject({ code: 'store_unavailable', message: 'Query read timeout' });
    expect(performance.now() - start).toBeLessThan(5_000);
    await eventually(() => far.ready());
    await far.close();
    await proxy.close();
  });

  it('time limits are set for transactions, not for sessions', async () => {
    engine = open();
    const show = async (db: Engine['lookups']) => {
      const names = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
      const shown = names.map((name) => sql<Record<string, string>>`show ${sql.raw(name)}`.execute(db));
      return (await Promise.all(shown)).map(({ rows }) => Object.values(rows[0] ?? {})[0]);
    };
    expect(await engine.transact((tx) => show(tx))).toEqual(['3s', '2s', '10s']);
    expect(await show(engine.lookups)).toEqual(['0', '0', '0']);
  });

  it('a notification during a poll is not delayed by the end of that poll', async () => {
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
    const took = await eventually(() => polls - before >= 10);
    end();
    // Without a word there is one in 450 ms at most.
    expect(took).toBeLessThan(10 * 450);
  });
});
