import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import type { Engine } from '../../../lib/store/engine.js';
import type { UsageRow } from '../../../lib/store/tables.js';
import {
  addUsage,
  addUsageOnce,
  deleteUsageBefore,
  usageOfKey,
  usageTotals,
} from '../../../lib/store/usage/usage-queries.js';
import { makeRepository, type TestRepository } from '../../support/store-repository.js';
import { accountRow, keyRow } from '../../support/stored-rows.js';
import { engines } from '../../support/test-stores.js';

const NOW = 1_800_000_000_000;
const WEEK = 7 * 86_400_000;

const usageRow = (key_id: string, day: number, accepted = 1, refused = 2): UsageRow => ({
  ...{ key_id, day, accepted, refused },
});

describe.each(engines)('usage counts in %s', (name) => {
  let test: TestRepository;
  let engine: Engine;

  beforeEach(async () => {
    test = await makeRepository(name);
    engine = { ...test.engine, now: sql<number>`cast(${NOW} as bigint)` };
  });
  afterEach(() => test.close());

  const add = (...rows: readonly UsageRow[]) => engine.transact((tx) => addUsage(tx, rows));
  const stored = () => engine.lists.selectFrom('usage').selectAll().orderBy('key_id').orderBy('day').execute();

  it('are added to the stored counts of the same key and day', async () => {
    await add(usageRow('a', 1), usageRow('a', 2), usageRow('b', 1));
    await add(usageRow('a', 1, 10, 20), usageRow('c', 1));
    expect(await stored()).toEqual([usageRow('a', 1, 11, 22), usageRow('a', 2), usageRow('b', 1), usageRow('c', 1)]);
  });

  it('of a batch are added once; its id is stored for a week, and that of the previous batch is deleted', async () => {
    const ids = () => engine.lists.selectFrom('used_ids').selectAll().orderBy('id').execute();
    const write = (id: string, previous: string) =>
      engine.transact((tx) => addUsageOnce(engine, tx, { id, rows: [usageRow('a', 1)] }, previous));
    await write('one', '');
    await write('other', '');
    await write('two', 'one');
    for (const _time of [1, 2]) await write('two', 'other');
    expect(await ids()).toEqual(['other', 'two'].map((id) => ({ id, expires_at: NOW + WEEK })));
    expect(await stored()).toEqual([usageRow('a', 1, 3, 6)]);
  });

  it('of days before a day are deleted, at most as many as the limit', async () => {
    await add(...['a', 'b'].flatMap((key) => [1, 2, 3].map((day) => usageRow(key, day))));
    const remove = (limit: number) => engine.transact((tx) => deleteUsageBefore(tx, 3, limit));
    expect([await remove(3), await remove(3), await remove(3)]).toEqual([3, 1, 0]);
    expect(await stored()).toEqual([usageRow('a', 3), usageRow('b', 3)]);
  });

  it('of a key are read for the days of a period, oldest first', async () => {
    await add(...[4, 2, 1, 3].map((day) => usageRow('a', day)), usageRow('b', 2));
    expect(await usageOfKey(engine.lists, 'a', 2, 3)).toEqual([usageRow('a', 2), usageRow('a', 3)]);
    expect(await usageOfKey(engine.lists, 'none', 1, 4)).toEqual([]);
  });

  it('are added up for the keys of one account or of one of its environments', async () => {
    await test.repository.transact(async (tx) => {
      for (const id of ['acme', 'other']) await tx.insertAccount(accountRow({ id }));
      await tx.insertKey(keyRow({ id: 'a' }), []);
      await tx.insertKey(keyRow({ id: 'b', environment: 'sandbox' }), []);
      await tx.insertKey(keyRow({ id: 'c' }), []);
      await tx.insertKey(keyRow({ id: 'd', account: 'other' }), []);
    });
    await add(...['a', 'b', 'c', 'd'].flatMap((key) => [1, 2, 3].map((day) => usageRow(key, day, day, 10 * day))));
    const ids = ['a', 'b', 'd', 'none'];
    const totals = async (environment: 'live' | 'sandbox' | undefined, from: number, keys = ids) => {
      const rows = await usageTotals(engine.lists, { account: 'acme', environment, ids: keys }, from);
      return [...rows].sort((one, other) => (one.key_id < other.key_id ? -1 : 1));
    };
    const total = (key_id: string) => ({ key_id, accepted: 5, refused: 50 });
    expect(await totals(undefined, 2)).toEqual([total('a'), total('b')]);
    expect(await totals('live', 2)).toEqual([total('a')]);
    expect(await totals('sandbox', 2)).toEqual([total('b')]);
    expect(await totals(undefined, 4)).toEqual([]);
    expect(await totals(undefined, 2, [])).toEqual([]);
  });
});
