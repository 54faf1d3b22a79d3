import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { sql } from 'kysely';
import type { Engine } from '../../../lib/store/engine.js';
import { openSqlite } from '../../../lib/store/sqlite/engine.js';
import { StoreError } from '../../../lib/store/store-error.js';
import type { UsageRow } from '../../../lib/store/tables.js';
import { addUsage } from '../../../lib/store/usage/usage-queries.js';
import { createUsageWriter, type UsageWriter } from '../../../lib/store/usage/usage-writer.js';
import { dayOf } from '../../../lib/store/usage/utc-days.js';

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
    await new Promise(setImmediate);
    expect(transactions).toBeGreaterThan(0);
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

  it('of one key wait once, however many requests it makes', async () => {
    const usage = writerAt(NOON).usageOf('a');
    const refused = writerAt(NOON).usageOf('a');
    for (let count = 0; count < MAX_WAITING; count += 1) {
      usage.accepted();
      refused.refused();
    }
    await new Promise(setImmediate);
    expect(transactions).toBe(0);
  });

  it('of requests that are accepted and refused wait once', async () => {
    const writer = writerAt(NOON);
    for (let key = 1; key < MAX_WAITING; key += 1) {
      const usage = writer.usageOf(`key_${key}`);
      if (key % 2 === 0) usage.refused();
      usage.accepted();
      usage.refused();
    }
    await new Promise(setImmediate);
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
});

describe('counts whose write fails', () => {
  let isAway: boolean;
  let writer: UsageWriter;

  beforeEach(() => {
    isAway = true;
    const transact: Engine['transact'] = async (work) => {
      if (isAway) throw new Error('away');
      return await engine.transact(work);
    };
    writer = createUsageWriter({ ...engine, transact });
  });

  it('are written by the next write, also if nothing was counted since', async () => {
    writer.usageOf('a').accepted();
    await writer.flush();
    expect(await rowsOf()).toEqual([]);
    isAway = false;
    await writer.flush();
    expect(await rowsOf()).toEqual([{ key_id: 'a', accepted: 1, refused: 0 }]);
  });

  it('are those of 100,000 keys, which are still counted, and not of other keys', async () => {
    for (let key = 0; key < 100_000; key += 1) writer.usageOf(`key_${100_000 + key}`).accepted();
    await writer.flush();
    // The first batch of 500 failed, and waits apart from the others.
    for (let key = 0; key < 500; key += 1) writer.usageOf(`another_${key}`).accepted();
    for (const id of ['one_too_many', 'key_150000']) writer.usageOf(id).accepted();
    await writer.flush();
    isAway = false;
    await writer.flush();
    const rows = await rowsOf();
    expect(rows).toHaveLength(100_500);
    expect(rows.filter(({ key_id, accepted }) => accepted === 2 || key_id === 'one_too_many')).toEqual([
      { key_id: 'key_150000', accepted: 2, refused: 0 },
    ]);
  });

  it('are added once if the write succeeds but its answer is lost', async () => {
    let isLost = true;
    const transact: Engine['transact'] = async (work) => {
      const result = await engine.transact(work);
      if (isLost) throw new Error('away');
      return result;
    };
    const unlucky = createUsageWriter({ ...engine, transact });
    unlucky.usageOf('a').accepted();
    await unlucky.flush();
    isLost = false;
    for (const id of ['a', 'b']) unlucky.usageOf(id).refused();
    await unlucky.flush();
    expect(await rowsOf()).toEqual([
      { key_id: 'a', accepted: 1, refused: 1 },
      { key_id: 'b', accepted: 0, refused: 1 },
    ]);
  });
});

describe('counts of many keys', () => {
  const id = (key: number) => `key_${1_000 + key}`;

  it('are written 500 at a time, in the order of the keys', async () => {
    let transactions = 0;
    const transact: Engine['transact'] = async (work) => {
      transactions += 1;
      if (transactions > 1) throw new Error('away');
      return await engine.transact(work);
    };
    const writer = createUsageWriter({ ...engine, transact });
    for (let key = 500; key >= 0; key -= 1) writer.usageOf(id(key)).accepted();
    await writer.flush();
    expect((await rowsOf()).map(({ key_id }) => key_id)).toEqual(Array.from({ length: 500 }, (_, key) => id(key)));
  });

  it('leave nothing to write if they are exactly one batch', async () => {
    const writer = createUsageWriter(engine);
    for (let key = 0; key < 500; key += 1) writer.usageOf(id(key)).accepted();
    await writer.flush();
    writer.usageOf('the next one').accepted();
    await writer.flush();
    expect(await rowsOf()).toHaveLength(501);
  });
});

describe('counts of old days', () => {
  const NOW = Date.UTC(2027, 0, 15, 12);
  const TODAY = dayOf(NOW);

  beforeEach(() => {
    jest.spyOn(Date, 'now').mockReturnValue(NOW);
    engine = { ...engine, now: sql<number>`cast(${NOW} as integer)` };
  });

  it('are deleted after 400 days, with today', async () => {
    await add(usageRow('a', TODAY - 400), usageRow('b', TODAY - 399));
    const writer = createUsageWriter(engine);
    writer.usageOf('c').accepted();
    await writer.flush();
    expect((await rowsOf()).map(({ key_id }) => key_id)).toEqual(['b', 'c']);
  });

  it('are deleted at most once an hour', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    const writer = createUsageWriter(engine);
    const isOldDayDeleted = async () => {
      await add(usageRow('old', 1));
      writer.usageOf('new').accepted();
      await writer.flush();
      const left = await engine.lookups.deleteFrom('usage').where('key_id', '=', 'old').returning('key_id').execute();
      return left.length === 0;
    };
    expect(await isOldDayDeleted()).toBe(true);
    clock.mockReturnValue(3_600_999);
    expect(await isOldDayDeleted()).toBe(false);
    clock.mockReturnValue(3_601_000);
    expect(await isOldDayDeleted()).toBe(true);
    clock.mockReturnValue(3_601_001);
    expect(await isOldDayDeleted()).toBe(false);
  });

  it.each([
    ['until a batch is not full', [500, 500, 499, 500], 3],
    ['until none is left', [500, 0, 500], 2],
    ['in at most 200 batches', Array.from({ length: 1_000 }, () => 500), 200],
  ])('are deleted %s', async (_what, sizes, expected) => {
    let transactions = 0;
    const writer = createUsageWriter({
      ...engine,
      async transact(work) {
        transactions += 1;
        // The counts are added, then expired ids are deleted, and then old days.
        if (transactions <= 2) return await engine.transact(work);
        const size = sizes[transactions - 3];
        if (size === undefined) throw new Error('away');
        return size as Awaited<ReturnType<typeof work>>;
      },
    });
    writer.usageOf('a').accepted();
    await writer.flush();
    expect(transactions - 2).toBe(expected);
  });

  const usageRow = (key_id: string, day: number) => ({ key_id, day, accepted: 1, refused: 0 });
  const add = (...rows: readonly UsageRow[]) => engine.transact((tx) => addUsage(tx, rows));
});

async function rowsOf() {
  return await engine.transact((tx) =>
    tx.selectFrom('usage').select(['key_id', 'accepted', 'refused']).orderBy('key_id').execute(),
  );
}

function storeError(driverCode: string): StoreError {
  return new StoreError('store_unavailable', 'the database refused the write', driverCode);
}
