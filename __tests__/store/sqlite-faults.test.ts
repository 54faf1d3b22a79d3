import { chmodSync, copyFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import Database from 'better-sqlite3';
import type { CredentialStore } from 'keyward/store';
import { sql } from 'kysely';
import { digestOf } from '../../lib/credentials/digest.js';
import { connectSqlite, disconnectSqlite } from '../../lib/store/sqlite/connections.js';
import { openSqlite } from '../../lib/store/sqlite/engine.js';
import { storeClosed } from '../../lib/store/store-error.js';
import { storeKeys } from '../support/store-bulk.js';
import { fileOf, holdDatabase } from '../support/store-database.js';
import { makeStores, type Stores, storeKey } from '../support/store-places.js';
import { eventually, pause } from '../support/store-wait.js';

const NOBODY = 65_534;

let stores: Stores;
let file: string;

beforeEach(async () => {
  stores = await makeStores('SQLite');
  file = fileOf(stores.url);
});

afterEach(async () => {
  chmodSync(dirname(file), 0o700);
  await stores.close();
});

const find = (store: CredentialStore, text: string) =>
  store.resolveKey({ digest: digestOf(text), kind: 'secret', environment: 'live', reveal: () => text });
const isThere = async (store: CredentialStore, text: string) => (await find(store, text)) !== undefined;

/** A store that was filled and closed. */
async function closedStore(): Promise<readonly string[]> {
  const store = await stores.open();
  const keys = await storeKeys(store, stores.url, { count: 200 });
  await store.close();
  return keys.map(({ text }) => text);
}

/** Without the rights of root, to which every file is open. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

describe('a database file', () => {
  it('is synced to disk at each commit, so that acknowledged changes survive a power cut', async () => {
    const connections = connectSqlite(file, { exists: false });
    const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(connections.writer);
    await disconnectSqlite(connections, storeClosed());
    // 2 is FULL.
    expect(rows).toEqual([{ synchronous: 2 }]);
  });
});

describe('a database file that is damaged', () => {
  const flipped = (at: number) => {
    const bytes = readFileSync(file);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(file, bytes);
  };
  const lengthOf = () => readFileSync(file).length;

  it.each<[string, () => void]>([
    ['truncated to half', () => truncateSync(file, Math.floor(lengthOf() / 2))],
    ['truncated within a page', () => truncateSync(file, lengthOf() - 100)],
    ['truncated to its first bytes', () => truncateSync(file, 60)],
    ['with a bit flipped in its name', () => flipped(3)],
    ['with a bit flipped in its page size', () => flipped(16)],
    ['with a bit flipped in its count of pages', () => flipped(31)],
    ['with a page of zeros', () => writeFileSync(file, readFileSync(file).fill(0, 4_096, 8_192))],
    ['that is something else', () => writeFileSync(file, 'these are no keys, but a long enough text'.repeat(99))],
  ])('F14 is refused with a clear message: %s', async (_what, damage) => {
    await closedStore();
    damage();
    const opening = stores.open();
    await expect(opening).rejects.toMatchObject({ name: 'StoreError', code: 'store_unusable' });
    await expect(opening).rejects.toThrow(/damaged|malformed|not a database|cannot open/);
  });

  it('F14 with an incomplete last record: it opens in the last valid state', async () => {
    const store = await stores.open();
    const first = await storeKey(store);
    const sizeBefore = readFileSync(`${file}-wal`).length;
    const second = await storeKey(store);
    const torn = `${file}.torn`;
    copyFileSync(file, torn);
    const wal = readFileSync(`${file}-wal`);
    expect(wal.length).toBeGreaterThan(sizeBefore + 50);
    writeFileSync(`${torn}-wal`, wal.subarray(0, wal.length - 50));
    const opened = await stores.open({}, `file:${torn}`);
    expect([await isThere(opened, first.text), await isThere(opened, second.text)]).toEqual([true, false]);
    const third = await storeKey(opened);
    expect(await isThere(opened, third.text)).toBe(true);
  });
});

describe('a database file that cannot be written', () => {
  it('F14 read-only: refused with a clear message', async () => {
    await closedStore();
    chmodSync(dirname(file), 0o755);
    chmodSync(file, 0o444);
    const opening = asNobody(() => stores.open());
    await expect(opening).rejects.toMatchObject({ name: 'StoreError', code: 'store_unusable' });
    await expect(opening).rejects.toThrow(/cannot open the database file: .*EACCES/);
  });

  it('F14 in a read-only directory: refused with a clear message', async () => {
    await closedStore();
    chmodSync(file, 0o666);
    chmodSync(dirname(file), 0o555);
    await expect(asNobody(() => stores.open())).rejects.toMatchObject({ name: 'StoreError', code: 'store_unusable' });
  });

  it.each<[string, (path: string) => string]>([
    ['no file may be made', (path) => path],
    ['there is no directory', (path) => `${path}/none/keyward.db`],
  ])('F14 if %s: refused with a clear message', async (_what, pathOf) => {
    chmodSync(dirname(file), 0o555);
    const opening = asNobody(() => stores.open({}, `file:${pathOf(file)}`));
    await expect(opening).rejects.toMatchObject({ name: 'StoreError', code: 'store_unusable' });
    await expect(opening).rejects.toThrow('cannot open the database file');
  });

  it('F14 a directory: refused with a clear message', async () => {
    mkdirSync(file);
    await expect(stores.open()).rejects.toMatchObject({ code: 'store_unusable' });
  });
});

describe('a database file on a disk that is full', () => {
  it('F14 ENOSPC: writes fail completely, reads still work, and writes work again when there is space', async () => {
    const pragma = jest.spyOn(Database.prototype, 'pragma');
    const store = await stores.open();
    const { text } = await storeKey(store);
    const [writer] = pragma.mock.contexts as [Database.Database];
    pragma.mockRestore();

    // SQLite itself says that there is no room for another page, as it does for a disk.
    writer.pragma(`max_page_count = ${writer.pragma('page_count', { simple: true })}`);
    const filling = (async () => {
      for (;;) await storeKey(store, { name: 'x'.repeat(1_000) });
    })();
    await expect(filling).rejects.toMatchObject({ code: 'store_unavailable', driverCode: 'SQLITE_FULL' });
    expect(await isThere(store, text)).toBe(true);
    const halves = 'select id from keys where id not in (select key_id from secrets)';
    expect(writer.prepare(halves).all()).toEqual([]);

    writer.pragma('max_page_count = 100000');
    expect(await isThere(store, (await storeKey(store)).text)).toBe(true);
  });
});

describe('a database file that another process has locked', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Counts how often a write tries to begin its transaction. */
  function countTries(): () => number {
    const prepared = jest.spyOn(Database.prototype, 'prepare');
    return () => prepared.mock.calls.filter(([text]) => text === 'begin immediate').length;
  }

  it('F15 a writer waits for the other without blocking the event loop, and reads still work', async () => {
    const store = await stores.open();
    const { text } = await storeKey(store);
    const other = await holdDatabase(stores.url, `update accounts set created_at = 1`);
    const writing = storeKey(store);
    for (let reads = 0; reads < 10; reads += 1) {
      expect(await isThere(store, text)).toBe(true);
      await pause(10);
    }
    await other.commit();
    expect(await isThere(store, (await writing).text)).toBe(true);
  });

  it('F15 a transaction that reads before it writes has the lock from its start, and runs once', async () => {
    const [one, other] = [await stores.open(), await stores.open()];
    const { id } = await storeKey(one);
    let runs = 0;
    const work = one.repository.transact(async (tx) => {
      runs += 1;
      const row = await tx.key(id);
      await pause(100);
      return await tx.updateKey(id, row?.version ?? 0, { name: 'one' });
    });
    await eventually(() => runs === 1);
    const edit = other.repository.transact(async (tx) => await tx.updateKey(id, 2, { name: 'other' }));
    expect([await work, await edit, runs]).toEqual([true, true, 1]);
  });

  it('the analysis of the tables waits for the other too', async () => {
    const store = await stores.open();
    const other = await holdDatabase(stores.url, 'update accounts set created_at = 1');
    const analyzing = Promise.allSettled([store.repository.analyze()]);
    // The first attempt ends here: the database is busy.
    await new Promise(setImmediate);
    await other.commit();
    expect(await analyzing).toMatchObject([{ status: 'fulfilled' }]);
  });

  it('a new one is opened after the commit of the other', async () => {
    const other = await holdDatabase(stores.url, 'pragma user_version = 1');
    const opening = Promise.allSettled([openSqlite(file)]);
    await other.commit();
    const [opened] = await opening;
    expect(opened).toMatchObject({ status: 'fulfilled' });
    if (opened.status === 'fulfilled') await opened.value.close();
  });

  it('F15 a writer that waits too long gives up: the database is busy', async () => {
    const store = await stores.open();
    await storeKey(store);
    const other = await holdDatabase(stores.url, `update accounts set created_at = 1`);
    const writing = storeKey(store);
    await pause(100);
    const now = performance.now.bind(performance);
    const later = jest.spyOn(performance, 'now').mockImplementation(() => now() + 5_000);
    await expect(writing).rejects.toMatchObject({ code: 'store_unavailable', driverCode: 'SQLITE_BUSY' });
    later.mockRestore();
    await other.commit();
    await storeKey(store);
  });

  it('of many writers that wait too long, one tries, and all give up', async () => {
    const store = await stores.open();
    await storeKey(store);
    const other = await holdDatabase(stores.url, `update accounts set created_at = 1`);
    const tries = countTries();
    const writing = Promise.allSettled(Array.from({ length: 20 }, () => storeKey(store)));
    await eventually(() => tries() > 1);
    const triesBefore = tries();
    const now = performance.now.bind(performance);
    const later = jest.spyOn(performance, 'now').mockImplementation(() => now() + 5_000);
    const failed = { status: 'rejected', reason: { code: 'store_unavailable', driverCode: 'SQLITE_BUSY' } };
    expect(await writing).toMatchObject(Array.from({ length: 20 }, () => failed));
    expect(tries() - triesBefore).toBeLessThanOrEqual(1);
    later.mockRestore();
    await other.commit();
    await storeKey(store);
  });

  it('writers that wait are refused when the store closes, without a further try', async () => {
    const store = await stores.open();
    await storeKey(store);
    const other = await holdDatabase(stores.url, `update accounts set created_at = 1`);
    const tries = countTries();
    const writing = Promise.allSettled(Array.from({ length: 20 }, () => storeKey(store)));
    await eventually(() => tries() > 0);
    const triesBefore = tries();
    await store.close();
    const closed = { status: 'rejected', reason: { code: 'store_unavailable', message: 'the store is closed' } };
    expect(await writing).toMatchObject(Array.from({ length: 20 }, () => closed));
    expect(tries() - triesBefore).toBeLessThanOrEqual(1);
    await other.commit();
  });
});
