import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CredentialStore } from 'keyward/store';
import type { AuditRow } from '../../lib/store/tables.js';
import { onDatabase } from '../support/store-database.js';
import { makeStores, type Stores } from '../support/store-places.js';
import { accountRow } from '../support/stored-rows.js';
import { engines, sharedEngines } from '../support/test-stores.js';

const ENTRY: Omit<AuditRow, 'id'> = {
  ...{ at: 7, account: 'acme', actor: 'ada', role: 'owner', action: '', outcome: 'done' },
  ...{ subject: 'key_1', before: null, after: null, origin: null },
};
const MANY = 40;
const NAMES = Array.from({ length: MANY }, (_, at) => `act ${at}`);
const NEWEST_FIRST = [...NAMES].reverse();

let stores: Stores;
let store: CredentialStore;

const write = (...entries: Partial<AuditRow>[]) =>
  store.repository.transact(async (tx) => {
    for (const entry of entries) await tx.audit({ ...ENTRY, ...entry });
  });
const actionsOf = (rows: readonly AuditRow[]) => rows.map(({ action }) => action);

afterEach(() => stores.close());

describe.each(engines)('audit entries of the same time in %s', (engine) => {
  beforeEach(async () => {
    stores = await makeStores(engine);
    store = await stores.open();
    await store.repository.transact((tx) => tx.insertAccount(accountRow()));
  });

  it('are listed in the order in which they were written, by one transaction and by many', async () => {
    await write(...NAMES.slice(0, MANY / 2).map((action) => ({ action })));
    for (const action of NAMES.slice(MANY / 2)) await write({ action });
    expect(actionsOf(await store.repository.audit({ account: 'acme', limit: MANY }))).toEqual(NEWEST_FIRST);
  });

  it('are listed so in pages, also if a page ends among them, and with later entries in between', async () => {
    await write(...NAMES.flatMap((action) => [{ action }, { action, account: 'other' }]));
    const seen: string[] = [];
    let after: { time: number; id: string } | undefined;
    for (;;) {
      const page = await store.repository.audit({ account: 'acme', subject: 'key_1', limit: 7, after });
      const last = page.at(-1);
      if (last === undefined) break;
      seen.push(...actionsOf(page));
      after = { time: last.at, id: last.id };
      await write({ action: 'later' });
    }
    expect(seen).toEqual(NEWEST_FIRST);
  });

  it('come after those of a later time, whenever these were written', async () => {
    await write({ action: 'late', at: 9 }, { action: 'early', at: 5 }, { action: 'one' }, { action: 'two' });
    expect(actionsOf(await store.repository.audit({ account: 'acme', limit: 9 }))).toEqual([
      'late',
      'two',
      'one',
      'early',
    ]);
  });

  it('after an unknown entry or one of another account, entries of an earlier time follow', async () => {
    await write({ action: 'early', at: 5 }, { action: 'one' }, { action: 'foreign', account: 'other' });
    const [foreign] = await store.repository.audit({ account: 'other', limit: 1 });
    for (const id of ['nobody', foreign?.id ?? '']) {
      const rows = await store.repository.audit({ account: 'acme', limit: 9, after: { time: 7, id } });
      expect(actionsOf(rows)).toEqual(['early']);
    }
  });

  it('do not show their number, which would reveal other accounts', async () => {
    await write({ action: 'one' });
    const [entry] = await store.repository.audit({ account: 'acme', limit: 1 });
    expect(Object.keys(entry ?? {}).sort()).toEqual(['id', 'refusals', ...Object.keys(ENTRY)].sort());
  });
});

describe.each(sharedEngines)('numbers of audit entries in %s', (engine) => {
  beforeEach(async () => {
    stores = await makeStores(engine);
    store = await stores.open();
    await store.repository.transact((tx) => tx.insertAccount(accountRow()));
    await write({ action: 'one' });
  });

  const columns = 'id, at, account, actor, action, outcome';
  const REPLACING = {
    SQLite: `insert or replace into audit (number, ${columns}) select number, 'new', at, account, 'nobody', action, outcome from audit`,
    PostgreSQL: `insert into audit (number, ${columns}) select 99, 'new', at, account, 'nobody', action, outcome from audit`,
  };

  it('cannot be chosen by a writer, so that no entry replaces another', async () => {
    const replacing = onDatabase(stores.url, REPLACING[engine as keyof typeof REPLACING]);
    await expect(replacing).rejects.toMatchObject({ message: expect.stringMatching(/append-only|non-DEFAULT value/) });
    expect(await onDatabase(stores.url, 'select actor from audit')).toEqual([{ actor: 'ada' }]);
  });

  it('continue after the rows were moved, as by a vacuum', async () => {
    await write(...NAMES.map((action) => ({ action })));
    await onDatabase(stores.url, engine === 'SQLite' ? 'vacuum' : 'vacuum full audit');
    await write({ action: 'last' });
    const rows = await store.repository.audit({ account: 'acme', limit: MANY + 2 });
    expect(actionsOf(rows)).toEqual(['last', ...NEWEST_FIRST, 'one']);
  });
});
