import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { StoreWarning } from 'keyward/store';
import type { Engine } from '../../lib/store/engine.js';
import { openSqlite } from '../../lib/store/sqlite/engine.js';
import { StoreError } from '../../lib/store/store-error.js';
import { deferred } from '../support/deferred.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';

/** The engine of the next store that is opened. */
let engine: Engine;
jest.unstable_mockModule('../../lib/store/postgres/engine.js', () => ({ openPostgres: () => engine }));
const { openStore } = await import('../../lib/store/open-store.js');

const RETRY_INTERVAL = 1_000;
const UNREACHABLE = { warning: 'unreachable', detail: 'no answer' };
const UNUSABLE = { warning: 'unusable', detail: 'no answer' };
const REACHABLE = { warning: 'reachable', detail: undefined };

let events: Eavesdropper;
/** How the attempts to bring the tables up to date end. An attempt that is not listed succeeds. */
let attempts: Promise<void>[];
let attempted: number;
let follow: jest.Mock<Engine['follow']>;
let close: jest.Mock<() => Promise<void>>;

beforeEach(async () => {
  jest.useFakeTimers({ doNotFake: ['Date', 'performance', 'nextTick', 'queueMicrotask', 'setImmediate'] });
  events = eavesdrop();
  attempts = [];
  attempted = 0;
  const database = await openSqlite(':memory:');
  await database.migrate();
  follow = jest.fn<Engine['follow']>(() => () => undefined);
  close = jest.fn(() => database.close());
  engine = {
    ...database,
    async migrate() {
      attempted += 1;
      await attempts[attempted - 1];
    },
    follow,
    close,
  };
});

afterEach(() => {
  jest.useRealTimers();
  events.stop();
});

const open = () => openStore('postgres://db/x');
const warnings = () => events.heard<StoreWarning>('keyward:store');

function failing(driverCode: string): Promise<never> {
  const failed = Promise.reject(new StoreError('store_unavailable', 'no answer', driverCode));
  // A later attempt may wait for it, or none.
  failed.catch(() => undefined);
  return failed;
}

describe('a database that answers at once', () => {
  it('is opened without a warning', async () => {
    const store = await open();
    expect(await store.ready()).toBe(true);
    expect([attempted, follow.mock.calls.length, warnings()]).toEqual([1, 1, []]);
    await store.close();
  });

  it.each(['28000', '28P01', '3D000', '42501'])('is not opened if it refuses with %s', async (driverCode) => {
    attempts = [failing(driverCode)];
    await expect(open()).rejects.toMatchObject({
      ...{ name: 'StoreError', code: 'store_unusable', message: 'openStore: no answer', driverCode },
    });
    expect([close.mock.calls.length, follow.mock.calls.length, warnings()]).toEqual([1, 0, []]);
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('a database that does not answer', () => {
  it.each(['ECONNREFUSED', '57P03', '08006', '42P01', 'XX028', 'XX03D'])('is tried again after %s', async (code) => {
    attempts = [failing(code), failing(code)];
    const store = await open();
    await jest.advanceTimersByTimeAsync(RETRY_INTERVAL - 1);
    expect([attempted, warnings()]).toEqual([1, [UNREACHABLE]]);
    await jest.advanceTimersByTimeAsync(1);
    expect([attempted, warnings()]).toEqual([2, [UNREACHABLE, UNREACHABLE]]);
    await jest.advanceTimersByTimeAsync(RETRY_INTERVAL);
    expect([attempted, warnings()]).toEqual([3, [UNREACHABLE, UNREACHABLE, REACHABLE]]);
    await jest.advanceTimersByTimeAsync(2 * RETRY_INTERVAL);
    expect(attempted).toBe(3);
    await store.close();
  });

  it('is not ready before its tables are up to date, although it can be read', async () => {
    attempts = [failing('ECONNREFUSED')];
    const store = await open();
    await expect(engine.check({ write: true })).resolves.toBeUndefined();
    expect(await store.ready()).toBe(false);
    expect(follow).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(RETRY_INTERVAL);
    expect(await store.ready()).toBe(true);
    expect(follow).toHaveBeenCalledTimes(1);
    await store.close();
  });

  it('is reported if it refuses later', async () => {
    attempts = [failing('ECONNREFUSED'), failing('28P01')];
    const store = await open();
    await jest.advanceTimersByTimeAsync(RETRY_INTERVAL);
    expect(warnings()).toEqual([UNREACHABLE, UNUSABLE]);
    await jest.advanceTimersByTimeAsync(RETRY_INTERVAL);
    expect(warnings()).toEqual([UNREACHABLE, UNUSABLE, REACHABLE]);
    await store.close();
  });

  it('is not tried again after the store was closed', async () => {
    attempts = [failing('ECONNREFUSED')];
    const store = await open();
    await store.close();
    expect(jest.getTimerCount()).toBe(0);
    expect([attempted, close.mock.calls.length]).toEqual([1, 1]);
  });

  it.each<[string, (attempt: ReturnType<typeof deferred<void>>) => void]>([
    ['succeeds', ({ resolve }) => resolve()],
    ['fails', ({ reject }) => reject(new StoreError('store_unavailable', 'the store is closed'))],
  ])('is forgotten if the store is closed during an attempt that %s', async (_how, settle) => {
    const attempt = deferred<void>();
    attempts = [failing('ECONNREFUSED'), attempt.promise];
    const store = await open();
    await jest.advanceTimersByTimeAsync(RETRY_INTERVAL);
    expect(attempted).toBe(2);
    await store.close();
    settle(attempt);
    await new Promise(setImmediate);
    expect([follow.mock.calls.length, jest.getTimerCount(), warnings()]).toEqual([0, 0, [UNREACHABLE]]);
    expect(await store.ready()).toBe(false);
  });
});
