import { existsSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import type { CredentialStore, StoreWarning } from 'keyward/store';
import { openSqlite } from '../../lib/store/sqlite/engine.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { fileOf, onDatabase } from '../support/store-database.js';
import { feedOf, makeStores, type Stores, storeKey } from '../support/store-places.js';
import { eventually, pause } from '../support/store-wait.js';
import { accountRow } from '../support/stored-rows.js';

const MISPLACED = { code: 'store_unavailable', message: expect.stringContaining('deleted or replaced') };

describe('a database file that is deleted or replaced while a store has it open', () => {
  let stores: Stores;
  let store: CredentialStore;
  let events: Eavesdropper;
  let file: string;

  beforeEach(async () => {
    events = eavesdrop();
    stores = await makeStores('SQLite');
    store = await stores.open();
    file = fileOf(stores.url);
    await feedOf(store);
  });

  afterEach(async () => {
    events.stop();
    await stores.close();
  });

  const warnings = () => events.heard<StoreWarning>('keyward:store').map(({ warning, detail }) => [warning, detail]);
  const idsIn = async () => (await onDatabase(stores.url, 'select id from keys order by id')).map(({ id }) => id);
  const removeCompanions = () => {
    for (const ending of ['-wal', '-shm']) rmSync(file + ending, { force: true });
  };

  async function backUp(): Promise<void> {
    const database = new Database(file);
    await database.backup(`${file}.backup`);
    database.close();
  }

  it('a relative path stays the same file if the process changes its directory', async () => {
    const before = process.cwd();
    try {
      process.chdir(dirname(file));
      const relative = await stores.openAsIs(`file:./${basename(file)}`);
      process.chdir(before);
      await relative.repository.transact((tx) => tx.insertAccount(accountRow({ id: 'after' })));
      expect([await relative.ready(), (await store.repository.account('after'))?.id]).toEqual([true, 'after']);
    } finally {
      process.chdir(before);
    }
  });

  it('N32 it is deleted: writes fail, ready() is false, an event has the reason, and no empty file is created', async () => {
    const { text } = await storeKey(store);
    rmSync(file);
    await expect(storeKey(store)).rejects.toMatchObject(MISPLACED);
    expect(await store.ready()).toBe(false);
    await eventually(() => warnings().length > 0);
    expect(warnings()).toEqual([['unreachable', MISPLACED.message]]);
    expect(text).not.toBe('');
    await expect(Promise.resolve(store.resolveAccessKey('none'))).rejects.toMatchObject(MISPLACED);
    expect(existsSync(file)).toBe(false);
  });

  it('N32 it is deleted before a transaction commits: the commit is not acknowledged', async () => {
    const work = store.repository.transact(async (tx) => {
      await tx.insertAccount(accountRow());
      rmSync(file);
    });
    await expect(work).rejects.toMatchObject(MISPLACED);
  });

  it('N32 it is replaced: writes fail until the new file is open, and then are written there', async () => {
    const before = await storeKey(store);
    await backUp();
    await storeKey(store);
    removeCompanions();
    renameSync(`${file}.backup`, file);
    await expect(storeKey(store)).rejects.toMatchObject(MISPLACED);
    expect(await store.ready()).toBe(false);
    await eventually(() => store.ready());
    const after = await storeKey(store);
    expect(await idsIn()).toEqual([before.id, after.id].sort());
    await eventually(() => warnings().some(([warning]) => warning === 'replaced'));
  });

  it('N32 it is replaced and the WAL of the former file is left: nothing is opened until the WAL is deleted', async () => {
    await storeKey(store);
    await backUp();
    await storeKey(store);
    renameSync(`${file}.backup`, file);
    await eventually(() => warnings().length > 0);
    await pause(250);
    expect(await store.ready()).toBe(false);
    await expect(storeKey(store)).rejects.toMatchObject(MISPLACED);
    removeCompanions();
    await eventually(() => store.ready());
    expect(await idsIn()).toHaveLength(1);
  });

  it('is not opened again if the store is closed meanwhile', async () => {
    const other = `${file}.other`;
    const engine = await openSqlite(other);
    await engine.migrate();
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const work = engine.transact(() => released).catch(() => undefined);
    await pause(10);
    rmSync(`${other}-wal`);
    // The poll waits for the transaction before it opens the file again.
    const poll = engine.version().catch((error: unknown) => error);
    await pause(10);
    const closing = engine.close();
    release();
    await Promise.all([work, closing]);
    expect(await poll).toMatchObject({ code: 'store_unavailable', message: 'the store is closed' });
    expect(existsSync(`${other}-wal`)).toBe(false);
  });

  it('N32 only its WAL is deleted: a write fails, and acknowledged changes are saved', async () => {
    const { id } = await storeKey(store);
    rmSync(`${file}-wal`);
    await expect(storeKey(store)).rejects.toMatchObject(MISPLACED);
    await eventually(() => store.ready());
    const { id: next } = await storeKey(store);
    expect(await idsIn()).toEqual([id, next].sort());
  });
});
