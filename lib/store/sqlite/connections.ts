/** Opens connections to a SQLite file, or to a database in memory. */
import { closeSync, openSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { StoreError, storeErrorOf } from '../store-error.js';
import type { Tables } from '../tables.js';
import { guardedDatabase, TurnDialect, WriterDialect } from './kysely-dialect.js';

const MEMORY = ':memory:';

/** Milliseconds that SQLite itself waits for a lock of another process. The event loop is blocked during that time. */
const BUSY_TIMEOUT = 50;

/** The files that SQLite keeps next to the database file: commits that are not in the database file yet, and locks. */
const COMPANIONS = ['-wal', '-shm'];

export interface SqliteConnections {
  readonly writer: Kysely<Tables>;
  readonly lookups: Kysely<Tables>;
  readonly lists: Kysely<Tables>;
  /** Returns a value that changes when another connection has committed. This does not read the file. */
  readonly dataVersion: () => unknown;
  /** The inodes of the files when they were opened. They differ from those on the disk if a file was replaced. */
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
  const writer = new Kysely<Tables>({ dialect: new WriterDialect(guardedDatabase(database)) });
  if (file === MEMORY) {
    const files = { database: undefined, companions: [] };
    return { writer, lookups: writer, lists: writer, dataVersion: () => 0, files };
  }
  const forLookups = new Database(file, { timeout: BUSY_TIMEOUT, readonly: true });
  const forLists = new Database(file, { timeout: BUSY_TIMEOUT, readonly: true });
  return {
    writer,
    lookups: new Kysely<Tables>({ dialect: new SqliteDialect({ database: guardedDatabase(forLookups) }) }),
    lists: new Kysely<Tables>({ dialect: new TurnDialect(guardedDatabase(forLists)) }),
    dataVersion: () => forLookups.pragma('data_version', { simple: true }),
    files: filesOf(file),
  };
}

/**
 * Closes the connections one after another. `connection()` waits for a running transaction. It also initializes Kysely,
 * which otherwise would not close a connection that was never used. The writer is closed last: the last connection
 * moves the WAL into the database file, which the read-only connections cannot do.
 */
export async function disconnectSqlite({ writer, lookups, lists }: SqliteConnections): Promise<void> {
  for (const db of new Set([lists, lookups, writer])) await db.connection().execute(() => db.destroy());
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
    'the database file was deleted or replaced; restore it, or restart the process',
  );
}

/**
 * Checks whether the file can be opened again: it is the same database file, or another one that does not have the
 * `-wal` or `-shm` file of the old one next to it. SQLite would apply the commits in the old WAL to the new file.
 */
export function canReopen(file: string, { files }: SqliteConnections): boolean {
  const found = filesOf(file);
  if (found.database === undefined) return false;
  return (
    found.database === files.database ||
    !found.companions.some((inode, at) => inode !== undefined && inode === files.companions[at])
  );
}

/** Checks whether the database file is still the one that is open. */
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
  const database = make(file, exists);
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
    // Limits the rows that `analyze` reads for each index, because it blocks the event loop.
    database.pragma('analysis_limit = 1000');
    const damage = database.pragma('quick_check(1)', { simple: true });
    if (damage !== 'ok') throw new StoreError('store_unusable', `the database file is damaged: ${damage}`);
    return database;
  } catch (error) {
    database.close();
    throw storeErrorOf(error);
  }
}

function make(file: string, exists: boolean): Database.Database {
  try {
    // The file is created before SQLite opens it, so that only this user can read it. SQLite gives the same permissions
    // to the `-wal` and `-shm` files.
    if (file !== MEMORY && !exists) closeSync(openSync(file, 'a', 0o600));
    return new Database(file, { timeout: BUSY_TIMEOUT, fileMustExist: file !== MEMORY });
  } catch (error) {
    throw new StoreError('store_unusable', `cannot open the database file: ${storeErrorOf(error).message}`);
  }
}
