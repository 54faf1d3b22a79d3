import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CredentialStore } from 'keyward/store';
import { digestOf } from '../../lib/credentials/digest.js';
import { mintKey } from '../../lib/credentials/keyward-format.js';
import type { AccountRow, KeyRow, SecretRow } from '../../lib/store/tables.js';
import { makeStores, type Stores } from '../support/store-places.js';
import { accountRow, keyRow, secretRow } from '../support/stored-rows.js';
import { engines } from '../support/test-stores.js';

const DAY = 86_400_000;
const BORN = 1_800_000_000_000;
const ACCESS: Partial<KeyRow> = { apis: null, scopes: '[]', default_scopes: '[]' };
const presented = (text: string) => ({
  digest: digestOf(text),
  kind: 'secret' as const,
  environment: 'live' as const,
  reveal: () => text,
});

describe.each(engines)('a store in %s', (engine) => {
  let stores: Stores;
  let store: CredentialStore;

  beforeAll(async () => {
    stores = await makeStores(engine);
    store = await stores.open();
  });

  afterAll(() => stores.close());

  /** Puts a key into an account of its own. */
  async function put(traits: Partial<KeyRow>, account: Partial<AccountRow>, secrets: (key: string) => SecretRow[]) {
    const id = randomUUID();
    const row = keyRow({
      ...(traits.kind === 'access' ? ACCESS : {}),
      id: `key_${id}`,
      account: `acc_${id}`,
      ...traits,
    });
    await store.repository.transact(async (tx) => {
      await tx.insertAccount(accountRow({ id: row.account, ...account }));
      await tx.insertKey(row, secrets(row.id));
    });
    return row;
  }

  async function find(traits: Partial<KeyRow>, account: Partial<AccountRow> = {}, secret: Partial<SecretRow> = {}) {
    const text = mintKey('secret', 'live');
    await put(traits, account, (key) => [secretRow(key, text, secret)]);
    return await store.resolveKey(presented(text));
  }

  async function findAccess(traits: Partial<KeyRow>, account: Partial<AccountRow> = {}) {
    const { id } = await put({ kind: 'access', ...traits }, account, () => []);
    return await store.resolveAccessKey(id);
  }

  it('returns an API key as it was written, with every field', async () => {
    const row: Partial<KeyRow> = {
      ...{ id: 'key_1', account: 'acme', environment: 'live', name: 'Till 4 – "Café" ' },
      ...{ apis: '["payments","disputes"]', scopes: '["payments:refund"]', channels: '["pc_1"]', platform: 'shop' },
      ...{ created_at: BORN, expires_at: BORN + DAY, revoked_at: BORN + 2 * DAY, disabled_at: BORN + 3 * DAY },
      ...{ metadata: '{"plan":"gold"}', allowed_addresses: '["10.0.0.0/8"]', limits: '[{"requests":1,"seconds":2}]' },
    };
    expect(await find(row)).toEqual({
      ...{ id: 'key_1', kind: 'secret', account: 'acme', environment: 'live', name: 'Till 4 – "Café" ' },
      ...{ apis: ['payments', 'disputes'], scopes: ['payments:refund'], channels: ['pc_1'], platform: 'shop' },
      ...{ createdAt: new Date(BORN), expiresAt: new Date(BORN + DAY), revokedAt: new Date(0) },
      ...{ acceptedUntil: null, disabled: true, metadata: { plan: 'gold' }, allowedAddresses: ['10.0.0.0/8'] },
      limits: [{ requests: 1, seconds: 2 }],
    });
  });

  it('returns missing settings of a key as undefined', async () => {
    const record = await find({ id: 'key_2', account: 'bolt' });
    expect(record).toEqual({
      ...{ id: 'key_2', kind: 'secret', account: 'bolt', environment: 'live', name: null },
      ...{ apis: 'all', scopes: null, channels: 'all', platform: null },
      ...{ metadata: null, allowedAddresses: null, limits: null },
      ...{ createdAt: new Date(0), expiresAt: null, acceptedUntil: null, revokedAt: null, disabled: false },
    });
  });

  it('returns an access key as it was written, with both secrets', async () => {
    const row: Partial<KeyRow> = {
      ...{ id: 'ack_1', kind: 'access', account: 'coil', environment: 'sandbox', name: 'Backend' },
      ...{ scopes: '["payments","disputes"]', default_scopes: '["payments"]', channels: '["pc_1","pc_2"]' },
      ...{ created_at: BORN, expires_at: BORN + DAY, tokens_not_before: BORN + 1, require_confirmation: 'any' },
    };
    const [old, young] = ['the old secret', 'the young secret'];
    const ended = 'an ended secret';
    await put(row, {}, (key) => [
      ...[secretRow(key, old, { retires_at: BORN + 7 }), secretRow(key, young)],
      secretRow(key, ended, { ended_at: BORN }),
    ]);
    const publicKeys = [
      { kty: 'OKP', crv: 'Ed25519', x: 'a,b', kid: 'second' },
      { kty: 'RSA', kid: 'first' },
    ];
    await store.repository.transact(async (tx) => {
      for (const [index, jwk] of publicKeys.entries()) {
        await tx.insertPublicKey({
          ...{ key_id: 'ack_1', kid: jwk.kid, jwk: JSON.stringify(jwk), digest: digestOf(jwk.kid) },
          ...{ created_at: BORN + index, last_used_at: null, last_used_from: null },
        });
      }
    });
    const { secrets, ...record } = (await store.resolveAccessKey('ack_1')) ?? { secrets: [] };
    expect(record).toEqual({
      ...{ id: 'ack_1', account: 'coil', environment: 'sandbox', name: 'Backend', platform: null },
      ...{ metadata: null, allowedAddresses: null, limits: null },
      ...{ scopes: ['payments', 'disputes'], defaultScopes: ['payments'], channels: ['pc_1', 'pc_2'] },
      ...{ createdAt: new Date(BORN), expiresAt: new Date(BORN + DAY), tokensNotBefore: new Date(BORN + 1) },
      ...{ revokedAt: null, disabled: false, formerSecrets: [digestOf(ended)], publicKeys, requireConfirmation: true },
    });
    expect(secrets).toHaveLength(2);
    expect(secrets).toEqual(
      expect.arrayContaining([
        { digest: digestOf(old), expiresAt: new Date(BORN + 7) },
        { digest: digestOf(young), expiresAt: null },
      ]),
    );
  });

  it('does not find an unknown key', async () => {
    expect(await store.resolveKey(presented('sk_nobody'))).toBeUndefined();
    expect(await store.resolveAccessKey('ack_nobody')).toBeUndefined();
  });

  it('does not find a client secret as an API key, or the reverse', async () => {
    const text = 'the secret of an access key';
    await put({ kind: 'access' }, {}, (key) => [secretRow(key, text)]);
    const { id } = await put({ kind: 'secret' }, {}, () => []);
    expect(await store.resolveKey(presented(text))).toBeUndefined();
    expect(await store.resolveAccessKey(id)).toBeUndefined();
  });

  it('finds an access key without secrets', async () => {
    expect(await findAccess({})).toMatchObject({ secrets: [] });
  });

  it('returns the end of the presented secret and the end of its key separately', async () => {
    const record = await find({ expires_at: BORN + DAY }, {}, { retires_at: BORN });
    expect(record).toMatchObject({ expiresAt: new Date(BORN + DAY), acceptedUntil: new Date(BORN) });
  });

  describe('limits a key to what its account has', () => {
    const both = ['payments', 'disputes'];
    it.each([
      ['a list within a list', '["payments","disputes"]', '["disputes","reports"]', ['disputes']],
      ['all within a list', '"all"', '["payments","disputes"]', both],
      ['a list within all', '["payments","disputes"]', '"all"', both],
      ['all within all', '"all"', '"all"', 'all'],
      ['a list within nothing', '["payments"]', '[]', []],
    ] as const)('APIs and channels: %s', async (_what, own, ofAccount, held) => {
      const columns = { apis: ofAccount, channels: ofAccount };
      expect(await find({ apis: own, channels: own }, columns)).toMatchObject({ apis: held, channels: held });
    });

    it('scopes of an API key', async () => {
      const account = { scopes: '["payments"]' };
      expect(await find({ scopes: '["payments","disputes"]' }, account)).toMatchObject({ scopes: ['payments'] });
    });

    it('scopes of an access key, also its default scopes, and its channels', async () => {
      const row = { scopes: '["payments","disputes"]', default_scopes: '["disputes"]', channels: '"all"' };
      const account = { scopes: '["payments"]', channels: '["pc_1"]' };
      expect(await findAccess(row, account)).toMatchObject({
        ...{ scopes: ['payments'], defaultScopes: [], channels: ['pc_1'] },
      });
    });

    it('validity: an API key and an access key of a disabled account are disabled', async () => {
      expect(await find({}, { disabled_at: BORN })).toMatchObject({ disabled: true });
      expect(await findAccess({}, { disabled_at: BORN })).toMatchObject({ disabled: true });
    });

    it('a platform key that loses its only channel is disabled, because its record would be invalid', async () => {
      const row = { channels: '["pc_1"]', platform: 'shop' };
      const cut = { channels: '["pc_2"]' };
      expect(await find(row, cut)).toMatchObject({ channels: ['pc_1'], disabled: true });
      expect(await findAccess(row, cut)).toMatchObject({ channels: ['pc_1'], disabled: true });
    });
  });
});
