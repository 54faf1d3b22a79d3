import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { fileOf, onDatabase } from '../support/store-database.js';
import { listenTo } from '../support/store-listener.js';
import { makeStores, type Stores, storeKey } from '../support/store-places.js';
import { eventually, pause } from '../support/store-wait.js';
import { accountRow } from '../support/stored-rows.js';
import { engines, sharedEngines } from '../support/test-stores.js';

let stores: Stores;
let events: Eavesdropper;

beforeEach(() => {
  events = eavesdrop();
});

afterEach(async () => {
  events.stop();
  await stores.close();
});

/** What keeps a process alive, or was left behind. */
const handles = () =>
  process
    .getActiveResourcesInfo()
    .filter((name) => /TCP|Timeout|Immediate/.test(name))
    .sort();

describe.each(engines)('a store in %s', (engine) => {
  beforeEach(async () => {
    stores = await makeStores(engine);
  });

  it('is ready when it is open, and no longer when it is closed', async () => {
    const store = await stores.open();
    expect(await store.ready()).toBe(true);
    const closing = store.close();
    expect(await store.ready()).toBe(false);
    await closing;
    expect(await store.ready()).toBe(false);
  });

  it('closes once, however often close is called', async () => {
    const store = await stores.open();
    const closing = store.close();
    expect(store.close()).toBe(closing);
    await closing;
    await store.close();
  });

  it('gives no answers or notifications after it is closed', async () => {
    const store = await stores.open();
    const heard = listenTo(store);
    await store.close();
    const reported = [heard.currents(), heard.changes.length];
    await expect(Promise.resolve(store.resolveAccessKey('ack_1'))).rejects.toThrow();
    await expect(store.repository.transact(async () => undefined)).rejects.toThrow();
    await expect(Promise.resolve(store.listSigningKeys())).rejects.toThrow();
    await pause(250);
    expect([heard.currents(), heard.changes.length]).toEqual(reported);
    expect(events.heard('keyward:store').filter(({ warning }) => warning !== 'listening')).toEqual([]);
  });

  it('finishes pending work before it closes', async () => {
    const store = await stores.open();
    let isPending = false;
    const work = store.repository.transact(async (tx) => {
      isPending = true;
      await pause(100);
      await tx.insertAccount(accountRow());
      return await tx.account('acme');
    });
    await eventually(() => isPending);
    await store.close();
    expect(await work).toEqual(accountRow());
  });

  it('leaves no handle open', async () => {
    const before = handles();
    const store = await stores.open({ encryptionKey: Buffer.alloc(32) });
    const heard = listenTo(store);
    await storeKey(store);
    await eventually(() => heard.currents() > 1);
    await store.close();
    await eventually(() => handles().length <= before.length);
    expect(handles().length).toBeLessThanOrEqual(before.length);
    if (engine === 'SQLite') expect(existsSync(`${fileOf(stores.url)}-wal`)).toBe(false);
  });

  it('that was opened but never used leaves none either', async () => {
    const before = handles();
    await (await stores.open()).close();
    await eventually(() => handles().length <= before.length);
    expect(handles().length).toBeLessThanOrEqual(before.length);
    if (engine === 'SQLite') expect(existsSync(`${fileOf(stores.url)}-wal`)).toBe(false);
  });
});

describe.each(sharedEngines)('a database in %s', (engine) => {
  beforeEach(async () => {
    stores = await makeStores(engine);
  });

  const sql = (...statements: string[]) => onDatabase(stores.url, ...statements);

  it('five concurrent stores open it, and one creates the tables', async () => {
    const opened = await Promise.all([1, 2, 3, 4, 5].map(() => stores.open()));
    expect(await Promise.all(opened.map((store) => store.ready()))).toEqual([true, true, true, true, true]);
    expect(await sql('select count(*) as steps from migrations')).toEqual([{ steps: expect.anything() }]);
    expect(await sql(`select member from changes`)).toEqual([{ member: 'all' }]);
    for (const store of opened) await storeKey(store);
  });

  it('keeps its data after all stores are closed', async () => {
    const first = await stores.open();
    const { id } = await storeKey(first, { kind: 'access', scopes: '[]', default_scopes: '[]' });
    await first.close();
    const second = await stores.open();
    expect(await second.resolveAccessKey(id)).toMatchObject({ id, account: 'acme' });
  });

  it('F18 with a newer schema: an older keyward reads and writes together with a newer one', async () => {
    const newer = await stores.open();
    const names = ['migrations', 'keys', 'secrets', 'accounts', 'changes'];
    await sql(
      `insert into migrations (name, timestamp) values ('9999_later', '2100-01-01T00:00:00.000Z')`,
      ...names.map((name) => `alter table ${name} add column later text`),
      'create table later (id text primary key)',
    );
    const older = await stores.open();
    expect([await older.ready(), await newer.ready()]).toEqual([true, true]);
    for (const [from, to] of [
      [older, newer],
      [newer, older],
    ] as const) {
      const { id } = await storeKey(from, { kind: 'access', scopes: '[]', default_scopes: '[]' });
      expect(await to.resolveAccessKey(id)).toMatchObject({ id, disabled: false });
    }
    expect(await sql(`select name from migrations where name = '9999_later'`)).toHaveLength(1);
  });

  it('F18 with a much newer schema', async () => {
    await (await stores.open()).close();
    await sql(`insert into migrations (name, timestamp) values ('9999_later', '2000-01-01T00:00:00.000Z')`);
    expect(await (await stores.open()).ready()).toBe(true);
  });
});
