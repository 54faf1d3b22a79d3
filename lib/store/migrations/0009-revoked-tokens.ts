import type { Kysely } from 'kysely';
import type { Tables } from '../tables.js';

/** The migration that adds the table of revoked tokens, and the number of revoked tokens of each access key. */
export async function addRevokedTokens({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .alterTable('keys')
    .addColumn('tokens_revoked', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await schema
    .createTable('revoked_tokens')
    .addColumn('key_id', 'text', (column) => column.notNull().references('keys.id'))
    .addColumn('jti', 'text', (column) => column.notNull())
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('revoked_tokens_pk', ['key_id', 'jti'])
    .execute();
  await schema.createIndex('revoked_tokens_by_number').on('revoked_tokens').columns(['key_id', 'number']).execute();
  await schema.createIndex('revoked_tokens_by_expiry').on('revoked_tokens').column('expires_at').execute();
}
