import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { sql } from 'kysely';
import type { Engine } from '../../lib/store/engine.js';
import { openSqlite } from '../../lib/store/sqlite/engine.js';
import { createSqlReplayCache, deleteExpiredIds, storeUsedId } from '../../lib/store/used-ids.js';

const NOW = 1_800_000_000_000;

describe('used ids', () => {
  let engine: Engine;
  let transactions: number;

  beforeEach(async () => {
    const database = await openSqlite(':memory:');
    await database.migrate();
    transactions = 0;
    engine = {
      ...database,
      now: sql<number>`${NOW}`,
      transact(work) {
        transactions += 1;
        return database.transact(work);
      },
    };
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await engine.close();
  });

  const ids = async () => (await engine.lists.selectFrom('used_ids').selectAll().orderBy('id').execute()) as object[];
  const add = (id: string, expires_at: number) =>
    engine.lookups.insertInto('used_ids').values({ id, expires_at }).execute();

  it('are stored until their seconds have passed, rounded up to a millisecond', async () => {
    await storeUsedId(engine, engine.lookups, 'a', 70);
    await storeUsedId(engine, engine.lookups, 'b', 0.0001);
    expect(await ids()).toEqual([
      { id: 'a', expires_at: NOW + 70_000 },
      { id: 'b', expires_at: NOW + 1 },
    ]);
  });

  it('are deleted when they have expired, all of them, in batches of 1,000', async () => {
    const rows = Array.from({ length: 2_001 }, (_, at) => ({ id: `old ${at}`, expires_at: NOW - 1 }));
    for (let at = 0; at < rows.length; at += 1_000) {
      await engine.lookups
        .insertInto('used_ids')
        .values(rows.slice(at, at + 1_000))
        .execute();
    }
    await add('ends now', NOW);
    await deleteExpiredIds(engine);
    expect([await ids(), transactions]).toEqual([[{ id: 'ends now', expires_at: NOW }], 3]);
  });

  it('are deleted by a use at most every 10 s', async () => {
    const cache = createSqlReplayCache(engine);
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    const isDeleted = async (id: string) => {
      await add(`expired ${id}`, NOW - 1);
      await cache.firstUse(id, 60);
      await new Promise(setImmediate);
      return !JSON.stringify(await ids()).includes(`expired ${id}`);
    };
    expect(await isDeleted('first')).toBe(true);
    clock.mockReturnValue(10_999);
    expect(await isDeleted('second')).toBe(false);
    clock.mockReturnValue(11_000);
    expect(await isDeleted('third')).toBe(true);
  });

  it('are new even if the expired ones cannot be deleted', async () => {
    jest.spyOn(engine, 'transact').mockRejectedValue(new Error('away'));
    expect(await createSqlReplayCache(engine).firstUse('a', 60)).toBe(true);
  });
});
