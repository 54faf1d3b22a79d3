/** Runs the migrations of the database schema. Never edit a released migration; add a new migration at the end. */
import { randomUUID } from 'node:crypto';
import { type Kysely, type Migration, sql } from 'kysely';
import { StoreError } from '../store-error.js';
import type { Tables } from '../tables.js';
import { addSearch } from './0005-search.js';
import { addUserDataAndUsage } from './0006-user-data-and-usage.js';
import { addPublicKeys } from './0007-client-public-keys.js';
import { addUsedIds } from './0008-used-ids.js';
import { addRevokedTokens } from './0009-revoked-tokens.js';
import { addSorting } from './0010-sorting.js';
import { addSupersededTokens } from './0011-superseded-tokens.js';
import { addEndedDigests } from './0012-ended-digests.js';
import { loadMigrator } from './load-migrator.js';

/** The differences between the SQL dialects of SQLite and PostgreSQL that the migrations must respect. */
export interface SchemaDialect {
  /** Returns statements that make a table append-only. The table must have the columns `id` and `number`. */
  freezeTable(table: string): readonly string[];
  /** The type of a primary key that the database assigns in ascending order. */
  readonly ownNumber: string;
  /**
   * Whether an index may contain strings of any length. PostgreSQL refuses to write a row whose indexed strings are too
   * long.
   */
  readonly indexesTexts: boolean;
  /** The name of the PostgreSQL schema; `undefined` on SQLite. */
  readonly schema: string | undefined;
}

/**
 * Brings the schema up to date. If two processes start at the same time, only one of them migrates. A schema that is
 * newer than this version of keyward is not changed: this version can use it, because migrations remove no tables and
 * no columns.
 */
export async function migrateSchema(db: Kysely<Tables>, dialect: SchemaDialect): Promise<void> {
  const steps = stepsFor(dialect);
  const latest = Object.keys(steps).at(-1) ?? '';
  if (await hasRun(db, latest)) return;
  const Migrator = await loadMigrator();
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => steps },
    migrationTableName: 'migrations',
    migrationLockTableName: 'migrations_lock',
    ...(dialect.schema === undefined ? {} : { migrationTableSchema: dialect.schema }),
  });
  const { error } = await migrator.migrateToLatest();
  // The error does not matter if another process has meanwhile run the migrations of this version or a newer one.
  if (error !== undefined && !(await hasRun(db, latest))) throw error;
}

/** Whether the latest migration of this version of keyward has run. A newer version may have run more. */
export async function isMigrated(db: Kysely<Tables>, dialect: SchemaDialect): Promise<boolean> {
  return await hasRun(db, Object.keys(stepsFor(dialect)).at(-1) ?? '');
}

async function hasRun(db: Kysely<Tables>, name: string): Promise<boolean> {
  try {
    const found = await db.selectFrom('migrations').select('name').where('name', '=', name).execute();
    return found.length > 0;
  } catch (error) {
    if (isMissingTable(error)) return false;
    throw error;
  }
}

function isMissingTable(error: unknown): boolean {
  if (!(error instanceof StoreError)) return false;
  return error.driverCode === '42P01' || error.message.startsWith('no such table');
}

function stepsFor(dialect: SchemaDialect): Record<string, Migration> {
  return {
    '0001_keys': { up: (db) => keys(db, dialect) },
    '0002_ended_secrets': { up: endedSecrets },
    '0003_signing_keys': { up: signingKeys },
    '0004_refusals': { up: refusals },
    '0005_search': { up: (db) => addSearch(db, dialect.indexesTexts) },
    '0006_user_data_and_usage': { up: (db) => addUserDataAndUsage(db, dialect.schema === undefined) },
    '0007_public_keys': { up: addPublicKeys },
    '0008_used_ids': { up: addUsedIds },
    '0009_revoked_tokens': { up: addRevokedTokens },
    '0010_sorting': { up: (db) => addSorting(db, dialect.schema === undefined ? 'text' : 'text collate "C"') },
    '0011_superseded_tokens': { up: addSupersededTokens },
    '0012_ended_digests': { up: addEndedDigests },
  };
}

async function keys(db: Kysely<Tables>, dialect: SchemaDialect): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('accounts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('apis', 'text', (column) => column.notNull())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('channels', 'text', (column) => column.notNull())
    .addColumn('platforms', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('disabled_at', 'bigint')
    .addColumn('version', 'integer', (column) => column.notNull())
    .execute();
  await schema
    .createTable('keys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull().check(sql`kind in ('secret', 'public', 'access')`))
    .addColumn('account', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('environment', 'text', (column) => column.notNull().check(sql`environment in ('live', 'sandbox')`))
    .addColumn('name', 'text')
    .addColumn('apis', 'text')
    .addColumn('scopes', 'text')
    .addColumn('default_scopes', 'text')
    .addColumn('channels', 'text', (column) => column.notNull())
    .addColumn('platform', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('created_by', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .addColumn('disabled_at', 'bigint')
    .addColumn('tokens_not_before', 'bigint')
    .addColumn('version', 'integer', (column) => column.notNull())
    .execute();
  await schema.createIndex('keys_of_account').on('keys').columns(['account', 'created_at', 'id']).execute();
  await schema.createIndex('keys_of_kind').on('keys').columns(['account', 'kind', 'created_at', 'id']).execute();
  await schema
    .createTable('secrets')
    .addColumn('digest', 'text', (column) => column.primaryKey())
    .addColumn('key_id', 'text', (column) => column.notNull().references('keys.id'))
    .addColumn('hint', 'text', (column) => column.notNull())
    .addColumn('public_text', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('retires_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .addColumn('last_used_from', 'text')
    .execute();
  await schema.createIndex('secrets_of_key').on('secrets').column('key_id').execute();
  await schema
    .createTable('creations')
    .addColumn('account', 'text', (column) => column.notNull())
    .addColumn('idempotency_key', 'text', (column) => column.notNull())
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull().references('keys.id'))
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('creations_pk', ['account', 'idempotency_key'])
    .execute();
  await schema
    .createTable('signing_keys')
    .addColumn('number', 'integer', (column) => column.primaryKey())
    .addColumn('kid', 'text', (column) => column.notNull().unique())
    .addColumn('alg', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('jwe', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createTable('audit')
    .addColumn('number', sql.raw(dialect.ownNumber))
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('account', 'text', (column) => column.notNull())
    .addColumn('actor', 'text', (column) => column.notNull())
    .addColumn('role', 'text')
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('subject', 'text')
    .addColumn('before', 'text')
    .addColumn('after', 'text')
    .addColumn('origin', 'text')
    .execute();
  await schema.createIndex('audit_of_account').on('audit').columns(['account', 'at', 'number']).execute();
  await schema.createIndex('audit_of_subject').on('audit').columns(['subject', 'at', 'number']).execute();
  for (const statement of dialect.freezeTable('audit')) await sql.raw(statement).execute(db);
  await feed(db);
}

async function endedSecrets({ schema }: Kysely<Tables>): Promise<void> {
  await schema.alterTable('secrets').addColumn('ended_at', 'bigint').execute();
}

async function signingKeys({ schema }: Kysely<Tables>): Promise<void> {
  await schema.alterTable('signing_keys').addColumn('retired_at', 'bigint').execute();
  await schema
    .createTable('encryption_check')
    .addColumn('one', 'integer', (column) => column.primaryKey().check(sql`one = 1`))
    .addColumn('jwe', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createTable('issuers')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('algorithm', 'text', (column) => column.notNull())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .execute();
}

async function refusals(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('refusals')
    .addColumn('account', 'text', (column) => column.notNull())
    .addColumn('actor', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('code', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('minute', 'bigint', (column) => column.notNull())
    .addColumn('entry', 'text', (column) => column.notNull().unique())
    .addColumn('count', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('refusals_pk', ['account', 'actor', 'action', 'code', 'key_id', 'minute'])
    .execute();
}

async function feed(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('changes')
    .addColumn('position', 'bigint', (column) => column.primaryKey())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('member', 'text', (column) => column.notNull())
    .addColumn('subject', 'text')
    .execute();
  await db.schema
    .createTable('feed_head')
    .addColumn('one', 'integer', (column) => column.primaryKey().check(sql`one = 1`))
    .addColumn('position', 'bigint', (column) => column.notNull())
    .execute();
  await db.insertInto('changes').values({ position: 0, id: randomUUID(), member: 'all', subject: null }).execute();
  await db.insertInto('feed_head').values({ one: 1, position: 0 }).execute();
}
