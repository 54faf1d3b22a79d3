import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CredentialStore } from 'keyward/store';
import type { KeyRow } from '../../lib/store/tables.js';
import { A5, T1 } from '../support/answers.js';
import { type StoreApi, serveStore } from '../support/store-api.js';
import { makeStores, revoke, type Stores, storeKey } from '../support/store-places.js';
import { eventually } from '../support/store-wait.js';
import { engines } from '../support/test-stores.js';

const SOON = Date.now() + 3_600_000;

let stores: Stores;
let here: CredentialStore;
let apiHere: StoreApi;
/** That one, and another process's, where there may be one. */
let apis: readonly StoreApi[];

async function closeAll(): Promise<void> {
  await Promise.all(apis.map((api) => api.close()));
  await stores.close();
}

async function edit(id: string, columns: Partial<KeyRow>): Promise<void> {
  await here.repository.transact(async (tx) => {
    const row = await tx.key(id);
    expect(await tx.updateKey(id, row?.version ?? 0, columns)).toBe(true);
    tx.notify({ key: id });
  });
}

describe.each(engines)('an API over a store in %s', (engine) => {
  beforeAll(async () => {
    stores = await makeStores(engine);
    here = await stores.open();
    apiHere = await serveStore(here);
    apis = engine === 'memory' ? [apiHere] : [apiHere, await serveStore(await stores.open())];
  });

  afterAll(closeAll);

  /** Here at once, elsewhere within 5 s. */
  async function holdsEverywhere(holds: (api: StoreApi) => Promise<boolean>): Promise<void> {
    expect(await holds(apiHere)).toBe(true);
    for (const api of apis) await eventually(() => holds(api));
  }

  const statuses = (credential: string) => Promise.all(apis.map((api) => api.status(credential)));
  const allAccepted = () => apis.map(() => 200);

  it.each([
    ['apis', { apis: '["disputes"]' }, { apis: ['disputes'] }],
    ['channel', { channels: '["pc_2"]' }, { channels: ['pc_2'] }],
    ['expiresAt', { expires_at: SOON }, { expiresAt: SOON / 1_000 }],
  ])(
    'X22 an edit of %s takes effect here immediately, elsewhere within the time limit',
    async (_field, columns, expected) => {
      const { id, text } = await storeKey(here, { apis: '["payments"]', channels: '["pc_1"]' });
      for (const api of apis)
        expect(await api.principal(text)).toMatchObject({ apis: ['payments'], channels: ['pc_1'] });
      await edit(id, columns);
      await holdsEverywhere(async (api) => {
        const seen = JSON.stringify(Object.entries(await api.principal(text)));
        return Object.entries(expected).every((member) => seen.includes(JSON.stringify(member)));
      });
    },
  );

  it('X22 an edit of expiresAt to a past time ends the key', async () => {
    const { id, text } = await storeKey(here);
    expect(await statuses(text)).toEqual(allAccepted());
    await edit(id, { expires_at: Date.now() });
    await holdsEverywhere(async (api) => (await api.status(text)) === 401);
    expect(await apiHere.answer(text)).toEqual(T1);
  });

  it('X22 env cannot be edited: a record whose environment differs from that of the key is refused', async () => {
    const { id, text } = await storeKey(here);
    expect(await statuses(text)).toEqual(allAccepted());
    await edit(id, { environment: 'sandbox' });
    await holdsEverywhere(async (api) => (await api.status(text)) === 503);
    expect(await apiHere.answer(text)).toEqual(A5);
  });

  it('X22 an edit of name is visible here and elsewhere', async () => {
    const { id } = await storeKey(here, { kind: 'access', scopes: '[]', default_scopes: '[]', name: 'old' });
    await edit(id, { name: 'new' });
    for (const store of engine === 'memory' ? [here] : [here, await stores.open()]) {
      expect(await store.resolveAccessKey(id)).toMatchObject({ name: 'new' });
    }
  });

  it('a revoked key is refused here from the next request on, elsewhere within the time limit', async () => {
    const { id, text } = await storeKey(here);
    expect(await statuses(text)).toEqual(allAccepted());
    await revoke(here, id);
    await holdsEverywhere(async (api) => (await api.status(text)) === 401);
    expect(await apiHere.answer(text)).toEqual(T1);
  });

  it('a token is refused when its access key is revoked, here immediately and elsewhere within the time limit', async () => {
    const { id } = await storeKey(here, { kind: 'access', scopes: '["payments"]', default_scopes: '["payments"]' });
    const token = apiHere.token(id);
    expect(await statuses(token)).toEqual(allAccepted());
    await revoke(here, id);
    await holdsEverywhere(async (api) => (await api.status(token)) === 401);
    expect(await apiHere.answer(token)).toEqual(T1);
  });
});
