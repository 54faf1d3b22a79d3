/**
 * Kysely's SQLite dialect, changed in two ways: one dialect for the connection that writes, and one for the connection
 * of lists. For a database file, the connection of lookups uses Kysely's own. All get their database from
 * `guardedDatabase`.
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
import { storeErrorOf } from '../store-error.js';

export class WriterDialect extends SqliteDialect {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    super({ database });
    this.#database = database;
  }

  override createDriver(): SqliteDriver {
    return new WriterDriver({ database: this.#database });
  }

  override createAdapter(): SqliteAdapter {
    return new WriterAdapter();
  }
}

/** Runs each statement in a separate turn of the event loop, so that many lists together do not block it. */
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
  /**
   * Begins with `begin immediate`, which takes the write lock at once. A transaction that reads first cannot wait for
   * the lock when it writes: if another process has written in between, SQLite makes it fail.
   */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /**
   * Rolls back. If that fails, the earlier error is reported: after a full disk, for example, SQLite has already rolled
   * back.
   */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await super.rollbackTransaction(connection).catch(() => undefined);
  }
}

class WriterAdapter extends SqliteAdapter {
  /**
   * `true` makes Kysely run migrations in a transaction, so that a process that is killed during one leaves nothing
   * half done. SQLite can change tables in a transaction, although Kysely's own adapter says that it cannot.
   */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Wraps a database for Kysely. Each error of a statement is a `StoreError`, which contains no row and no parameter. */
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
