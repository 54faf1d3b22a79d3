/** The migration that adds the columns and indexes for sorted lists of keys. */
import { type Kysely, sql } from 'kysely';
import { sortNameOf } from '../repository/search-text.js';
import type { Tables } from '../tables.js';

/**
 * Adds the columns and the indexes.
 *
 * @param binaryText - The type of a column whose strings are compared by code point.
 */
export async function addSorting(db: Kysely<Tables>, binaryText: string): Promise<void> {
  const { schema } = db;
  await schema
    .alterTable('keys')
    .addColumn('sort_name', sql.raw(binaryText), (column) => column.notNull().defaultTo(''))
    .execute();
  await schema
    .alterTable('keys')
    .addColumn('used_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await fillColumns(db);
  // A list has either access keys or API keys, so each type has its own index. With one index for both types, a list of
  // few access keys would read all API keys too.
  for (const column of ['sort_name', 'used_at'] as const) {
    const columns = ['account', column, 'id'] as const;
    await schema
      .createIndex(`api_keys_by_${column}`)
      .on('keys')
      .columns([...columns])
      .where(sql<boolean>`kind <> 'access'`)
      .execute();
    await schema
      .createIndex(`access_keys_by_${column}`)
      .on('keys')
      .columns([...columns])
      .where(sql<boolean>`kind = 'access'`)
      .execute();
  }
}

/** The number of keys that one statement of the migration writes. */
const AT_ONCE = 1_000;

async function fillColumns(db: Kysely<Tables>): Promise<void> {
  for (let after = ''; ; ) {
    const keys = await db
      .selectFrom('keys')
      .select(['id', 'name'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(AT_ONCE)
      .execute();
    const last = keys.at(-1);
    if (last === undefined) return;
    after = last.id;
    const uses = await lastUses(
      db,
      keys.map(({ id }) => id),
    );
    const rows = keys.map(
      (key) =>
        sql`(cast(${key.id} as text), cast(${sortNameOf(key)} as text), cast(${uses.get(key.id) ?? 0} as bigint))`,
    );
    const written = sql<{ column1: string; column2: string; column3: number }>`(values ${sql.join(rows)})`.as(
      'written',
    );
    await db
      .updateTable('keys')
      .from(written)
      .set(({ ref }) => ({ sort_name: ref('written.column2'), used_at: ref('written.column3') }))
      .whereRef('keys.id', '=', 'written.column1')
      .execute();
  }
}

async function lastUses(db: Kysely<Tables>, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const table of ['secrets', 'public_keys'] as const) {
    const rows = await db
      .selectFrom(table)
      .select(['key_id', ({ fn }) => fn.max('last_used_at').as('at')])
      .where('key_id', 'in', ids)
      .groupBy('key_id')
      .execute();
    for (const { key_id, at } of rows) found.set(key_id, Math.max(found.get(key_id) ?? 0, Number(at ?? 0)));
  }
  return found;
}
