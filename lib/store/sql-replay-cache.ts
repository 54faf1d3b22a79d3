/**
 * The replay cache of the store: a table with the ids of used proofs and assertions, so that none is accepted twice.
 */
import { sql } from 'kysely';
import type { Engine } from './engine.js';

/** Milliseconds between two deletions of expired ids by one process. */
const PRUNE_EVERY = 10_000;
/** The number of rows that one statement deletes. */
const BATCH = 5_000;

export interface SqlReplayCache {
  firstUse(id: string, seconds: number): Promise<boolean>;
}

export function createSqlReplayCache(engine: Engine): SqlReplayCache {
  let prunedAt = Number.NEGATIVE_INFINITY;

  async function firstUse(id: string, seconds: number): Promise<boolean> {
    // This uses the clock of the database, because the clocks of the processes may differ.
    const expiresAt = sql<number>`${engine.now} + cast(${Math.ceil(seconds * 1_000)} as bigint)`;
    const { numInsertedOrUpdatedRows } = await engine.writeForRequest((db) =>
      db
        .insertInto('used_ids')
        .values({ id, expires_at: expiresAt })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirstOrThrow(),
    );
    const now = performance.now();
    if (now - prunedAt >= PRUNE_EVERY) {
      prunedAt = now;
      // If it fails, the next deletion removes the rows.
      void prune().catch(() => undefined);
    }
    return numInsertedOrUpdatedRows === 1n;
  }

  async function prune(): Promise<void> {
    let deleted: bigint;
    do {
      ({ numDeletedRows: deleted } = await engine.transact((tx) => {
        const expired = tx.selectFrom('used_ids').select('id').where('expires_at', '<', engine.now).limit(BATCH);
        return tx.deleteFrom('used_ids').where('id', 'in', expired).executeTakeFirstOrThrow();
      }));
    } while (deleted === BigInt(BATCH));
  }

  return { firstUse };
}
