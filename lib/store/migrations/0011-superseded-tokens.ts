import type { Kysely } from 'kysely';
import type { Tables } from '../tables.js';

/** The migration that adds how many revoked tokens of an access key are superseded. */
export async function addSupersededTokens({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .alterTable('keys')
    .addColumn('tokens_superseded', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
