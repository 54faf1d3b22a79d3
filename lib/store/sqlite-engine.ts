/** SQLite through better-sqlite3: a file, or the memory of this process. */
import { closeSync, openSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { Kysely, SqliteDialect, sql } from 'kysely';
import type { Engine } from './engine.js';
import { migrateSchema, type SchemaWords } from './migrations.js';
import { guardedDatabase, WriterDialect } from './sqlite-dialect.js';
import { StoreError, storeErrorOf } from './store-error.js';
import type { Tables } from './tables.js';

/** Milliseconds for which SQLite itself waits for another process, and so holds the event loop. */
const BUSY_TIMEOUT = 50;
/** Milliseconds for which a writer is tried again, holding nothing, and the pause between two tries. */
const GIVE_UP_AFTER = 5_000;
const RETRY_EVERY = 20;
/** Milliseconds between two looks at whether another connection has committed. */
const LOOK_EVERY = 100;

const MEMORY = ':memory:';

interface Connections {
  readonly writer: Kysely<Tables>;
  readonly reader: Kysely<Tables>;
  /** Of the reader. `data_version` changes when another connection has committed; to ask costs no read of the file. */
  readonly dataVersion: () => unknown;
  readonly inode: bigint;
}

/** Opens a database file, or `:memory:`. */
export async function openSqlite(file: string): Promise<Engine> {
  let connections = await patiently(async () => connect(file));

  function version(): string {
    // A file that was put in its place, as a restored backup is: the one that is open is nobody's any more.
    if (file !== MEMORY && inodeOf(file) !== connections.inode) {
      const former = connections;
      connections = connect(file);
      void disconnect(former);
    }
    return `${connections.inode} ${connections.dataVersion()}`;
  }

  function follow(poll: () => Promise<void>): () => void {
    const timer = setInterval(() => void poll(), LOOK_EVERY).unref();
    return () => clearInterval(timer);
  }

  return {
    get reader() {
      return connections.reader;
    },
    transact: (work) => patiently(() => connections.writer.transaction().execute(work)),
    migrate: () => patiently(() => migrateSchema(connections.writer, SCHEMA_WORDS)),
    announce: async () => undefined,
    analyze: () => patiently(async () => void (await sql`analyze`.execute(connections.writer))),
    version,
    follow,
    close: () => disconnect(connections),
  };
}

function connect(file: string): Connections {
  const database = open(file);
  const writer = new Kysely<Tables>({ dialect: new WriterDialect(guardedDatabase(database)) });
  if (file === MEMORY) return { writer, reader: writer, dataVersion: () => 0, inode: 0n };
  const readOnly = new Database(file, { timeout: BUSY_TIMEOUT, readonly: true });
  return {
    writer,
    reader: new Kysely<Tables>({ dialect: new SqliteDialect({ database: guardedDatabase(readOnly) }) }),
    dataVersion: () => readOnly.pragma('data_version', { simple: true }),
    inode: inodeOf(file),
  };
}

/**
 * In a turn of its own on each: to destroy one at once would cut a transaction off, and leave an unused one open. The
 * writer goes last, since the last one to go takes the WAL into the file, and a reader may not.
 */
async function disconnect({ writer, reader }: Connections): Promise<void> {
  if (reader !== writer) await reader.connection().execute(() => reader.destroy());
  await writer.connection().execute(() => writer.destroy());
}

/** Every error of it is a `StoreError`. */
function open(file: string): Database.Database {
  const database = make(file);
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
    const damage = database.pragma('quick_check(1)', { simple: true });
    if (damage !== 'ok') throw new StoreError('store_unusable', `the database file is damaged: ${damage}`);
    return database;
  } catch (error) {
    database.close();
    throw storeErrorOf(error);
  }
}

function make(file: string): Database.Database {
  try {
    // Made by us, so that nobody else may read it; SQLite gives its other files the same rights.
    if (file !== MEMORY) closeSync(openSync(file, 'a', 0o600));
    return new Database(file, { timeout: BUSY_TIMEOUT });
  } catch (error) {
    throw new StoreError('store_unusable', `cannot open the database file: ${storeErrorOf(error).message}`);
  }
}

function inodeOf(file: string): bigint {
  return statSync(file, { bigint: true }).ino;
}

/** Runs work again while another process has the lock. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isBusy = error instanceof StoreError && error.driverCode.startsWith('SQLITE_BUSY');
      if (!isBusy || performance.now() - start > GIVE_UP_AFTER) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_EVERY * (0.5 + Math.random())));
    }
  }
}

function freezeTable(table: string): readonly string[] {
  const refuse = `begin select raise(abort, '${table} is append-only'); end`;
  return [
    `create trigger ${table}_no_update before update on ${table} ${refuse}`,
    `create trigger ${table}_no_delete before delete on ${table} ${refuse}`,
    // `insert or replace` deletes what stands there, and asks no trigger for deletions.
    `create trigger ${table}_no_replace before insert on ${table}
     when exists (select 1 from ${table} where id = new.id or number = new.number) ${refuse}`,
  ];
}

const SCHEMA_WORDS: SchemaWords = {
  freezeTable,
  ownNumber: 'integer primary key autoincrement',
  schema: undefined,
};
