/**
 * Two variants of Kysely's SQLite dialect: `WriterDialect` for the connection that writes, and `TurnDialect` for lists
 * and searches, which lets requests run between two statements.
 */
import { setImmediate } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import {
  CompiledQuery,
  type DatabaseConnection,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
} from 'kysely';
import { type StoreError, storeErrorOf } from '../store-error.js';
import { isLocked, mustGiveUp, retryWhileLocked } from './retry-while-locked.js';

export class WriterDialect extends SqliteDialect {
  readonly #database: SqliteDatabase;
  readonly #closing: AbortSignal;

  /** @param closing - Aborted when the connection is closed, with the error for the writes that wait for a lock. */
  constructor(database: SqliteDatabase, closing: AbortSignal) {
    super({ database });
    this.#database = database;
    this.#closing = closing;
  }

  override createDriver(): SqliteDriver {
    return new WriterDriver(this.#database, this.#closing);
  }

  override createAdapter(): SqliteAdapter {
    return new WriterAdapter();
  }
}

/** Runs each statement in a separate turn of the event loop, so that requests are served between the statements. */
export class TurnDialect extends SqliteDialect {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    super({ database });
    this.#database = database;
  }

  override createDriver(): SqliteDriver {
    return new TurnDriver({ database: this.#database });
  }
}

class TurnDriver extends SqliteDriver {
  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection();
    await setImmediate();
    return connection;
  }
}

class WriterDriver extends SqliteDriver {
  readonly #closing: AbortSignal;
  /** When the write that has the connection began to wait for it. */
  #waitsSince = 0;
  /** The error of the last attempt to begin, if another process locked the database. */
  #locked: StoreError | undefined;

  constructor(database: SqliteDatabase, closing: AbortSignal) {
    super({ database });
    this.#closing = closing;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const since = performance.now();
    const connection = await super.acquireConnection();
    this.#waitsSince = since;
    return connection;
  }

  /**
   * Starts each transaction in a separate turn of the event loop, so that requests are served between the transactions
   * of a long write, such as the deletion of old rows in batches.
   *
   * While another process locks the database, only the write that has the connection tries to begin, because an attempt
   * blocks the event loop. The others fail without an attempt if they have waited too long, or if the store closes.
   */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await setImmediate();
    const since = this.#waitsSince;
    await retryWhileLocked(async () => {
      if (this.#locked !== undefined) {
        this.#closing.throwIfAborted();
        if (mustGiveUp(since)) throw this.#locked;
      }
      await this.#begin(connection);
    }, since);
  }

  /**
   * Uses `begin immediate`, which takes the write lock at once. With `begin`, a transaction that reads first would fail
   * at its first write if another process has written in the meantime.
   */
  async #begin(connection: DatabaseConnection): Promise<void> {
    try {
      await connection.executeQuery(CompiledQuery.raw('begin immediate'));
      this.#locked = undefined;
    } catch (error) {
      this.#locked = isLocked(error) ? error : undefined;
      throw error;
    }
  }

  /**
   * Rolls back, and ignores a failure, so that the caller gets the error that caused the rollback. It fails, for
   * example, if the disk is full: SQLite has then already rolled back.
   */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await super.rollbackTransaction(connection).catch(() => undefined);
  }
}

class WriterAdapter extends SqliteAdapter {
  /**
   * `true` makes Kysely run migrations in a transaction, so that no migration is half done if the process is killed.
   * SQLite can change tables in a transaction, although Kysely's own adapter returns `false`.
   */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Wraps a database for Kysely. Errors of statements become a `StoreError`, which contains no row and no parameter. */
export function guardedDatabase(database: Database): SqliteDatabase {
  function guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw storeErrorOf(error);
    }
  }
  return {
    close: () => void database.close(),
    prepare: (text) =>
      guard(() => {
        const statement = database.prepare(text);
        return {
          reader: statement.reader,
          all: (parameters) => guard(() => statement.all(...parameters)),
          run: (parameters) => guard(() => statement.run(...parameters)),
          iterate: (parameters) => statement.iterate(...parameters) as IterableIterator<unknown>,
        };
      }),
  };
}
