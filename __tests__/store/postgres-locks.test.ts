import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { CredentialStore } from 'keyward/store';
import { mintKey } from '../../lib/credentials/keyward-format.js';
import { A5 } from '../support/answers.js';
import { type StoreApi, serveStore } from '../support/store-api.js';
import { storeKeys } from '../support/store-bulk.js';
import { type HeldTransaction, holdDatabase, onDatabase } from '../support/store-database.js';
import { makeStores, type Stores, storeKey } from '../support/store-places.js';
import { eventually } from '../support/store-wait.js';
import { onServer } from '../support/test-stores.js';

/** Connections of one store that notes no used ids: for lookups 6, management 4, the feed 2, and to listen 1. */
const CONNECTIONS = 13;

onServer('locks in PostgreSQL', () => {
  let stores: Stores;
  let store: CredentialStore;
  let api: StoreApi;
  let held: HeldTransaction | undefined;
  const application = `own_${randomBytes(6).toString('hex')}`;

  beforeEach(async () => {
    stores = await makeStores('PostgreSQL');
    store = await stores.open({}, `${stores.url}&application_name=${application}`);
    api = await serveStore(store);
    held = undefined;
  });

  afterEach(async () => {
    await held?.commit();
    await api.close();
    await stores.close();
  });

  async function backends(condition = ''): Promise<number> {
    const counted = `select count(*)::int as count from pg_stat_activity where application_name = '${application}'`;
    return Number((await onDatabase(stores.url, `${counted} ${condition}`))[0]?.count);
  }

  it('N22 a table is locked under lookups that time out: no more backends than the pools have connections', async () => {
    const { text } = await storeKey(store);
    held = await holdDatabase(stores.url, 'lock table keys in access exclusive mode');
    const counts: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      const answers = await Promise.all(Array.from({ length: 24 }, () => api.answer(mintKey('secret', 'live'))));
      expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(new Set([JSON.stringify(A5)]));
      counts.push(await backends());
    }
    expect(Math.max(...counts)).toBeLessThanOrEqual(CONNECTIONS);
    await held.commit();
    held = undefined;
    await eventually(async () => (await api.status(text)) === 200);
  });

  it('N22 the statements of lookups that have timed out are cancelled while the lock is still held', async () => {
    held = await holdDatabase(stores.url, 'lock table keys in access exclusive mode');
    await Promise.all(Array.from({ length: 24 }, () => api.answer(mintKey('secret', 'live'))));
    const waiting = () => backends(`and wait_event_type = 'Lock'`);
    await eventually(async () => (await waiting()) === 0);
    expect(await waiting()).toBe(0);
  });

  it('N22 a cancelled statement leaves its connection usable', async () => {
    held = await holdDatabase(stores.url, 'lock table keys in access exclusive mode');
    await expect(Promise.resolve(store.resolveAccessKey('none'))).rejects.toMatchObject({ driverCode: '57014' });
    await held.commit();
    held = undefined;
    expect(await store.resolveAccessKey('none')).toBeUndefined();
  });

  it('a change that waited too long for the lock of another is tried again', async () => {
    const { id } = await storeKey(store);
    held = await holdDatabase(stores.url, `select id from keys where id = '${id}' for update`);
    let attempts = 0;
    const changed = store.repository.transact(async (tx) => {
      attempts += 1;
      return await tx.updateKey(id, 1, { name: 'changed' });
    });
    await eventually(() => attempts === 2);
    await held.commit();
    held = undefined;
    expect(await changed).toBe(true);
    expect((await store.repository.key(id))?.key.name).toBe('changed');
  });

  it('a key that another transaction has locked is read after its commit', async () => {
    const { id } = await storeKey(store);
    held = await holdDatabase(stores.url, `update keys set version = 2 where id = '${id}'`);
    const read = store.repository.transact(async (tx) => (await tx.lockKey(id))?.version);
    await eventually(async () => (await backends(`and wait_event_type = 'Lock'`)) === 1);
    await held.commit();
    held = undefined;
    expect(await read).toBe(2);
  });

  it('an account that another transaction has locked is read after its commit', async () => {
    await storeKey(store);
    held = await holdDatabase(stores.url, `update accounts set version = 2 where id = 'acme'`);
    const read = store.repository.transact(async (tx) => (await tx.lockAccount('acme'))?.version);
    await eventually(async () => (await backends(`and wait_event_type = 'Lock'`)) === 1);
    await held.commit();
    held = undefined;
    expect(await read).toBe(2);
  });

  it('one of four concurrent uses of an id is the first, also if a transaction sees only what was there at its start', async () => {
    const options = encodeURIComponent('-c default_transaction_isolation=repeatable\\ read');
    const strict = await stores.open({}, `${stores.url}&options=${options}`);
    for (let number = 0; number < 20; number += 1) {
      const uses = Array.from({ length: 4 }, () => strict.firstUse(`id ${number}`, 60));
      expect((await Promise.all(uses)).filter((isNew) => isNew)).toHaveLength(1);
    }
  });

  it('N23 creations that wait for a lock and lists take no connection of lookups', async () => {
    const keys = await storeKeys(store, stores.url, { count: 50 });
    held = await holdDatabase(stores.url, 'update feed_head set position = position');
    let ended = 0;
    const creations = Array.from({ length: 20 }, () =>
      storeKey(store)
        .catch(() => undefined)
        .finally(() => {
          ended += 1;
        }),
    );
    await eventually(async () => (await backends(`and wait_event_type = 'Lock'`)) === 4);
    const statuses = await Promise.all(keys.map(({ text }) => api.status(text)));
    expect([new Set(statuses), ended]).toEqual([new Set([200]), 0]);
    await held.commit();
    held = undefined;
    await Promise.all(creations);
  });

  it('edits that wait for a lock take no connection of proofs and assertions, for which requests wait', async () => {
    const { id } = await storeKey(store);
    held = await holdDatabase(stores.url, 'update feed_head set position = position');
    const edits = Array.from({ length: 8 }, (_, edit) =>
      store.repository
        .transact(async (tx) => tx.notify({ key: `${id}_${edit}` }))
        .then(
          () => 'edited',
          () => 'failed',
        ),
    );
    await eventually(async () => (await backends(`and wait_event_type = 'Lock'`)) === 4);
    const uses = Promise.all(['client.one', 'client.two'].map((used) => store.firstUse(used, 60)));
    expect(await Promise.race([uses, ...edits])).toEqual([true, true]);
    await held.commit();
    held = undefined;
    await Promise.all(edits);
  });
});
