import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Engine } from '../../../lib/store/engine.js';
import type { Repository, RepositoryTransaction } from '../../../lib/store/repository/repository.js';
import type { CreationRow, KeyRow, PublicKeyRow, SecretRow } from '../../../lib/store/tables.js';
import { makeRepository, type TestRepository } from '../../support/store-repository.js';
import { accountRow, keyRow, secretRow } from '../../support/stored-rows.js';
import { engines } from '../../support/test-stores.js';

const HOUR = 3_600_000;

function publicKeyRow(key: string, kid: string, created_at: number): PublicKeyRow {
  return {
    ...{ key_id: key, kid, jwk: `{"kid":"${kid}"}`, digest: `digest of ${kid}`, created_at },
    ...{ last_used_at: null, last_used_from: null },
  };
}

const creationRow = (idempotency_key: string, at: number, traits: Partial<CreationRow> = {}): CreationRow => ({
  ...{ account: 'acme', idempotency_key, request: `request ${idempotency_key}`, key_id: 'key_1', at },
  ...traits,
});

describe.each(engines)('a transaction in %s', (name) => {
  let test: TestRepository;
  let engine: Engine;
  let repository: Repository;

  beforeEach(async () => {
    test = await makeRepository(name);
    ({ engine, repository } = test);
    await repository.transact(async (tx) => {
      await tx.insertAccount(accountRow());
      await tx.insertAccount(accountRow({ id: 'other' }));
    });
  });
  afterEach(() => test.close());

  const transact = <T>(work: (tx: RepositoryTransaction) => Promise<T>) => repository.transact(work);
  const insertKey = (row: KeyRow, ...secrets: readonly SecretRow[]) => transact((tx) => tx.insertKey(row, secrets));
  const storedKey = (id: string) =>
    engine.lists.selectFrom('keys').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

  it('reads the clock of the database', async () => {
    const before = await transact((tx) => tx.now());
    expect(before).toBeGreaterThan(Date.UTC(2020));
    expect(await transact((tx) => tx.now())).toBeGreaterThanOrEqual(before);
  });

  describe('an account', () => {
    it('is read as it was inserted, with and without a lock', async () => {
      const row = accountRow({ id: 'new', apis: '["payments"]', platforms: '["shop"]', created_at: 7, version: 3 });
      await transact((tx) => tx.insertAccount(row));
      await transact(async (tx) => expect([await tx.account('new'), await tx.lockAccount('new')]).toEqual([row, row]));
    });

    it('that does not exist is undefined', async () => {
      await transact(async (tx) => {
        expect([await tx.account('none'), await tx.lockAccount('none')]).toEqual([undefined, undefined]);
      });
    });

    it('is updated only in the version that was read', async () => {
      expect(await transact((tx) => tx.updateAccount('acme', 1, { disabled_at: 5 }))).toBe(true);
      const updated = accountRow({ disabled_at: 5, version: 2 });
      for (const [id, version] of [
        ['acme', 1],
        ['acme', 3],
        ['none', 1],
      ] as const) {
        expect(await transact((tx) => tx.updateAccount(id, version, { disabled_at: 9 }))).toBe(false);
      }
      expect(await repository.accounts({ limit: 9 })).toEqual([updated, accountRow({ id: 'other' })]);
    });
  });

  describe('a key', () => {
    it('is read as it was inserted, with and without a lock', async () => {
      const row = keyRow({
        id: 'key_1',
        name: 'Stra\u00DFe',
        metadata: '{"a":"b"}',
        limits: '[]',
        expires_at: 9,
        version: 2,
      });
      const secrets = [secretRow('key_1', 'sk_one_1111'), secretRow('key_1', 'sk_two_2222', { created_at: 1 })];
      await insertKey(row, ...secrets);
      await transact(async (tx) => expect([await tx.key('key_1'), await tx.lockKey('key_1')]).toEqual([row, row]));
      expect(await transact((tx) => tx.secrets('key_1'))).toEqual(secrets);
      expect(await storedKey('key_1')).toEqual({
        ...{ ...row, search_text: 'STRASSE\nKEY_1\nSK_...1111\nSK_...2222', sort_name: 'STRASSE' },
        ...{ tokens_revoked: 0, tokens_superseded: 0 },
      });
    });

    it('that does not exist is undefined, and has no secrets and public keys', async () => {
      await transact(async (tx) => {
        expect([await tx.key('none'), await tx.lockKey('none')]).toEqual([undefined, undefined]);
        expect([await tx.secrets('none'), await tx.publicKeys('none')]).toEqual([[], []]);
      });
    });

    it('of many is inserted with its secret, its search text and its name for sorting', async () => {
      const rows = [keyRow({ id: 'key_1', name: 'Stra\u00DFe' }), keyRow({ id: 'key_2' })];
      const secret = secretRow('key_1', 'sk_one_1111');
      await transact((tx) => tx.insertKeys(rows, [secret]));
      const texts = [
        { search_text: 'STRASSE\nKEY_1\nSK_...1111', sort_name: 'STRASSE' },
        { search_text: '\nKEY_2\n', sort_name: 'KEY_2' },
      ];
      for (const [at, row] of rows.entries()) {
        expect(await storedKey(row.id)).toEqual({ ...row, ...texts[at], tokens_revoked: 0, tokens_superseded: 0 });
      }
      expect(await transact(async (tx) => [await tx.secrets('key_1'), await tx.secrets('key_2')])).toEqual([
        [secret],
        [],
      ]);
    });

    it('of an empty list is not inserted', async () => {
      await transact((tx) => tx.insertKeys([], []));
      expect(await engine.lists.selectFrom('keys').select('id').execute()).toEqual([]);
    });

    it('is updated only in the version that was read', async () => {
      await insertKey(keyRow({ id: 'key_1', name: 'before' }));
      await insertKey(keyRow({ id: 'key_2', name: 'before' }));
      expect(await transact((tx) => tx.updateKey('key_1', 1, { name: 'after', disabled_at: 5 }))).toBe(true);
      for (const [id, version] of [
        ['key_1', 1],
        ['key_1', 3],
        ['none', 1],
      ] as const) {
        expect(await transact((tx) => tx.updateKey(id, version, { name: 'late' }))).toBe(false);
      }
      const none = { tokens_revoked: 0, tokens_superseded: 0 };
      expect(await storedKey('key_1')).toEqual({
        ...keyRow({ id: 'key_1', name: 'after', disabled_at: 5, version: 2 }),
        ...{ search_text: 'AFTER\nKEY_1', sort_name: 'AFTER', ...none },
      });
      expect(await storedKey('key_2')).toEqual({
        ...keyRow({ id: 'key_2', name: 'before' }),
        ...{ search_text: 'BEFORE\nKEY_2', sort_name: 'BEFORE', ...none },
      });
    });
  });

  it.each<[string, number | null, Parameters<RepositoryTransaction['updateKey']>[2], number]>([
    ['a first time, no longer counts the tokens that were revoked one by one', null, { tokens_not_before: 50 }, 7],
    ['a later time, no longer counts them', 50, { tokens_not_before: 60 }, 7],
    ['the stored time, still counts them', 50, { tokens_not_before: 50 }, 3],
    ['the time 0 where none was stored, still counts them', null, { tokens_not_before: 0 }, 3],
    ['no time any more, still counts them', 50, { tokens_not_before: null }, 3],
    ['another field, still counts them', 50, { name: 'till' }, 3],
  ])('an edit that sets %s', async (_what, stored, edit, superseded) => {
    const row = keyRow({ id: 'ack_1', kind: 'access', apis: null, tokens_not_before: stored });
    await insertKey(row);
    await engine.transact((tx) =>
      tx.updateTable('keys').set({ tokens_revoked: 7, tokens_superseded: 3 }).where('id', '=', 'ack_1').execute(),
    );
    expect(await transact((tx) => tx.updateKey('ack_1', 1, edit))).toBe(true);
    expect(await storedKey('ack_1')).toMatchObject({
      ...{ ...row, ...edit, version: 2 },
      ...{ tokens_revoked: 7, tokens_superseded: superseded },
    });
  });

  describe('a secret', () => {
    const [one, two] = [secretRow('key_1', 'sk_one_1111'), secretRow('key_1', 'sk_two_2222', { created_at: 1 })];

    beforeEach(() => insertKey(keyRow({ id: 'key_1' }), one, two));

    const secrets = () => transact((tx) => tx.secrets('key_1'));
    const endedDigests = () => engine.lists.selectFrom('ended_digests').selectAll().execute();

    it('is listed with the others of its key, oldest first', async () => {
      const [older, newer] = [-1, 2].map((at) => secretRow('key_1', `sk_at_${at}`, { created_at: at }));
      if (older === undefined || newer === undefined) throw new Error('there are two');
      await transact(async (tx) => {
        await tx.insertSecret(newer);
        await tx.insertSecret(older);
      });
      expect(await secrets()).toEqual([older, one, two, newer]);
    });

    it('is accepted until a time', async () => {
      await transact((tx) => tx.acceptSecretUntil(one.digest, 70));
      expect(await secrets()).toEqual([{ ...one, retires_at: 70 }, two]);
    });

    it('is ended at a time', async () => {
      await transact((tx) => tx.endSecret(one.digest, 80));
      expect(await secrets()).toEqual([{ ...one, ended_at: 80 }, two]);
    });

    it('is deleted, but its digest stays stored', async () => {
      await transact((tx) => tx.deleteSecret(one.digest));
      expect([await secrets(), await endedDigests()]).toEqual([[two], [{ digest: one.digest, key_id: 'key_1' }]]);
    });

    it('with a digest that was ended before is deleted too', async () => {
      await transact((tx) => tx.deleteSecret(one.digest));
      await transact(async (tx) => {
        await tx.insertSecret(one);
        await tx.deleteSecret(one.digest);
      });
      expect([await secrets(), await endedDigests()]).toEqual([[two], [{ digest: one.digest, key_id: 'key_1' }]]);
    });

    it('that does not exist is not changed, ended or deleted', async () => {
      await transact(async (tx) => {
        await tx.acceptSecretUntil('none', 70);
        await tx.endSecret('none', 80);
        await tx.deleteSecret('none');
      });
      expect([await secrets(), await endedDigests()]).toEqual([[one, two], []]);
    });

    it('is known by its digest with the account and kind of its key, even if it was deleted', async () => {
      const third = secretRow('ack_3', 'cs_three_3333');
      await insertKey(keyRow({ id: 'ack_3', kind: 'access', account: 'other', apis: null }), third);
      await transact((tx) => tx.deleteSecret(third.digest));
      const known = await transact((tx) => tx.knownDigests([one.digest, third.digest, 'none']));
      expect(known).toEqual(
        new Map([
          [one.digest, { account: 'acme', kind: 'secret' }],
          [third.digest, { account: 'other', kind: 'access' }],
        ]),
      );
      expect(await transact((tx) => tx.knownDigests([]))).toEqual(new Map());
      expect(await transact((tx) => tx.knownDigests(['none']))).toEqual(new Map());
    });
  });

  describe('a public key', () => {
    beforeEach(async () => {
      for (const id of ['ack_1', 'ack_2']) await insertKey(keyRow({ id, kind: 'access', apis: null }));
    });

    it('is listed with the others of its access key, oldest first, until it is deleted', async () => {
      const [older, newer] = [publicKeyRow('ack_1', 'older', 1), publicKeyRow('ack_1', 'newer', 2)];
      const other = publicKeyRow('ack_2', 'other', 0);
      await transact(async (tx) => {
        for (const row of [newer, other, older]) await tx.insertPublicKey(row);
      });
      const listed = () => transact(async (tx) => [await tx.publicKeys('ack_1'), await tx.publicKeys('ack_2')]);
      expect(await listed()).toEqual([[older, newer], [other]]);
      await transact((tx) => tx.deletePublicKey('none'));
      expect(await listed()).toEqual([[older, newer], [other]]);
      await transact((tx) => tx.deletePublicKey(older.digest));
      expect(await listed()).toEqual([[newer], [other]]);
    });
  });

  describe('a request with an idempotency key', () => {
    beforeEach(() => insertKey(keyRow({ id: 'key_1' })));

    const stored = async (account = 'acme') =>
      (
        await engine.lists.selectFrom('creations').selectAll().where('account', '=', account).orderBy('at').execute()
      ).map(({ idempotency_key, at }) => [idempotency_key, at]);

    it('is found by its account and idempotency key', async () => {
      const row = creationRow('a', 5);
      await transact(async (tx) => {
        await tx.insertCreation(row, 0);
        await tx.insertCreation(creationRow('b', 6, { account: 'other' }), 0);
        expect(await tx.creation('acme', 'a')).toEqual(row);
        for (const [account, key] of [
          ['acme', 'b'],
          ['other', 'a'],
        ] as const) {
          expect(await tx.creation(account, key)).toBeUndefined();
        }
      });
    });

    it('deletes only outdated requests of its account', async () => {
      await transact(async (tx) => {
        await tx.insertCreation(creationRow('old', 9), 0);
        await tx.insertCreation(creationRow('kept', 10), 0);
        await tx.insertCreation(creationRow('old', 8, { account: 'other' }), 0);
        await tx.insertCreation(creationRow('new', HOUR), 10);
      });
      expect(await stored()).toEqual([
        ['kept', 10],
        ['new', HOUR],
      ]);
      expect(await stored('other')).toEqual([['old', 8]]);
    });

    it('deletes the 100 oldest requests, and an outdated one with the same idempotency key', async () => {
      await engine.transact(async (tx) => {
        // They are inserted newest first: the oldest are not the first of the table.
        const rows = Array.from({ length: 105 }, (_, at) => creationRow(`old ${at}`, at)).reverse();
        await tx.insertInto('creations').values(rows).execute();
      });
      await transact((tx) => tx.insertCreation(creationRow('old 102', HOUR), 1_000));
      expect(await stored()).toEqual([
        ['old 100', 100],
        ['old 101', 101],
        ['old 103', 103],
        ['old 104', 104],
        ['old 102', HOUR],
      ]);
    });

    it('is a conflict if the idempotency key is stored and not outdated', async () => {
      await transact((tx) => tx.insertCreation(creationRow('a', 10), 0));
      await expect(transact((tx) => tx.insertCreation(creationRow('a', HOUR), 10))).rejects.toMatchObject({
        code: 'store_conflict',
      });
      expect(await stored()).toEqual([['a', 10]]);
    });
  });

  describe('the audit log', () => {
    const refusal = (traits: { subject?: string | null; code?: string; at?: number } = {}) => ({
      ...{ at: 120_000, account: 'acme', actor: 'ada', role: 'owner', action: 'key.edit', subject: 'key_1' },
      ...{ origin: '192.0.2.1', code: 'not_found' },
      ...traits,
    });
    const listed = async () => (await repository.audit({ limit: 99 })).map(({ id: _id, ...entry }) => entry);
    const refusals = () => engine.lists.selectFrom('refusals').selectAll().orderBy('key_id').execute();

    it('gets an entry with all its columns', async () => {
      const entry = {
        ...{ at: 5, account: 'acme', actor: 'ada', role: 'owner', action: 'key.edit', outcome: 'done' },
        ...{ subject: 'key_1', before: '{"name":"a"}', after: '{"name":"b"}', origin: '192.0.2.1' },
      };
      await transact((tx) => tx.audit(entry));
      expect(await listed()).toEqual([{ ...entry, refusals: null }]);
    });

    it('counts equal refusals of one minute in one entry', async () => {
      await insertKey(keyRow({ id: 'key_1' }));
      await insertKey(keyRow({ id: 'key_2', account: 'other' }));
      const { code, ...common } = refusal();
      const entry = { ...common, outcome: 'refused', before: null };
      for (const traits of [
        {},
        { at: 179_999 },
        { at: 180_000 },
        { code: 'forbidden' },
        { subject: null },
        { subject: 'key_2' },
        { subject: 'none' },
      ]) {
        await transact((tx) => tx.auditRefusal(refusal(traits)));
      }
      const after = JSON.stringify({ refused: code });
      expect(await listed()).toEqual([
        { ...entry, subject: null, after, refusals: 3 },
        { ...entry, after: '{"refused":"forbidden"}', refusals: 1 },
        { ...entry, at: 180_000, after, refusals: 1 },
        { ...entry, after, refusals: 2 },
      ]);
      const counted = (await refusals()).map(({ entry: _entry, account, actor, action, ...row }) => row);
      expect(counted).toHaveLength(4);
      expect(counted).toEqual(
        expect.arrayContaining([
          { code, key_id: '', minute: 2, count: 3 },
          { code, key_id: 'key_1', minute: 2, count: 2 },
          { code, key_id: 'key_1', minute: 3, count: 1 },
          { code: 'forbidden', key_id: 'key_1', minute: 2, count: 1 },
        ]),
      );
    });
  });
});
