/**
 * Kysely's PostgreSQL dialect with two changes: each transaction has time limits, and the migrator lists the tables of
 * one schema only.
 */
import {
  CompiledQuery,
  type DatabaseConnection,
  type Kysely,
  PostgresDialect,
  PostgresDriver,
  PostgresIntrospector,
  type PostgresPool,
  type TableMetadata,
  type TransactionSettings,
} from 'kysely';

/** Maximum milliseconds that a statement of a transaction waits for a lock. */
const LOCK_TIMEOUT = 2_000;
/** Maximum milliseconds that the server waits for the next statement of a transaction. */
const IDLE_TIMEOUT = 10_000;

export class BoundedPostgresDialect extends PostgresDialect {
  readonly #pool: PostgresPool;
  readonly #schema: string;
  readonly #statementTimeout: number;

  /** @param statementTimeout - Milliseconds for each statement of a transaction. */
  constructor(pool: PostgresPool, schema: string, statementTimeout: number) {
    super({ pool });
    this.#pool = pool;
    this.#schema = schema;
    this.#statementTimeout = statementTimeout;
  }

  override createDriver(): PostgresDriver {
    return new BoundedDriver(this.#pool, this.#statementTimeout);
  }

  override createIntrospector(db: Kysely<unknown>): PostgresIntrospector {
    return new SchemaIntrospector(db as Kysely<Catalog>, this.#schema);
  }
}

interface Catalog {
  readonly 'pg_catalog.pg_tables': { readonly schemaname: string; readonly tablename: string };
}

/**
 * Lists the names of the tables of one schema, which is all that the migrator needs. Kysely's own introspector reads
 * the columns of all schemas, and fails if another program drops a table in the meantime.
 */
class SchemaIntrospector extends PostgresIntrospector {
  readonly #db: Kysely<Catalog>;
  readonly #schema: string;

  constructor(db: Kysely<Catalog>, schema: string) {
    super(db);
    this.#db = db;
    this.#schema = schema;
  }

  override async getTables(): Promise<TableMetadata[]> {
    const tables = await this.#db
      .selectFrom('pg_catalog.pg_tables')
      .select('tablename')
      .where('schemaname', '=', this.#schema)
      .execute();
    return tables.map(({ tablename }) => ({ name: tablename, schema: this.#schema, isView: false, columns: [] }));
  }
}

class BoundedDriver extends PostgresDriver {
  readonly #begin: string;

  constructor(pool: PostgresPool, statementTimeout: number) {
    super({ pool });
    // `set local` changes only this transaction. A setting of the session would stay on a connection that a pooler
    // shares with other clients, and many poolers refuse settings at the start of a session.
    this.#begin = [
      'begin',
      `set local statement_timeout = ${statementTimeout}`,
      `set local lock_timeout = ${LOCK_TIMEOUT}`,
      `set local idle_in_transaction_session_timeout = ${IDLE_TIMEOUT}`,
    ].join('; ');
  }

  /** Begins the transaction and applies its settings in one message to the server. */
  override async beginTransaction(connection: DatabaseConnection, _settings: TransactionSettings): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(this.#begin));
  }

  /**
   * Rolls back, and ignores a failure, so that the caller gets the error that caused the rollback. The pool then closes
   * the broken connection, and the server rolls back.
   */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await super.rollbackTransaction(connection).catch(() => undefined);
  }
}
