import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CredentialStore } from 'keyward/store';
import { digestOf } from '../../lib/credentials/digest.js';
import { type StoreApi, serveStore } from '../support/store-api.js';
import { storeKeys } from '../support/store-bulk.js';
import { onDatabase } from '../support/store-database.js';
import { makeStores, type Stores, storeKey } from '../support/store-places.js';
import { type StoreProcess, startStoreProcess } from '../support/store-process.js';
import { eventually, pause } from '../support/store-wait.js';

/** Access keys of the child that have not both their secrets. */
const HALVES = `select k.id from keys k left join secrets s on s.key_id = k.id
  where k.kind = 'access' group by k.id having count(s.digest) <> 2`;

describe('two processes on one SQLite file', () => {
  let stores: Stores;
  let store: CredentialStore;
  let api: StoreApi;
  let child: StoreProcess;

  beforeEach(async () => {
    stores = await makeStores('SQLite');
    store = await stores.open();
    api = await serveStore(store);
  });

  afterEach(async () => {
    await child.kill();
    await api.close();
    await stores.close();
  });

  const sql = (statement: string) => onDatabase(stores.url, statement);

  it('F15 both write concurrently: nothing is lost or incomplete, and a revocation reaches the other', async () => {
    child = await startStoreProcess(stores.url);
    const { id, text } = await storeKey(store);
    expect(await api.status(text)).toBe(200);

    let isAdding = true;
    const adding = child.ask({ add: 40 }).finally(() => {
      isAdding = false;
    });
    const mine: string[] = [];
    while (isAdding) {
      // A store in a file never waits by itself: without a pause this loop would hear nothing of the child.
      await pause(1);
      mine.push((await storeKey(store)).id);
      const halves = await sql(HALVES);
      expect(halves).toEqual([]);
    }
    const { ids = [] } = await adding;
    const stored = new Set((await sql('select id from keys')).map((row) => row.id));
    expect([...ids, ...mine].filter((one) => !stored.has(one))).toEqual([]);
    expect(ids).toHaveLength(40);
    expect((await store.resolveAccessKey(ids[39] ?? ''))?.secrets).toHaveLength(2);

    await child.ask({ revoke: id });
    expect(await eventually(async () => (await api.status(text)) === 401)).toBeLessThan(5_000);
    child.send({ close: true });
    expect(await child.gone).toBe(0);
  });

  it('F10 a process that dies right after its commit: the other finds the change', async () => {
    child = await startStoreProcess(stores.url);
    const { id, text } = await storeKey(store);
    expect(await api.status(text)).toBe(200);
    child.send({ revokeAndDie: id });
    expect(await child.gone).toBeNull();
    expect(await eventually(async () => (await api.status(text)) === 401)).toBeLessThan(5_000);
  });

  it('F14 EIO: writes of a process fail completely, and its reads still work', async () => {
    const [known] = await storeKeys(store, stores.url, { count: 1 });
    await sql('pragma wal_checkpoint(truncate)');
    child = await startStoreProcess(stores.url, 600);
    const { code } = await child.ask({ fill: true });
    // A file may not grow past its limit, which SQLite takes for an error of the disk.
    expect(code).toMatch(/^SQLITE_IOERR/);
    expect(await child.ask({ find: digestOf(known?.text ?? '') })).toEqual({ found: true });
    const halves = await sql(HALVES);
    expect(halves).toEqual([]);
    expect((await sql('pragma integrity_check'))[0]).toEqual({ integrity_check: 'ok' });
    expect(await store.ready()).toBe(true);
  });
});
