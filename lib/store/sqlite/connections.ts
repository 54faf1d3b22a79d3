/** Opens connections to a SQLite file, or to a database in memory. */
import { closeSync, openSync, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { StoreError, storeErrorOf } from '../store-error.js';
import type { Tables } from '../tables.js';
import { guardedDatabase, TurnDialect, WriterDialect } from './kysely-dialect.js';

const MEMORY = ':memory:';

/**
 * Milliseconds that SQLite waits for a lock of another process. It is short, because the wait blocks the event loop.
 */
const BUSY_TIMEOUT = 50;

/**
 * The endings of the files next to the database file: new commits (write-ahead log), and an index of them with locks.
 */
const COMPANIONS = ['-wal', '-shm'];

export interface SqliteConnections {
  readonly writer: Kysely<Tables>;
  readonly lookups: Kysely<Tables>;
  readonly lists: Kysely<Tables>;
  /** Aborted when the connections are closed, with the error for the writes that wait for a lock of another process. */
  readonly closing: AbortController;
  /** Each connection with its database, in the order in which they are closed. */
  readonly databases: ReadonlyMap<Kysely<Tables>, Database.Database>;
  /**
   * Returns a value that changes after each commit to the file, by this or another process. It is cheap, because it
   * reads no rows. For a database in memory, it never changes.
   */
  readonly dataVersion: () => unknown;
  /** The inodes of the database file, `-wal` and `-shm` when they were opened. A replaced file has another inode. */
  readonly files: OpenFiles;
}

interface OpenFiles {
  readonly database: bigint | undefined;
  readonly companions: readonly (bigint | undefined)[];
}

/**
 * Opens the connections.
 *
 * @param exists - Whether the file must exist; otherwise it is created.
 */
export function connectSqlite(file: string, { exists }: { readonly exists: boolean }): SqliteConnections {
  const database = open(file, exists);
  const closing = new AbortController();
  const writer = new Kysely<Tables>({ dialect: new WriterDialect(guardedDatabase(database), closing.signal) });
  if (file === MEMORY) {
    const files = { database: undefined, companions: [] };
    const databases = new Map([[writer, database]]);
    return { writer, lookups: writer, lists: writer, closing, databases, dataVersion: () => 0, files };
  }
  const forLookups = new Database(file, { timeout: BUSY_TIMEOUT, readonly: true });
  const forLists = new Database(file, { timeout: BUSY_TIMEOUT, readonly: true });
  const lookups = new Kysely<Tables>({ dialect: new SqliteDialect({ database: guardedDatabase(forLookups) }) });
  const lists = new Kysely<Tables>({ dialect: new TurnDialect(guardedDatabase(forLists)) });
  return {
    writer,
    lookups,
    lists,
    closing,
    // The last connection must move the commits in the WAL into the database file. The read-only ones cannot do this.
    databases: new Map([
      [lists, forLists],
      [lookups, forLookups],
      [writer, database],
    ]),
    dataVersion: () => forLookups.pragma('data_version', { simple: true }),
    files: filesOf(file),
  };
}

/**
 * Closes the connections one after another. `connection()` waits for a running transaction. The databases are closed
 * without `destroy()` of Kysely, which would then throw errors that are no `StoreError`.
 *
 * @param reason - The error for the writes that wait for a lock of another process.
 */
export async function disconnectSqlite({ closing, databases }: SqliteConnections, reason: StoreError): Promise<void> {
  closing.abort(reason);
  for (const [db, database] of databases) {
    await db.connection().execute(async () => {
      // A transaction that has just been committed must first check its file, because closing deletes the WAL.
      await setImmediate();
      database.close();
    });
  }
}

/**
 * Checks that the open file was not deleted or replaced. Without this check, the connections would continue to use the
 * deleted file, and writes would be lost.
 *
 * @throws StoreError `store_unavailable`
 */
export function checkInPlace(file: string, { files }: SqliteConnections): void {
  if (file === MEMORY) return;
  const found = filesOf(file);
  if (found.database === files.database && String(found.companions) === String(files.companions)) return;
  throw new StoreError(
    'store_unavailable',
    'the database file or its write-ahead log was deleted or replaced; restore the file, or restart the process',
  );
}

/**
 * Checks whether the file can be opened again. It cannot if it is another database file, but the `-wal` or `-shm` file
 * of the old one is still next to it: SQLite would apply the old commits in `-wal` to the new file.
 */
export function canReopen(file: string, { files }: SqliteConnections): boolean {
  const found = filesOf(file);
  if (found.database === undefined) return false;
  return (
    found.database === files.database ||
    !found.companions.some((inode, at) => inode !== undefined && inode === files.companions[at])
  );
}

/** Checks whether the path still leads to the database file that is open. */
export function hasSameDatabase(file: string, { files }: SqliteConnections): boolean {
  return inodeOf(file) === files.database;
}

function filesOf(file: string): OpenFiles {
  return { database: inodeOf(file), companions: COMPANIONS.map((ending) => inodeOf(file + ending)) };
}

function inodeOf(file: string): bigint | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;
}

/** Opens the connection that writes, and checks that the file is not damaged. Each error is a `StoreError`. */
function open(file: string, exists: boolean): Database.Database {
  const database = openOrCreate(file, exists);
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
    // Limits the number of rows that `analyze` reads from each index, because `analyze` blocks the event loop.
    database.pragma('analysis_limit = 1000');
    const damage = database.pragma('quick_check(1)', { simple: true });
    if (damage !== 'ok')
      throw new StoreError('store_unusable', `the database file is damaged (${damage}); restore it from a backup`);
    return database;
  } catch (error) {
    database.close();
    throw storeErrorOf(error);
  }
}

function openOrCreate(file: string, exists: boolean): Database.Database {
  try {
    // The file is created before SQLite opens it, with permissions that let only this user read it. SQLite gives the
    // same permissions to the `-wal` and `-shm` files.
    if (file !== MEMORY && !exists) closeSync(openSync(file, 'a', 0o600));
    return new Database(file, { timeout: BUSY_TIMEOUT, fileMustExist: file !== MEMORY });
  } catch (error) {
    throw new StoreError('store_unusable', `cannot open the database file: ${storeErrorOf(error).message}`);
  }
}
