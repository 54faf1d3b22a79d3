import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { openStore, type StoreWarning } from 'keyward/store';
import { checkDriver } from '../../lib/store/open-store.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { fileOf, onDatabase } from '../support/store-database.js';
import { onServer, POSTGRES, placesOf } from '../support/test-stores.js';

/** Where no server listens. */
const NOWHERE = 'postgres://127.0.0.1:1/none';

let events: Eavesdropper;

beforeEach(() => {
  events = eavesdrop();
});

afterEach(() => {
  events.stop();
  jest.restoreAllMocks();
});

describe('a store whose server is down', () => {
  it('opens, says so, is not ready, and tries again every second until it is closed', async () => {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const store = await openStore(NOWHERE);
    const retries = () => timers.mock.calls.flatMap(([work, wait], at) => (wait === 1_000 ? [{ work, at }] : []));
    const [retry] = retries().filter(({ work }) => String(work).includes('prepareWhenReachable'));
    expect(retry).toBeDefined();
    const timer = timers.mock.results[retry?.at ?? -1]?.value as NodeJS.Timeout | undefined;
    // A service waits for its database, and does not end.
    expect(timer?.hasRef()).toBe(true);
    expect(await store.ready()).toBe(false);
    await expect(Promise.resolve(store.resolveAccessKey('x'))).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(events.heard<StoreWarning>('keyward:store')).toEqual([
      { warning: 'unreachable', detail: expect.stringContaining('ECONNREFUSED') },
    ]);
    await store.close();
    expect((timer as unknown as { readonly _destroyed: boolean } | undefined)?._destroyed).toBe(true);
  });
});

onServer('a store of a server that refuses it', () => {
  it.each([
    ['a database that does not exist', (url: URL) => (url.pathname = '/nothing_here'), '3D000'],
    ['an unknown role', (url: URL) => (url.username = 'nobody_here'), '28000'],
  ])('does not open with %s, and does not try again', async (_what, change, driverCode) => {
    const url = new URL(POSTGRES ?? '');
    change(url);
    await expect(openStore(url.href)).rejects.toMatchObject({
      ...{ name: 'StoreError', code: 'store_unusable', message: expect.stringMatching(/^openStore: /) },
      driverCode,
    });
    expect(events.heard('keyward:store')).toEqual([]);
  });
});

describe('the options of openStore', () => {
  it('are named in the message if they are wrong', async () => {
    await expect(openStore('memory:', { readOnly: 'yes' as never })).rejects.toThrow(/^openStore: option "readOnly" /);
    await expect(openStore('memory:', { readonly: true } as never)).rejects.toThrow(/^openStore: /);
  });

  it('count requests unless the store is read-only', async () => {
    const stores = [await openStore('memory:'), await openStore('memory:', { readOnly: true })];
    expect(stores.map(({ usageOf }) => typeof usageOf)).toEqual(['function', 'undefined']);
    for (const store of stores) await store.close();
  });

  it('need a key that decrypts the signing keys', async () => {
    const place = await placesOf.SQLite();
    const [own, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    for (const encryptionKey of [own, own, undefined]) await (await openStore(place.url, { encryptionKey })).close();
    await expect(openStore(place.url, { encryptionKey: other })).rejects.toMatchObject({ code: 'encryption_key' });
    await place.remove();
  });
});

it('a SQLite file with a table of another program is refused at once', async () => {
  const place = await placesOf.SQLite();
  await onDatabase(place.url, 'create table accounts (name text)');
  await expect(openStore(place.url)).rejects.toMatchObject({
    ...{ name: 'StoreError', code: 'store_unusable', message: expect.stringMatching(/^openStore: .*accounts/) },
    driverCode: 'SQLITE_ERROR',
  });
  expect(events.heard('keyward:store')).toEqual([]);
  await place.remove();
});

describe('the check of a driver', () => {
  it('neither makes a file nor connects', async () => {
    const place = await placesOf.SQLite();
    await expect(checkDriver(place.url)).resolves.toBeUndefined();
    expect(existsSync(fileOf(place.url))).toBe(false);
    await expect(checkDriver(NOWHERE)).resolves.toBeUndefined();
    await expect(checkDriver('memory:')).resolves.toBeUndefined();
    await place.remove();
  });

  it('refuses a URL of no database', async () => {
    await expect(checkDriver('mysql://db/x')).rejects.toThrow(TypeError);
  });
});
