/** The migration that adds the replay cache: a table with the used ids of proofs and assertions. */
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.js';

export async function addUsedIds({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createTable('used_ids')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  await schema.createIndex('used_ids_by_expiry').on('used_ids').column('expires_at').execute();
}
