/** The migration that adds metadata, allowed addresses and limits of keys, and the usage of keys. */
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.js';

/**
 * Adds the columns and the table.
 *
 * @param clustersRows - Whether the database can store the rows of a table in the order of the primary key (`without
 *   rowid` in SQLite), which takes less space.
 */
export async function addUserDataAndUsage({ schema }: Kysely<Tables>, clustersRows: boolean): Promise<void> {
  for (const column of ['metadata', 'allowed_addresses', 'limits']) {
    await schema.alterTable('keys').addColumn(column, 'text').execute();
  }
  const usage = schema
    .createTable('usage')
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('day', 'integer', (column) => column.notNull())
    .addColumn('accepted', 'bigint', (column) => column.notNull())
    .addColumn('refused', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_pk', ['key_id', 'day']);
  await (clustersRows ? usage.modifyEnd(sql`without rowid`) : usage).execute();
  // Used to delete the counts of old days.
  await schema.createIndex('usage_of_day').on('usage').column('day').execute();
}
