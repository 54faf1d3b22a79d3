import type { Kysely } from 'kysely';
import type { Tables } from '../tables.js';

/** The migration that adds the table of the digests of deleted secrets (see `EndedDigestRow`). */
export async function addEndedDigests({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createTable('ended_digests')
    .addColumn('digest', 'text', (column) => column.primaryKey())
    .addColumn('key_id', 'text', (column) => column.notNull().references('keys.id'))
    .execute();
}
