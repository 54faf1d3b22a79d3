import type { Kysely } from 'kysely';
import type { Tables } from '../tables.js';

/** The migration that adds the column `tokens_superseded` (see `StoredKeyRow`). */
export async function addSupersededTokens({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .alterTable('keys')
    .addColumn('tokens_superseded', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
