/** Stores ids that may be used only once: those of proofs, of assertions, and of written batches of usage counts. */
import { type Kysely, sql } from 'kysely';
import type { Engine } from './engine.js';
import type { Tables } from './tables.js';

/** The number of rows that one statement deletes. */
const BATCH = 5_000;

/**
 * Stores an id.
 *
 * @param seconds - How long it is stored, by the clock of the database, because the clocks of the processes may differ.
 * @returns `true` if the id is new; `false` if it was stored already.
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
