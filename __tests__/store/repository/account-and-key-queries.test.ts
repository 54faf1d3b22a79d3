import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Kysely } from 'kysely';
import { secretsOf } from '../../../lib/store/repository/account-and-key-queries.js';
import type { KeyFilter, Repository } from '../../../lib/store/repository/repository.js';
import type { PublicKeyRow, Tables } from '../../../lib/store/tables.js';
import { makeRepository, type TestRepository } from '../../support/store-repository.js';
import { accountRow, keyRow, secretRow } from '../../support/stored-rows.js';
import { engines } from '../../support/test-stores.js';

const NOW = 1_000;

const publicKeyRow = (key: string, kid: string, created_at: number): PublicKeyRow => ({
  ...{ key_id: key, kid, jwk: `{"kid":"${kid}"}`, digest: `digest of ${key} ${kid}`, created_at },
  ...{ last_used_at: null, last_used_from: null },
});

async function insertKeys(repository: Repository, ...rows: readonly Parameters<typeof keyRow>[0][]): Promise<void> {
  await repository.transact(async (tx) => {
    for (const traits of rows) {
      const row = keyRow(traits);
      await tx.insertKey(row, [secretRow(row.id, `sk_${row.id}`)]);
    }
  });
}

async function insertAccounts(repository: Repository): Promise<void> {
  await repository.transact(async (tx) => {
    for (const id of ['b', 'acme', 'c']) await tx.insertAccount(accountRow({ id }));
  });
}

it('the secrets of no keys are found without a query, because PostgreSQL refuses an empty list', async () => {
  expect(await secretsOf({} as Kysely<Tables>, [])).toEqual([]);
});

describe.each(engines)('a repository in %s', (name) => {
  let test: TestRepository;
  let repository: Repository;

  beforeEach(async () => {
    test = await makeRepository(name);
    ({ repository } = test);
    await insertAccounts(repository);
  });
  afterEach(() => test.close());

  it('returns an account, and undefined if none has the id', async () => {
    expect(await repository.account('acme')).toEqual(accountRow());
    expect(await repository.account('none')).toBeUndefined();
  });

  it('lists accounts by id, after an id, and at most as many as the limit', async () => {
    const [acme, b, c] = ['acme', 'b', 'c'].map((id) => accountRow({ id }));
    expect(await repository.accounts({ limit: 9 })).toEqual([acme, b, c]);
    expect(await repository.accounts({ limit: 2 })).toEqual([acme, b]);
    expect(await repository.accounts({ after: 'acme', limit: 9 })).toEqual([b, c]);
    expect(await repository.accounts({ after: 'c', limit: 9 })).toEqual([]);
  });

  it('returns a key with its secrets and public keys, oldest first, and undefined if none has the id', async () => {
    const row = keyRow({ id: 'ack_1', kind: 'access', apis: null });
    const secrets = [secretRow('ack_1', 'cs_old'), secretRow('ack_1', 'cs_new', { created_at: 1 })];
    const publicKeys = [publicKeyRow('ack_1', 'old', 1), publicKeyRow('ack_1', 'new', 2)];
    await insertKeys(repository, { id: 'key_2' });
    await repository.transact(async (tx) => {
      await tx.insertKey(row, [...secrets].reverse());
      for (const publicKey of [...publicKeys].reverse()) await tx.insertPublicKey(publicKey);
    });
    expect(await repository.key('ack_1')).toEqual({ key: row, secrets, publicKeys });
    expect(await repository.key('none')).toBeUndefined();
  });

  it('returns the names of keys of one account', async () => {
    await insertKeys(
      repository,
      { id: 'key_1', name: 'Till' },
      { id: 'key_2' },
      { id: 'key_3' },
      { id: 'key_4', account: 'b' },
    );
    const names = await repository.keyNames('acme', ['key_1', 'key_2', 'key_4', 'none']);
    expect([...names].sort((one, other) => (one.id < other.id ? -1 : 1))).toEqual([
      { id: 'key_1', name: 'Till' },
      { id: 'key_2', name: null },
    ]);
    expect(await repository.keyNames('acme', [])).toEqual([]);
  });

  it('returns the key of a digest, even if the secret was deleted', async () => {
    await insertKeys(repository, { id: 'key_1' }, { id: 'key_2' });
    const [{ digest: stored }, { digest: deleted }] = [secretRow('', 'sk_key_1'), secretRow('', 'sk_key_2')];
    await repository.transact((tx) => tx.deleteSecret(deleted));
    expect([await repository.keyOfDigest(stored), await repository.keyOfDigest(deleted)]).toEqual(['key_1', 'key_2']);
    expect(await repository.keyOfDigest('none')).toBeUndefined();
  });

  it('lists each key with its own secrets and public keys, and its place', async () => {
    const rows = ['ack_1', 'ack_2'].map((id, at) => keyRow({ id, kind: 'access', apis: null, created_at: at }));
    await repository.transact(async (tx) => {
      for (const row of rows) {
        await tx.insertKey(row, [secretRow(row.id, `cs_${row.id}`)]);
        for (const at of [1, 2]) await tx.insertPublicKey(publicKeyRow(row.id, `kid ${at}`, at));
      }
    });
    const sort = { by: 'created', isDescending: true } as const;
    const page = await repository.keys({ account: 'acme', kinds: ['access'], now: NOW, limit: 9, sort });
    expect(page).toEqual(
      [...rows].reverse().map((key) => ({
        ...{ key, secrets: [secretRow(key.id, `cs_${key.id}`)] },
        publicKeys: [publicKeyRow(key.id, 'kid 1', 1), publicKeyRow(key.id, 'kid 2', 2)],
        place: { value: key.created_at, id: key.id },
      })),
    );
  });
});

describe.each(engines)('a list of keys in %s', (name) => {
  let test: TestRepository;

  beforeAll(async () => {
    test = await makeRepository(name);
    await insertAccounts(test.repository);
    await insertKeys(
      test.repository,
      { id: '1_active' },
      { id: '2_expires_later', expires_at: NOW + 1 },
      { id: '3_disabled', disabled_at: 5 },
      { id: '4_disabled_expires_later', disabled_at: 5, expires_at: NOW + 1 },
      { id: '5_expired', expires_at: NOW },
      { id: '6_disabled_expired', disabled_at: 5, expires_at: NOW - 1 },
      { id: '7_revoked', revoked_at: 5 },
      { id: '8_revoked_disabled_expired', revoked_at: 5, disabled_at: 5, expires_at: NOW },
      { id: '9_of_other_account', account: 'b' },
    );
    await insertKeys(
      test.repository,
      { account: 'c', id: '1', created_at: 10 },
      {
        account: 'c',
        id: '2',
        kind: 'public',
        environment: 'sandbox',
        name: 'Till',
        apis: '["b","a"]',
        created_at: 20,
        used_at: 20,
      },
      { account: 'c', id: '3', kind: 'access', apis: null, created_at: 25 },
      { account: 'c', id: '4', apis: '["aa"]', created_at: 30, used_at: 40 },
    );
  });
  afterAll(() => test.close());

  const listed = async (filter: Partial<KeyFilter>) => {
    const sort = { by: 'created', isDescending: false } as const;
    const page = await test.repository.keys({
      ...{ account: 'acme', kinds: ['secret', 'public'], now: NOW, limit: 9, sort },
      ...filter,
    });
    return page.map(({ key }) => key.id);
  };

  it.each<[KeyFilter['state'], readonly string[]]>([
    ['active', ['1_active', '2_expires_later']],
    ['disabled', ['3_disabled', '4_disabled_expires_later']],
    ['expired', ['5_expired', '6_disabled_expired']],
    ['revoked', ['7_revoked', '8_revoked_disabled_expired']],
    [
      undefined,
      [
        ...['1_active', '2_expires_later', '3_disabled', '4_disabled_expires_later'],
        ...['5_expired', '6_disabled_expired'],
      ],
    ],
  ])('selects keys in the state %s', async (state, expected) => {
    expect(await listed({ state })).toEqual(expected);
  });

  it.each<[string, Partial<KeyFilter>, readonly string[]]>([
    ['a kind', { kinds: ['public'] }, ['2']],
    ['two kinds', { kinds: ['secret', 'public'] }, ['1', '2', '4']],
    ['access keys', { kinds: ['access'] }, ['3']],
    ['an environment', { environment: 'sandbox' }, ['2']],
    ['an API that a key names, or has because it has all', { api: 'a' }, ['1', '2']],
    ['an API whose name is a part of another name', { api: 'aa' }, ['1', '4']],
    ['a text in the name', { text: 'till' }, ['2']],
    ['a time since which it was not used', { unusedSince: 20 }, ['1']],
    ['a later time since which it was not used', { unusedSince: 21 }, ['1', '2']],
    ['a place in the list', { after: { value: 10, id: '1' } }, ['2', '4']],
    [
      'a place in the descending list',
      { after: { value: 30, id: '4' }, sort: { by: 'created', isDescending: true } },
      ['2', '1'],
    ],
    ['the order of uses', { sort: { by: 'used', isDescending: false } }, ['1', '2', '4']],
    ['the descending order of names', { sort: { by: 'name', isDescending: true } }, ['2', '4', '1']],
  ])('selects keys by %s', async (_what, filter, expected) => {
    expect(await listed({ account: 'c', ...filter })).toEqual(expected);
  });
});
