/**
 * The migration that adds the public keys of access keys, and a column that says how the tokens of an access key must
 * be bound.
 */
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.js';

export async function addPublicKeys({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createTable('public_keys')
    .addColumn('key_id', 'text', (column) => column.notNull().references('keys.id'))
    .addColumn('kid', 'text', (column) => column.notNull())
    .addColumn('jwk', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint')
    .addColumn('last_used_from', 'text')
    .addPrimaryKeyConstraint('public_keys_pk', ['key_id', 'kid'])
    .execute();
  await schema
    .alterTable('keys')
    .addColumn('require_confirmation', 'text', (column) =>
      column.check(sql`require_confirmation in ('dpop', 'mtls', 'any')`),
    )
    .execute();
}
