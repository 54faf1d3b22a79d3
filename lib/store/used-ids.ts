/**
 * Stores ids that may be used only once. The replay cache stores the ids of DPoP proofs and client assertions, so that
 * they are not accepted twice. The usage writer stores the ids of its batches, so that they are not counted twice.
 */
import { type Kysely, sql } from 'kysely';
import type { Engine } from './engine.js';
import type { Tables } from './tables.js';

/** The number of rows that one statement deletes. */
const BATCH = 1_000;
/** Minimum milliseconds between two deletions of expired ids by the replay cache of one process. */
const PRUNE_EVERY = 10_000;

/**
 * Stores an id.
 *
 * @param seconds - How long the id is stored. The clock of the database decides, because those of processes may differ.
 * @returns `true` if the id is new; `false` if it is already stored.
 */
export async function storeUsedId(engine: Engine, db: Kysely<Tables>, id: string, seconds: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('used_ids')
    .values({ id, expires_at: sql<number>`${engine.now} + cast(${Math.ceil(seconds * 1_000)} as bigint)` })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

export async function deleteExpiredIds(engine: Engine): Promise<void> {
  let deleted: bigint;
  do {
    ({ numDeletedRows: deleted } = await engine.transact((tx) => {
      const expired = tx.selectFrom('used_ids').select('id').where('expires_at', '<', engine.now).limit(BATCH);
      return tx.deleteFrom('used_ids').where('id', 'in', expired).executeTakeFirstOrThrow();
    }));
  } while (deleted === BigInt(BATCH));
}

/** The replay cache in the database: several processes that use the same database share it. */
export interface SqlReplayCache {
  firstUse(id: string, seconds: number): Promise<boolean>;
}

export function createSqlReplayCache(engine: Engine): SqlReplayCache {
  let prunedAt = Number.NEGATIVE_INFINITY;

  async function firstUse(id: string, seconds: number): Promise<boolean> {
    const isNew = await engine.writeForRequest((db) => storeUsedId(engine, db, id, seconds));
    const now = performance.now();
    if (now - prunedAt >= PRUNE_EVERY) {
      prunedAt = now;
      // An error is ignored, because the next deletion removes the same rows.
      void deleteExpiredIds(engine).catch(() => undefined);
    }
    return isNew;
  }

  return { firstUse };
}
