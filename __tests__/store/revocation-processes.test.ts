import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CredentialStore, StoreWarning } from 'keyward/store';
import { T1 } from '../support/answers.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { type StoreApi, serveStore } from '../support/store-api.js';
import { type BulkKey, storeKeys } from '../support/store-bulk.js';
import { makeStores, revoke, type Stores } from '../support/store-places.js';
import { type StoreProcess, startStoreProcess } from '../support/store-process.js';
import { type StoreProxy, startStoreProxy } from '../support/store-proxy.js';
import { eventually } from '../support/store-wait.js';
import { onServer, sharedEngines } from '../support/test-stores.js';

const REVOCATIONS = 20;

let stores: Stores;
let here: CredentialStore;
let others: readonly StoreProcess[];

beforeEach(() => {
  others = [];
});

afterEach(async () => {
  await Promise.all(others.map((other) => other.kill()));
  await stores.close();
});

const outcomeAt = async (other: StoreProcess, { text }: BulkKey) => (await other.ask({ present: text })).outcome;

/** Revokes here keys that every other has cached; for each, the milliseconds until the last of them refused it. */
async function delaysOf(keys: readonly BulkKey[], within: number): Promise<readonly number[]> {
  for (const other of others) for (const key of keys) expect(await outcomeAt(other, key)).toBe('accepted');
  const delays: number[] = [];
  for (const key of keys) {
    await revoke(here, key.id);
    const waits = others.map((other) => eventually(async () => (await outcomeAt(other, key)) === 'refused', within));
    delays.push(Math.max(...(await Promise.all(waits))));
  }
  return delays;
}

describe.each(sharedEngines)('a key that two other processes have cached, in %s', (engine) => {
  beforeEach(async () => {
    stores = await makeStores(engine);
    here = await stores.open();
  });

  it(`X02 ${REVOCATIONS} keys are revoked here: both refuse each within 2 s, and nine of ten within 1 s`, async () => {
    const keys = await storeKeys(here, stores.url, { count: REVOCATIONS });
    others = await Promise.all([startStoreProcess(stores.url), startStoreProcess(stores.url)]);
    const delays = [...(await delaysOf(keys, 2_000))].sort((one, other) => one - other);
    expect(delays).toHaveLength(REVOCATIONS);
    expect(delays[REVOCATIONS * 0.9 - 1]).toBeLessThan(1_000);
  });
});

onServer('a key that another instance has cached whose channel is silently dead, in PostgreSQL', () => {
  let proxy: StoreProxy;
  let api: StoreApi;
  let events: Eavesdropper;

  beforeEach(async () => {
    events = eavesdrop();
    stores = await makeStores('PostgreSQL');
    here = await stores.open();
    proxy = await startStoreProxy(stores.url);
    api = await serveStore(await stores.open({}, proxy.urlOf(stores.url)));
  });

  afterEach(async () => {
    events.stop();
    await api.close();
    await proxy.close();
  });

  it.each<[string, () => void]>([
    ['its packets are dropped', () => proxy.silence('listening')],
    ['it delivers nothing any more', () => proxy.deafen()],
  ])('X03 %s: T1 within 5 s', async (_how, strike) => {
    const keys = await storeKeys(here, stores.url, { count: 5 });
    for (const { text } of keys) expect(await api.status(text)).toBe(200);
    // Both say so: the one here, and the one behind the proxy.
    const listening = () =>
      events.heard<StoreWarning>('keyward:store').filter(({ warning }) => warning === 'listening');
    await eventually(() => listening().length === 2);
    strike();
    for (const { id, text } of keys) {
      await revoke(here, id);
      expect(await eventually(async () => (await api.status(text)) === 401)).toBeLessThan(5_000);
      expect(await api.answer(text)).toEqual(T1);
    }
  });
});
