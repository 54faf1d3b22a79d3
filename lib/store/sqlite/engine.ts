/** The SQLite engine, which uses better-sqlite3. The database is a file or in memory. */
import { sql, type Transaction } from 'kysely';
import type { Engine, PlannerHints } from '../engine.js';
import { migrateSchema, type SchemaDialect } from '../migrations/migrations.js';
import { type StoreError, storeClosed, storeErrorOf } from '../store-error.js';
import type { Tables } from '../tables.js';
import {
  canReopen,
  checkInPlace,
  connectSqlite,
  disconnectSqlite,
  hasSameDatabase,
  type SqliteConnections,
} from './connections.js';
import { retryWhileLocked } from './retry-while-locked.js';

/** The number of rows that one search statement reads. It blocks the event loop for a few milliseconds. */
const BATCH = 1_000;
/** Milliseconds between two polls of the change feed. */
const LOOK_EVERY = 100;

/**
 * The current time in milliseconds. 1970-01-01 is the Julian day 2440587.5. `unixepoch('subsec')` is not used, because
 * it needs SQLite 3.42.
 */
const NOW = sql<number>`cast(round((julianday('now') - 2440587.5) * 86400000) as integer)`;

const HINTS: PlannerHints = {
  unlikely: (condition) => sql<boolean>`unlikely(${condition})`,
  unindexed: (column) => sql`+${column}`,
};

/** Opens a database file, or `:memory:`. */
export async function openSqlite(file: string): Promise<Engine> {
  let connections = await retryWhileLocked(async () => connectSqlite(file, { exists: false }));
  let replacements = 0;
  let misplaced: StoreError | undefined;
  let isClosed = false;

  /** @throws StoreError `store_unavailable` if the store is closed. */
  function current(): SqliteConnections {
    if (isClosed) throw storeClosed();
    return connections;
  }

  /**
   * Opens the files again after the database file was replaced, for example by a restored backup, or after its WAL was
   * deleted. It throws if the database file is missing, or if `canReopen` refuses the new file.
   */
  async function reopen(error: unknown): Promise<void> {
    const former = current();
    misplaced = storeErrorOf(error);
    if (!canReopen(file, former)) throw misplaced;
    const isSame = hasSameDatabase(file, former);
    // If only the WAL was deleted, the old connections are closed before a new WAL is created, so that the commits in
    // the old WAL can still be moved into the database file.
    if (isSame) await disconnectSqlite(former, misplaced).catch(() => undefined);
    // The store may have been closed in the meantime. Nothing would close new connections.
    current();
    connections = connectSqlite(file, { exists: true });
    const reason = misplaced;
    misplaced = undefined;
    replacements += 1;
    if (!isSame) await disconnectSqlite(former, reason);
  }

  async function version(): Promise<string> {
    try {
      checkInPlace(file, connections);
    } catch (error) {
      await reopen(error);
    }
    return `${connections.files.database} ${connections.dataVersion()}`;
  }

  /** Runs a transaction. Throws if the file was replaced during it, because the commit is then in the old file. */
  async function transact<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T> {
    const used = current();
    checkInPlace(file, used);
    const result = await used.writer.transaction().execute(work);
    checkInPlace(file, used);
    return result;
  }

  function inPlace(): SqliteConnections {
    const used = current();
    if (misplaced !== undefined) throw misplaced;
    return used;
  }

  async function close(): Promise<void> {
    isClosed = true;
    await disconnectSqlite(connections, storeClosed());
  }

  async function check(): Promise<void> {
    checkInPlace(file, connections);
    await inPlace().lookups.selectFrom('feed_head').select('position').execute();
  }

  function follow(poll: () => Promise<void>): () => void {
    const timer = setInterval(() => void poll(), LOOK_EVERY).unref();
    return () => clearInterval(timer);
  }

  return {
    get lookups() {
      return inPlace().lookups;
    },
    get feed() {
      return inPlace().lookups;
    },
    get lists() {
      return inPlace().lists;
    },
    batch: BATCH,
    hints: HINTS,
    locksRows: false,
    check,
    now: NOW,
    transact,
    writeForRequest: transact,
    migrate: () => retryWhileLocked(() => migrateSchema(current().writer, SCHEMA_DIALECT)),
    announce: async () => undefined,
    analyze: () => retryWhileLocked(async () => void (await sql`analyze`.execute(current().writer))),
    version,
    get replacements() {
      return replacements;
    },
    follow,
    close,
  };
}

function freezeTable(table: string): readonly string[] {
  const refuse = `begin select raise(abort, '${table} is append-only'); end`;
  return [
    `create trigger ${table}_no_update before update on ${table} ${refuse}`,
    `create trigger ${table}_no_delete before delete on ${table} ${refuse}`,
    // Without this trigger, `insert or replace` could overwrite a row, because it does not run the `before delete`
    // trigger.
    `create trigger ${table}_no_replace before insert on ${table}
     when exists (select 1 from ${table} where id = new.id or number = new.number) ${refuse}`,
  ];
}

const SCHEMA_DIALECT: SchemaDialect = {
  freezeTable,
  ownNumber: 'integer primary key autoincrement',
  indexesTexts: true,
  schema: undefined,
};
