/** The migration that adds the column for searches of keys, and indexes for the lists of management. */
import { type Kysely, sql } from 'kysely';
import { searchTextOf } from '../repository/search-text.js';
import type { Tables } from '../tables.js';

/**
 * Adds the search column and the indexes.
 *
 * @param indexesTexts - Whether an index may contain strings of any length.
 */
export async function addSearch(db: Kysely<Tables>, indexesTexts: boolean): Promise<void> {
  const { schema } = db;
  await schema
    .alterTable('keys')
    .addColumn('search_text', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  await writeAllSearchTexts(db);
  if (indexesTexts) {
    // The new indexes contain the search text, so that a search reads the table only for keys that match.
    await schema.dropIndex('keys_of_account').execute();
    await schema.dropIndex('keys_of_kind').execute();
    const place = ['created_at', 'id', 'search_text'];
    await schema
      .createIndex('keys_of_account')
      .on('keys')
      .columns(['account', ...place])
      .execute();
    await schema
      .createIndex('keys_of_kind')
      .on('keys')
      .columns(['account', 'kind', ...place])
      .execute();
  }
  await schema.createIndex('audit_of_actor').on('audit').columns(['account', 'actor', 'at', 'number']).execute();
  await schema.createIndex('audit_of_action').on('audit').columns(['account', 'action', 'at', 'number']).execute();
  await schema.createIndex('creations_by_time').on('creations').columns(['account', 'at']).execute();
}

/** The number of keys that one statement of the migration writes. */
const AT_ONCE = 1_000;

/** Writes the column `search_text` of every key. */
export async function writeAllSearchTexts(db: Kysely<Tables>): Promise<void> {
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
    const ids = keys.map(({ id }) => id);
    const secrets = await db.selectFrom('secrets').select(['key_id', 'hint']).where('key_id', 'in', ids).execute();
    const rows = keys.map((key) => {
      const hints = secrets.filter(({ key_id }) => key_id === key.id).map(({ hint }) => hint);
      return sql`(cast(${key.id} as text), cast(${searchTextOf(key, hints)} as text))`;
    });
    const written = sql<{ column1: string; column2: string }>`(values ${sql.join(rows)})`.as('written');
    await db
      .updateTable('keys')
      .from(written)
      .set(({ ref }) => ({ search_text: ref('written.column2') }))
      .whereRef('keys.id', '=', 'written.column1')
      .execute();
  }
}
