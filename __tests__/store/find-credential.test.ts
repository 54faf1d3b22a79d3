import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CredentialStore } from 'keyward/store';
import { digestOf } from '../../lib/credentials/digest.js';
import { onDatabase, WITHOUT_CONSTRAINTS } from '../support/store-database.js';
import { makeStores, type Stores, storeKey } from '../support/store-places.js';
import { secretRow } from '../support/stored-rows.js';
import { engines, sharedEngines } from '../support/test-stores.js';

const ACCESS_KEY = { id: 'ack_1', kind: 'access', apis: null, scopes: '["payments"]' } as const;

const presented = (text: string) =>
  ({ digest: digestOf(text), kind: 'secret', environment: 'live', reveal: () => text }) as const;

describe.each(engines)('a lookup in %s', (engine) => {
  let stores: Stores;
  let store: CredentialStore;

  beforeEach(async () => {
    stores = await makeStores(engine);
    store = await stores.open();
  });
  afterEach(() => stores.close());

  it('finds every secret of an access key, with those that were ended', async () => {
    const { text } = await storeKey(store, ACCESS_KEY);
    await store.repository.transact(async (tx) => {
      await tx.insertSecret(secretRow('ack_1', 'ended', { ended_at: 1 }));
      await tx.insertSecret(secretRow('ack_1', 'retiring', { retires_at: 5 }));
    });
    const record = await store.resolveAccessKey('ack_1');
    const secrets = [...(record?.secrets ?? [])].sort((a, b) => Number(a.expiresAt) - Number(b.expiresAt));
    expect(secrets).toEqual([
      { digest: digestOf(text), expiresAt: null },
      { digest: digestOf('retiring'), expiresAt: new Date(5) },
    ]);
    expect(record?.formerSecrets).toEqual([digestOf('ended')]);
  });

  it('finds an access key that has no secret', async () => {
    const { text } = await storeKey(store, ACCESS_KEY);
    await store.repository.transact((tx) => tx.deleteSecret(digestOf(text)));
    expect(await store.resolveAccessKey('ack_1')).toStrictEqual({
      id: 'ack_1',
      account: 'acme',
      environment: 'live',
      channels: 'all',
      platform: null,
      createdAt: new Date(0),
      revokedAt: null,
      disabled: false,
      name: null,
      metadata: null,
      allowedAddresses: null,
      limits: null,
      secrets: [],
      formerSecrets: [],
      scopes: ['payments'],
      defaultScopes: [],
      publicKeys: null,
      requireConfirmation: null,
      tokensNotBefore: null,
      revokedTokens: undefined,
      expiresAt: null,
    });
  });

  it('finds no API key by the secret of an access key, and no access key by the id of an API key', async () => {
    const [client, key] = [await storeKey(store, ACCESS_KEY), await storeKey(store, { id: 'key_1' })];
    expect(await store.resolveKey(presented(client.text))).toBeUndefined();
    expect(await store.resolveAccessKey('key_1')).toBeUndefined();
    expect(await store.resolveKey(presented(key.text))).toMatchObject({ id: 'key_1', kind: 'secret' });
    expect(await store.resolveAccessKey('ack_1')).toMatchObject({ id: 'ack_1' });
  });

  it('finds nothing that is not stored', async () => {
    expect(await store.resolveKey(presented('x'))).toBeUndefined();
    expect(await store.resolveAccessKey('ack_2')).toBeUndefined();
  });
});

describe.each(sharedEngines)('a lookup in %s that has lost its constraints', (engine) => {
  it('refuses two rows with one digest', async () => {
    const stores = await makeStores(engine);
    try {
      const store = await stores.open();
      const { text, id } = await storeKey(store);
      await onDatabase(
        stores.url,
        ...WITHOUT_CONSTRAINTS,
        `insert into secrets (digest, key_id, hint, created_at) values ('${digestOf(text)}', '${id}', 'x', 0)`,
      );
      await expect(store.resolveKey(presented(text))).rejects.toMatchObject({ code: 'store_unusable' });
    } finally {
      await stores.close();
    }
  });
});
