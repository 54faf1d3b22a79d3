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
    expect(runs).toBe(engine === 'PostgreSQL' ? 3 : 2);
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
