/** The schema, step by step. A step that was released is never edited; the next one is added at the end. */
import { randomUUID } from 'node:crypto';
import { type Kysely, type Migration, Migrator, sql } from 'kysely';
import { StoreError } from './store-error.js';
import type { Tables } from './tables.js';

/** A dialect's own words. */
export interface SchemaWords {
  /** Statements that make the rows of a table, which have an `id` and a `number`, impossible to change and to delete. */
  freezeTable(table: string): readonly string[];
  /** The type of a primary key that the database draws by itself, each higher than the one before. */
  readonly ownNumber: string;
  /** PostgreSQL's schema; `undefined` where there is none. */
  readonly schema: string | undefined;
}

/**
 * Brings the schema up to date. Two processes that start at once: one migrates, the other finds it done. A schema that
 * is newer than this keyward is left as it is: its steps only add.
 */
export async function migrateSchema(db: Kysely<Tables>, words: SchemaWords): Promise<void> {
  const steps = stepsFor(words);
  const latest = Object.keys(steps).at(-1) ?? '';
  if (await hasRun(db, latest)) return;
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => steps },
    migrationTableName: 'migrations',
    migrationLockTableName: 'migrations_lock',
    ...(words.schema === undefined ? {} : { migrationTableSchema: words.schema }),
  });
  const { error } = await migrator.migrateToLatest();
  // A newer keyward may have migrated in between.
  if (error !== undefined && !(await hasRun(db, latest))) throw error;
}

async function hasRun(db: Kysely<Tables>, name: string): Promise<boolean> {
  try {
    const found = await db.selectFrom('migrations').select('name').where('name', '=', name).execute();
    return found.length > 0;
  } catch (error) {
    if (isNoTable(error)) return false;
    throw error;
  }
}

function isNoTable(error: unknown): boolean {
  if (!(error instanceof StoreError)) return false;
  return error.driverCode === '42P01' || error.message.startsWith('no such table');
}

function stepsFor(words: SchemaWords): Record<string, Migration> {
  return { '0001_keys': { up: (db) => keys(db, words) } };
}

async function keys(db: Kysely<Tables>, words: SchemaWords): Promise<void> {
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
    .addColumn('number', sql.raw(words.ownNumber))
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
  for (const statement of words.freezeTable('audit')) await sql.raw(statement).execute(db);
  await feed(db);
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
