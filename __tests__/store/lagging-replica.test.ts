import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { CredentialStore, StoreWarning } from 'keyward/store';
import { A5, T1 } from '../support/answers.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { type StoreApi, serveStore } from '../support/store-api.js';
import { schemaOf } from '../support/store-database.js';
import type { HeardFeed } from '../support/store-listener.js';
import { feedOf, makeStores, revoke, type Stores, storeKey } from '../support/store-places.js';
import { type StoreProxy, startStoreProxy } from '../support/store-proxy.js';
import { replicaOf, type StoreReplica } from '../support/store-replica.js';
import { eventually } from '../support/store-wait.js';
import { onServer } from '../support/test-stores.js';

/** Statements of lookups; those of the feed name another table. */
const LOOKUPS = /"secrets"/;
const EVERYTHING = /./;
const ACCESS_KEY = { kind: 'access', scopes: '["payments"]', default_scopes: '["payments"]' } as const;

onServer('a node that lags behind, at the same address of PostgreSQL', () => {
  let stores: Stores;
  let primary: CredentialStore;
  let proxy: StoreProxy;
  let api: StoreApi;
  let heard: HeardFeed;
  let replica: StoreReplica | undefined;
  let events: Eavesdropper;

  beforeEach(async () => {
    replica = undefined;
    events = eavesdrop();
    stores = await makeStores('PostgreSQL');
    primary = await stores.open();
    proxy = await startStoreProxy(stores.url);
    const far = await stores.open({}, proxy.urlOf(stores.url));
    api = await serveStore(far);
    heard = await feedOf(far);
  });

  afterEach(async () => {
    events.stop();
    await api.close();
    await proxy.close();
    await stores.close();
    await replica?.remove();
  });

  /** From now on these statements are answered by a copy of what there is at this moment. */
  async function lag(matching: RegExp): Promise<StoreReplica> {
    replica = await replicaOf(stores.url);
    proxy.divert(schemaOf(stores.url), replica.schema, matching);
    return replica;
  }

  /** Waits until so many changes have been read from the feed. */
  const haveRead = (count: number) => eventually(() => heard.changes.length >= count);
  const statuses = (...credentials: string[]) => Promise.all(credentials.map(api.status));

  it('F04 it answers lookups: its answer for a key that was revoked elsewhere is rejected, within the time limit', async () => {
    const [warm, cold, client] = [
      await storeKey(primary),
      await storeKey(primary),
      await storeKey(primary, ACCESS_KEY),
    ];
    const token = api.token(client.id);
    await haveRead(3);
    expect(await statuses(warm.text, token)).toEqual([200, 200]);
    const node = await lag(LOOKUPS);

    for (const { id } of [warm, cold, client]) await revoke(primary, id);
    expect(await eventually(async () => !(await statuses(warm.text, token)).includes(200))).toBeLessThan(5_000);
    await haveRead(6);
    for (let turn = 0; turn < 10; turn += 1) {
      for (const credential of [warm.text, cold.text, token]) expect(await api.answer(credential)).toEqual(A5);
    }
    const reasons = events.heard<{ detail?: string }>('keyward:lookup-failure').map(({ detail }) => detail ?? '');
    expect(new Set(reasons)).toEqual(new Set(['StoreError store_unavailable']));

    await node.catchUp();
    await eventually(async () => (await statuses(warm.text, cold.text, token)).every((status) => status === 401));
    expect(await api.answer(warm.text)).toEqual(T1);
  });

  it('F04 it answers lookups, and lacks a new key: A5, not a refusal', async () => {
    const node = await lag(LOOKUPS);
    const [key, client] = [await storeKey(primary), await storeKey(primary, ACCESS_KEY)];
    await haveRead(2);
    for (const credential of [key.text, api.token(client.id)]) expect(await api.answer(credential)).toEqual(A5);
    await node.catchUp();
    await eventually(async () => (await statuses(key.text, api.token(client.id))).every((status) => status === 200));
  });

  it('F04 it answers lookups, and nothing has changed since: its answers are used', async () => {
    const { text } = await storeKey(primary);
    await haveRead(1);
    await lag(LOOKUPS);
    expect(await api.status(text)).toBe(200);
  });

  it('F04 it answers everything, as after a failover: the cache is dropped, known refusals stay, and later changes arrive within the time limit', async () => {
    const [doomed, gone, edited] = [
      await storeKey(primary),
      await storeKey(primary),
      await storeKey(primary, { apis: '["payments"]' }),
    ];
    await haveRead(3);
    expect(await statuses(doomed.text, gone.text, edited.text)).toEqual([200, 200, 200]);
    const node = await replicaOf(stores.url);
    replica = node;
    await revoke(primary, gone.id);
    await primary.repository.transact(async (tx) => {
      await tx.updateKey(edited.id, 1, { apis: '["disputes"]' });
      tx.notify({ key: edited.id });
    });
    await haveRead(5);
    const apisOf = async () => JSON.stringify((await api.principal(edited.text)).apis);
    expect([await api.status(gone.text), await apisOf()]).toEqual([401, '["disputes"]']);

    proxy.divert(schemaOf(stores.url), node.schema, EVERYTHING);
    const isReplaced = () => events.heard<StoreWarning>('keyward:store').some(({ warning }) => warning === 'replaced');
    await eventually(isReplaced);
    await eventually(async () => (await apisOf()) === '["payments"]');
    await revoke(primary, doomed.id);
    expect(await statuses(doomed.text, gone.text)).toEqual([200, 401]);

    await node.catchUp();
    const hasCaughtUp = async () => (await api.status(doomed.text)) === 401 && (await apisOf()) === '["disputes"]';
    expect(await eventually(hasCaughtUp)).toBeLessThan(5_000);
    expect(await api.status(gone.text)).toBe(401);
  });
});
