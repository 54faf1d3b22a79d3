/** Kysely's SQLite dialect for a connection that writes beside other processes. */
import type { Database } from 'better-sqlite3';
import {
  CompiledQuery,
  type DatabaseConnection,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
} from 'kysely';
import { storeErrorOf } from './store-error.js';

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

class WriterDriver extends SqliteDriver {
  /** A transaction that begins by reading and then writes cannot wait for the lock: SQLite fails it at once. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** What failed before it is what is told: after a full disk, say, SQLite has rolled back by itself. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await super.rollbackTransaction(connection).catch(() => undefined);
  }
}

class WriterAdapter extends SqliteAdapter {
  /** It is in SQLite: a process that is killed while it migrates leaves nothing half made. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** The database as Kysely uses it, whose every error is a `StoreError`, without a row or a parameter. */
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
