import { afterEach, expect, it, jest } from '@jest/globals';
import { isLocked, mustGiveUp, retryWhileLocked } from '../../lib/store/sqlite/retry-while-locked.js';
import { StoreError } from '../../lib/store/store-error.js';

const locked = (code: string) => new StoreError('store_unavailable', 'the database is locked', code);

afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

it.each<[string, unknown, boolean]>([
  ['SQLITE_BUSY', locked('SQLITE_BUSY'), true],
  ['an extended code of SQLITE_BUSY', locked('SQLITE_BUSY_SNAPSHOT'), true],
  ['another code', locked('SQLITE_READONLY'), false],
  ['an error that the store did not throw', Object.assign(new Error('busy'), { driverCode: 'SQLITE_BUSY' }), false],
])('%s: whether another process locks the database', (_what, error, expected) => {
  expect(isLocked(error)).toBe(expected);
});

it('work is given up after more than five seconds', () => {
  const now = jest.spyOn(performance, 'now');
  const at = (time: number) => {
    now.mockReturnValue(time);
    return mustGiveUp(1_000);
  };
  expect([at(6_000), at(6_001)]).toEqual([false, true]);
});

it.each([
  ['shortest', 0, 10],
  ['longer', 0.75, 25],
])('the %s delay between two attempts', async (_what, random, expected) => {
  jest.spyOn(Math, 'random').mockReturnValue(random);
  jest.useFakeTimers({ doNotFake: ['performance'] });
  const timers = jest.spyOn(globalThis, 'setTimeout');
  let attempts = 0;
  const done = retryWhileLocked(async () => {
    attempts += 1;
    if (attempts === 1) throw locked('SQLITE_BUSY');
    return 'done';
  });
  await jest.runAllTimersAsync();
  expect(await done).toBe('done');
  expect(timers.mock.calls.map(([, delay]) => delay)).toEqual([expected]);
});
