/** Reads and writes the usage of keys: how many requests of each key were accepted and refused on each day. */
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Environment } from '../../credentials/environment.js';
import type { Engine } from '../engine.js';
import type { Tables, UsageRow } from '../tables.js';
import { storeUsedId } from '../used-ids.js';

/** The number of requests of one key in a period. */
export interface UsageTotal {
  readonly key_id: string;
  readonly accepted: number;
  readonly refused: number;
}

/** Usage counts that are written in one transaction. */
export interface UsageBatch {
  /**
   * A random id. If the answer to COMMIT is lost, the batch is written again, and the id prevents a second addition.
   */
  readonly id: string;
  readonly rows: readonly UsageRow[];
}

/** Seconds for which the id of a batch is stored: 7 days. After a longer outage, a batch may be counted twice. */
const STORE_ID_FOR = 7 * 86_400;

/**
 * Adds the counts of a batch, unless they were added before.
 *
 * @param previous - The id of the previous batch of this process. It is deleted, because that batch will not be
 *   repeated.
 */
export async function addUsageOnce(
  engine: Engine,
  tx: Transaction<Tables>,
  { id, rows }: UsageBatch,
  previous: string,
): Promise<void> {
  if (!(await storeUsedId(engine, tx, id, STORE_ID_FOR))) return;
  await tx.deleteFrom('used_ids').where('id', '=', previous).execute();
  await addUsage(tx, rows);
}

/** Adds counts to the stored counts of the same key and day, which other processes may have written. */
export async function addUsage(tx: Transaction<Tables>, rows: readonly UsageRow[]): Promise<void> {
  await tx
    .insertInto('usage')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['key_id', 'day']).doUpdateSet(({ eb, ref }) => ({
        accepted: eb(ref('usage.accepted'), '+', ref('excluded.accepted')),
        refused: eb(ref('usage.refused'), '+', ref('excluded.refused')),
      })),
    )
    .execute();
}

/**
 * Deletes counts of days before `day`, for all keys.
 *
 * @returns The number of deleted rows, at most `limit`.
 */
export async function deleteUsageBefore(tx: Transaction<Tables>, day: number, limit: number): Promise<number> {
  const old = tx.selectFrom('usage').select(['key_id', 'day']).where('day', '<', day).limit(limit);
  const { numDeletedRows } = await tx
    .deleteFrom('usage')
    .where(({ eb, refTuple }) => eb(refTuple('key_id', 'day'), 'in', old.$asTuple('key_id', 'day')))
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/**
 * Returns the counts of a key on each day from `from` to `to`, oldest day first. Days without requests are left out.
 */
export async function usageOfKey(
  db: Kysely<Tables>,
  key: string,
  from: number,
  to: number,
): Promise<readonly UsageRow[]> {
  const query = db.selectFrom('usage').selectAll().where('key_id', '=', key);
  return await query.where('day', '>=', from).where('day', '<=', to).orderBy('day').execute();
}

/** Selects the keys whose counts are read. Keys of another account or another environment are left out. */
export interface CountedKeys {
  readonly account: string;
  readonly environment: Environment | undefined;
  readonly ids: readonly string[];
}

/** Returns the number of requests of each key since the day `from`. Keys without requests are left out. */
export async function usageTotals(
  db: Kysely<Tables>,
  { account, environment, ids }: CountedKeys,
  from: number,
): Promise<readonly UsageTotal[]> {
  if (ids.length === 0) return [];
  let keys = db.selectFrom('keys').select('id').where('id', 'in', ids).where('account', '=', account);
  if (environment !== undefined) keys = keys.where('environment', '=', environment);
  return await db
    .selectFrom('usage')
    .select('key_id')
    .select(sql<number>`cast(sum(accepted) as bigint)`.as('accepted'))
    .select(sql<number>`cast(sum(refused) as bigint)`.as('refused'))
    .where('key_id', 'in', keys)
    .where('day', '>=', from)
    .groupBy('key_id')
    .execute();
}
