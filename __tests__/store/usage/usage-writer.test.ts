import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Engine } from '../../../lib/store/engine.js';
import { openSqlite } from '../../../lib/store/sqlite/engine.js';
import { StoreError } from '../../../lib/store/store-error.js';
import { createUsageWriter } from '../../../lib/store/usage/usage-writer.js';

let engine: Engine;
let warnings: unknown[];
const listener = (warning: unknown) => void warnings.push(warning);

beforeEach(async () => {
  engine = await openSqlite(':memory:');
  await engine.migrate();
  warnings = [];
  subscribe('keyward:store', listener);
});
afterEach(async () => {
  unsubscribe('keyward:store', listener);
  jest.restoreAllMocks();
  await engine.close();
});

const NOT_WRITTEN = [{ warning: 'usage_not_written', detail: 'the database refused the write' }];

it.each<[string, Error, readonly unknown[]]>([
  ['a missing right', storeError('42501'), NOT_WRITTEN],
  ['a missing table', storeError('42P01'), NOT_WRITTEN],
  ['a number that is too large', storeError('22042'), []],
  ['a network error', storeError('ECONNRESET'), []],
  ['an error without a code', storeError(''), []],
  ['an error that the store did not throw', Object.assign(new Error('away'), { driverCode: '42501' }), []],
])('%s: a warning is published only if the database refuses the write', async (_what, error, expected) => {
  const writer = createUsageWriter({ ...engine, transact: async () => Promise.reject(error) });
  writer.usageOf('key_1').accepted();
  await writer.flush();
  expect(warnings).toEqual(expected);
});

describe('counts that wait', () => {
  const NOON = Date.UTC(2027, 0, 15, 12);
  const MAX_WAITING = 100_000;
  let transactions = 0;
  const writerAt = (now: number) => {
    transactions = 0;
    jest.spyOn(Date, 'now').mockReturnValue(now);
    const transact: Engine['transact'] = async (work) => {
      transactions += 1;
      return await engine.transact(work);
    };
    return createUsageWriter({ ...engine, transact });
  };

  it.each([
    ['a minute', NOON, 60_000],
    ['a minute, at the start of a day', Date.UTC(2027, 0, 15), 60_000],
    ['a minute, if the day ends then', Date.UTC(2027, 0, 15, 23, 59), 60_000],
    ['the rest of the day', Date.UTC(2027, 0, 15, 23, 59, 50), 10_000],
  ])('are written once after %s', async (_what, now, delay) => {
    const writer = writerAt(now);
    const timer = jest.spyOn(globalThis, 'setTimeout');
    for (const id of ['a', 'b', 'a']) writer.usageOf(id).accepted();
    expect(timer.mock.calls.map(([, milliseconds]) => milliseconds)).toEqual([delay]);
    timer.mock.calls[0]?.[0]();
    await writer.flush();
    expect(await rowsOf()).toEqual([
      { key_id: 'a', accepted: 2, refused: 0 },
      { key_id: 'b', accepted: 1, refused: 0 },
    ]);
  });

  it('are those of the first counter of a key, until they are written', async () => {
    const writer = writerAt(NOON);
    const [first, second] = [writer.usageOf('a'), writer.usageOf('a')];
    first.accepted();
    second.refused();
    expect(writer.usageOf('a')).toBe(first);
    await writer.flush();
    expect(await rowsOf()).toEqual([{ key_id: 'a', accepted: 1, refused: 1 }]);
    expect(writer.usageOf('a')).not.toBe(first);
  });

  it('of one key wait once, however many requests it makes', () => {
    const usage = writerAt(NOON).usageOf('a');
    const refused = writerAt(NOON).usageOf('a');
    for (let count = 0; count < MAX_WAITING; count += 1) {
      usage.accepted();
      refused.refused();
    }
    expect(transactions).toBe(0);
  });

  it('of requests that are accepted and refused wait once', () => {
    const writer = writerAt(NOON);
    for (let key = 0; key < MAX_WAITING / 2; key += 1) {
      const usage = writer.usageOf(`key_${key}`);
      if (key % 2 === 0) usage.refused();
      usage.accepted();
      usage.refused();
    }
    expect(transactions).toBe(0);
  });

  it('are written at once if they are 100,000', async () => {
    const writer = writerAt(NOON);
    for (let key = 1; key < MAX_WAITING; key += 1) writer.usageOf(`key_${key}`).accepted();
    await new Promise(setImmediate);
    expect(transactions).toBe(0);
    writer.usageOf('the last one').accepted();
    await new Promise(setImmediate);
    expect(transactions).toBeGreaterThan(0);
  });

  async function rowsOf() {
    return await engine.transact((tx) =>
      tx.selectFrom('usage').select(['key_id', 'accepted', 'refused']).orderBy('key_id').execute(),
    );
  }
});

function storeError(driverCode: string): StoreError {
  return new StoreError('store_unavailable', 'the database refused the write', driverCode);
}
