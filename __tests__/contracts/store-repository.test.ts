import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type CredentialStore, StoreError } from 'keyward/store';
import type { RepositoryTransaction } from '../../lib/store/repository/repository.js';
import type { AuditRow } from '../../lib/store/tables.js';
import { onDatabase } from '../support/store-database.js';
import { type HeardFeed, listenTo } from '../support/store-listener.js';
import { makeStores, type Stores } from '../support/store-places.js';
import { eventually } from '../support/store-wait.js';
import { accountRow, addKey, keyRow, secretRow } from '../support/stored-rows.js';
import { engines } from '../support/test-stores.js';

const ENTRY: Omit<AuditRow, 'id'> = {
  ...{ at: 7, account: 'acme', actor: 'ada', role: 'owner', action: 'key.create', outcome: 'done' },
  ...{ subject: 'key_1', before: null, after: '{"name":"Till"}', origin: '192.0.2.1' },
};

const COLUMNS = 'id, at, account, actor, action, outcome';
const REPLACED = `select id, at, account, 'nobody', action, outcome from audit`;

describe.each(engines)('the repository in %s', (engine) => {
  let stores: Stores;
  let store: CredentialStore;
  let heard: HeardFeed;

  beforeEach(async () => {
    stores = await makeStores(engine);
    store = await stores.open();
    await store.repository.transact((tx) => tx.insertAccount(accountRow()));
    heard = listenTo(store);
  });

  afterEach(() => stores.close());

  const transact = <T>(work: (tx: RepositoryTransaction) => Promise<T>) => store.repository.transact(work);
  const changesOfKeys = () => heard.changes.filter((change) => change !== 'all');

  it('returns the current secret of a key last, if several were created in the same millisecond', async () => {
    const texts = ['one', 'two', 'three', 'four'];
    // The current secret has the lowest digest, and the others have an end.
    const [current, ended, retiring, other] = texts
      .map((text) => secretRow('key_1', text))
      .toSorted((a, b) => (a.digest < b.digest ? -1 : 1));
    await transact(async (tx) => {
      await tx.insertKey(keyRow({ id: 'key_1' }), [
        ...(current ? [current] : []),
        ...(ended ? [{ ...ended, ended_at: 5 }] : []),
        ...(retiring ? [{ ...retiring, retires_at: 5 }] : []),
        ...(other ? [{ ...other, created_at: -1 }] : []),
      ]);
    });
    const digests = (await store.repository.key('key_1'))?.secrets.map(({ digest }) => digest);
    expect(digests).toEqual([other, ended, retiring, current].map((row) => row?.digest));
  });

  it('returns the result of the work, after notifying its changes in order', async () => {
    const work = transact(async (tx) => {
      tx.notify({ key: 'a' });
      tx.notify({ accessKey: 'b' });
      tx.notify({ account: 'c' });
      return 'done';
    });
    expect(await work).toBe('done');
    expect(changesOfKeys().slice(0, 3)).toEqual([{ key: 'a' }, { accessKey: 'b' }, { account: 'c' }]);
  });

  it('reads within a transaction what the same transaction wrote', async () => {
    await transact(async (tx) => {
      await tx.insertKey(keyRow({ id: 'key_1' }), [secretRow('key_1', 'one')]);
      expect(await tx.key('key_1')).toEqual(keyRow({ id: 'key_1' }));
      expect(await tx.secrets('key_1')).toEqual([secretRow('key_1', 'one')]);
      expect(await tx.account('acme')).toEqual(accountRow());
      expect([await tx.key('nobody'), await tx.account('nobody')]).toEqual([undefined, undefined]);
    });
  });

  it('finds the key of a digest, also of a deleted secret', async () => {
    await transact((tx) =>
      tx.insertKey(keyRow({ id: 'ack_1', kind: 'access' }), [secretRow('ack_1', 'one'), secretRow('ack_1', 'two')]),
    );
    const { digest } = secretRow('ack_1', 'one');
    expect(await store.repository.keyOfDigest(digest)).toBe('ack_1');
    await transact((tx) => tx.deleteSecret(digest));
    expect(await store.repository.keyOfDigest(digest)).toBe('ack_1');
    expect(await store.repository.keyOfDigest('none')).toBeUndefined();
  });

  it('deletes old idempotency keys of one account alone', async () => {
    const of = (account: string, idempotency_key: string, at: number) => ({
      ...{ account, idempotency_key, at, request: '{}', key_id: 'key_1' },
    });
    await transact(async (tx) => {
      await tx.insertAccount(accountRow({ id: 'other' }));
      await tx.insertKey(keyRow({ id: 'key_1' }), []);
      await tx.insertCreation(of('acme', 'same', 1), 0);
      await tx.insertCreation(of('other', 'same', 1), 0);
    });
    await transact(async (tx) => {
      await tx.insertCreation(of('acme', 'next', 9), 5);
      expect([await tx.creation('acme', 'same'), (await tx.creation('other', 'same'))?.key_id]).toEqual([
        undefined,
        'key_1',
      ]);
    });
  });

  it('deletes 100 old idempotency keys at a time, the oldest first', async () => {
    const row = (idempotency_key: string, at: number) => ({
      ...{ account: 'acme', idempotency_key, at, request: '{}', key_id: 'key_1' },
    });
    await transact(async (tx) => {
      await tx.insertKey(keyRow({ id: 'key_1' }), []);
      for (let at = 120; at > 0; at -= 1) await tx.insertCreation(row(`old ${at}`, at), 0);
    });
    const left = await transact(async (tx) => {
      await tx.insertCreation(row('new', 500), 121);
      const found = await Promise.all([1, 100, 101, 120].map((at) => tx.creation('acme', `old ${at}`)));
      return found.map((creation) => creation?.at);
    });
    expect(left).toEqual([undefined, undefined, 101, 120]);
    await transact(async (tx) => {
      await tx.insertCreation(row('another', 500), 120);
      expect((await tx.creation('acme', 'old 120'))?.at).toBe(120);
    });
    await expect(transact((tx) => tx.insertCreation(row('new', 501), 500))).rejects.toMatchObject({
      code: 'store_conflict',
    });
  });

  it('counts refusals of one minute in one entry, apart by actor, action, code, key and account', async () => {
    await transact(async (tx) => {
      await tx.insertAccount(accountRow({ id: 'other' }));
      await tx.insertKey(keyRow({ id: 'key_1' }), []);
      await tx.insertKey(keyRow({ id: 'key_2', account: 'other' }), []);
    });
    const refusal = {
      ...{ at: 60_000, account: 'acme', actor: 'ada', role: 'owner', action: 'key.edit' },
      code: 'not_found',
    };
    const refuse = (traits: object) =>
      transact((tx) => tx.auditRefusal({ ...refusal, subject: 'key_1', origin: null, ...traits }));
    for (const at of [60_000, 119_999, 120_000]) await refuse({ at });
    for (const traits of [{ actor: 'eve' }, { action: 'key.revoke' }, { code: 'forbidden' }]) await refuse(traits);
    // Ids that are unknown, or of another account, share one entry: nobody can make many.
    for (const subject of ['key_2', 'key_none', null]) await refuse({ subject });
    const entries = await store.repository.audit({ account: 'acme', limit: 20 });
    const shown = entries.map(({ at, actor, action, subject, after, refusals, outcome }) => [
      ...[at, actor, action, subject, JSON.parse(after ?? '').refused, refusals, outcome],
    ]);
    expect(shown.reverse().sort(([one], [other]) => Number(one) - Number(other))).toEqual([
      [60_000, 'ada', 'key.edit', 'key_1', 'not_found', 2, 'refused'],
      [60_000, 'eve', 'key.edit', 'key_1', 'not_found', 1, 'refused'],
      [60_000, 'ada', 'key.revoke', 'key_1', 'not_found', 1, 'refused'],
      [60_000, 'ada', 'key.edit', 'key_1', 'forbidden', 1, 'refused'],
      [60_000, 'ada', 'key.edit', 'key_2', 'not_found', 3, 'refused'],
      [120_000, 'ada', 'key.edit', 'key_1', 'not_found', 1, 'refused'],
    ]);
  });

  it('knows the digests of secrets and of deleted secrets, with the account and the kind of their keys', async () => {
    const digests = ['one', 'two', 'three', 'none'].map((text) => secretRow('', text).digest);
    const [one, two, three] = digests as [string, string, string];
    const known = await transact(async (tx) => {
      await tx.insertAccount(accountRow({ id: 'other' }));
      await tx.insertKey(keyRow({ id: 'key_1' }), [secretRow('key_1', 'one'), secretRow('key_1', 'two')]);
      await tx.insertKey(keyRow({ id: 'ack_1', kind: 'access', account: 'other' }), [secretRow('ack_1', 'three')]);
      await tx.deleteSecret(two);
      // It was imported again, and is deleted again.
      await tx.insertSecret(secretRow('key_1', 'two'));
      await tx.deleteSecret(two);
      expect((await tx.secrets('key_1')).map(({ digest }) => digest)).toEqual([one]);
      expect(await tx.knownDigests([])).toEqual(new Map());
      return await tx.knownDigests(digests);
    });
    expect(known).toEqual(
      new Map([
        [one, { account: 'acme', kind: 'secret' }],
        [two, { account: 'acme', kind: 'secret' }],
        [three, { account: 'other', kind: 'access' }],
      ]),
    );
  });

  it('lists accounts by id, page by page, and names the keys of one account', async () => {
    await transact(async (tx) => {
      for (const id of ['c', 'b', 'a']) await tx.insertAccount(accountRow({ id }));
      await tx.insertKey(keyRow({ id: 'key_1', name: 'Till' }), []);
      await tx.insertKey(keyRow({ id: 'key_2', account: 'a', name: 'Theirs' }), []);
    });
    const { repository } = store;
    const ids = async (filter: { after?: string; limit: number }) =>
      (await repository.accounts(filter)).map(({ id }) => id);
    expect(await ids({ limit: 9 })).toEqual(['a', 'acme', 'b', 'c']);
    expect(await ids({ limit: 2, after: 'a' })).toEqual(['acme', 'b']);
    expect(await repository.keyNames('acme', ['key_1', 'key_2', 'none'])).toEqual([{ id: 'key_1', name: 'Till' }]);
    expect(await repository.keyNames('acme', [])).toEqual([]);
    expect(await repository.key('none')).toBeUndefined();
  });

  it('lists the public keys of an access key oldest first, and deletes one of them', async () => {
    const row = (kid: string, created_at: number) => ({
      ...{
        key_id: 'ack_1',
        kid,
        jwk: `{"kid":"${kid}"}`,
        digest: kid,
        created_at,
        last_used_at: null,
        last_used_from: null,
      },
    });
    await transact(async (tx) => {
      await tx.insertKey(keyRow({ id: 'ack_1', kind: 'access', scopes: '[]', default_scopes: '[]' }), []);
      for (const [kid, at] of [
        ['later', 2],
        ['first', 1],
        ['last', 3],
      ] as const) {
        await tx.insertPublicKey(row(kid, at));
      }
    });
    const kids = (list: readonly { kid: string }[] | undefined) => list?.map(({ kid }) => kid);
    expect(kids(await transact((tx) => tx.publicKeys('ack_1')))).toEqual(['first', 'later', 'last']);
    expect(kids((await store.repository.key('ack_1'))?.publicKeys)).toEqual(['first', 'later', 'last']);
    const record = await store.resolveAccessKey('ack_1');
    expect(record?.publicKeys?.map((jwk) => (jwk as { kid?: string }).kid)).toEqual(['first', 'later', 'last']);
    await transact((tx) => tx.deletePublicKey('later'));
    expect(kids(await transact((tx) => tx.publicKeys('ack_1')))).toEqual(['first', 'last']);
  });

  it('keeps the secrets of a key oldest first; one is in its grace period, then ended, one deleted', async () => {
    const [first, second, third] = ['first', 'second', 'third'].map((text, at) =>
      secretRow('key_1', text, { created_at: 3 - at }),
    ) as [ReturnType<typeof secretRow>, ReturnType<typeof secretRow>, ReturnType<typeof secretRow>];
    await transact(async (tx) => {
      await tx.insertKey(keyRow({ id: 'key_1' }), [first, second]);
      await tx.insertSecret(third);
    });
    await transact(async (tx) => {
      await tx.acceptSecretUntil(second.digest, 99);
      await tx.endSecret(second.digest, 98);
      await tx.deleteSecret(first.digest);
    });
    expect(await transact((tx) => tx.secrets('key_1'))).toEqual([third, { ...second, retires_at: 99, ended_at: 98 }]);
  });

  it.each(['key', 'account'] as const)('edits a row at its version only: %s', async (row) => {
    await transact((tx) => tx.insertKey(keyRow({ id: 'acme' }), []));
    const edit = (version: number, channels: string) =>
      transact((tx) =>
        row === 'key' ? tx.updateKey('acme', version, { channels }) : tx.updateAccount('acme', version, { channels }),
      );
    expect(await edit(1, '["pc_1"]')).toBe(true);
    expect(await edit(1, '["pc_2"]')).toBe(false);
    expect(await edit(3, '["pc_3"]')).toBe(false);
    expect(await transact<object | undefined>((tx) => tx[row]('acme'))).toMatchObject({
      channels: '["pc_1"]',
      version: 2,
    });
    expect(await edit(2, '["pc_4"]')).toBe(true);
  });

  it('accepts one of two edits of the same version', async () => {
    await transact((tx) => tx.insertKey(keyRow({ id: 'key_1' }), []));
    const edits = ['a', 'b'].map((name) => transact((tx) => tx.updateKey('key_1', 1, { name })));
    expect((await Promise.all(edits)).sort()).toEqual([false, true]);
  });

  it('repeats work that conflicted with another writer, and keeps both changes', async () => {
    for (const id of ['key_1', 'key_2']) await transact((tx) => tx.insertKey(keyRow({ id }), []));
    let [runs, hasFirst] = [0, 0];
    const crossing = [
      ['key_1', 'key_2'],
      ['key_2', 'key_1'],
    ].map(([first = '', second = '']) =>
      transact(async (tx) => {
        runs += 1;
        for (const id of [first, second]) {
          let isEdited = false;
          while (!isEdited) {
            const row = await tx.key(id);
            isEdited = await tx.updateKey(id, row?.version ?? 0, { name: `${row?.name ?? ''}${first}` });
          }
          if (id === first) hasFirst += 1;
          // On one connection, as SQLite has, the second begins when the first has ended.
          if (engine === 'PostgreSQL') await eventually(() => hasFirst >= 2);
        }
      }),
    );
    await Promise.all(crossing);
    const names = await Promise.all(['key_1', 'key_2'].map(async (id) => (await store.repository.key(id))?.key.name));
    // PostgreSQL ends one of the two. If that one edits its row again before the other wakes, they cross once more.
    if (engine === 'PostgreSQL') expect(runs).toBeGreaterThanOrEqual(3);
    else expect(runs).toBe(2);
    expect(names.map((name) => name?.length)).toEqual([10, 10]);
  });

  it('F10 a transaction that throws stores and notifies nothing, and its error is passed on', async () => {
    const own = Object.assign(new RangeError('mine'), { code: '40001' });
    const work = transact(async (tx) => {
      await addKey(tx, { id: 'key_1' });
      await tx.audit(ENTRY);
      throw own;
    });
    await expect(work).rejects.toBe(own);
    expect(await transact((tx) => tx.key('key_1'))).toBeUndefined();
    await transact(async (tx) => tx.notify({ key: 'key_2' }));
    expect(new Set(changesOfKeys().map((change) => JSON.stringify(change)))).toEqual(new Set(['{"key":"key_2"}']));
  });

  it.each<[string, (tx: RepositoryTransaction) => Promise<unknown>]>([
    ['a second key of one id', (tx) => tx.insertKey(keyRow({ id: 'key_1' }), [])],
    ['a second account of one id', (tx) => tx.insertAccount(accountRow())],
    ['a key of an account that is not there', (tx) => tx.insertKey(keyRow({ account: 'nobody' }), [])],
    ['a secret of a key that is not there', (tx) => tx.insertSecret(secretRow('nobody', 'text'))],
    ['a key of a kind that there is not', (tx) => tx.insertKey(keyRow({ kind: 'master' as 'secret' }), [])],
    ['a key without a creator', (tx) => tx.insertKey(keyRow({ created_by: null as unknown as string }), [])],
  ])('refuses as a conflict, and keeps working: %s', async (_what, work) => {
    await transact((tx) => tx.insertKey(keyRow({ id: 'key_1' }), []));
    const refusal = transact(async (tx) => {
      await tx.audit(ENTRY);
      await work(tx);
    });
    await expect(refusal).rejects.toMatchObject({ name: 'StoreError', code: 'store_conflict' });
    await expect(refusal).rejects.toBeInstanceOf(StoreError);
    expect(await transact((tx) => tx.key('key_1'))).toBeDefined();
  });

  it('P18 two rows for one digest: the second is refused, and the first is unchanged', async () => {
    const { text } = await transact((tx) => addKey(tx, { id: 'key_1' }));
    const second = transact((tx) => tx.insertKey(keyRow({ id: 'key_2' }), [secretRow('key_2', text)]));
    await expect(second).rejects.toMatchObject({ code: 'store_conflict' });
    expect(await transact((tx) => tx.key('key_2'))).toBeUndefined();
    const presented = { digest: secretRow('', text).digest, kind: 'secret', environment: 'live' } as const;
    expect(await store.resolveKey({ ...presented, reveal: () => text })).toMatchObject({ id: 'key_1' });
  });

  it('writes audit entries in the transaction of their change', async () => {
    await transact((tx) => tx.audit(ENTRY));
    const [entry, ...more] = await store.repository.audit({ account: 'acme', limit: 10 });
    expect(more).toEqual([]);
    expect(entry).toEqual({ ...ENTRY, refusals: null, id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });
});

describe.each(engines.filter((engine) => engine !== 'memory'))('the audit log in %s', (engine) => {
  const statements = [`update audit set actor = 'nobody'`, `delete from audit where actor = 'ada'`];
  const own = engine === 'PostgreSQL' ? 'truncate audit' : `insert or replace into audit (${COLUMNS}) ${REPLACED}`;

  it.each([...statements, own])('cannot be changed by its owner: %s', async (statement) => {
    const stores = await makeStores(engine);
    const store = await stores.open();
    await store.repository.transact(async (tx) => {
      await tx.insertAccount(accountRow());
      await tx.audit(ENTRY);
    });
    await expect(onDatabase(stores.url, statement)).rejects.toMatchObject({
      message: expect.stringContaining('audit is append-only'),
    });
    expect(await onDatabase(stores.url, 'select actor from audit')).toEqual([{ actor: 'ada' }]);
    await stores.close();
  });
});
