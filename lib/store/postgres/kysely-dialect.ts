/**
 * Kysely's PostgreSQL dialect, with a time limit on every transaction and a migrator that reads only its own schema.
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

/**
 * Maximum milliseconds that a transaction waits for a lock, and (`IDLE_TIMEOUT`) that it waits for a next statement.
 */
const LOCK_TIMEOUT = 2_000;
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
 * the columns of all schemas, which fails if another program drops one of them meanwhile.
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
   * Rolls back. If that fails, the earlier error is reported, and the connection is closed, so that the server rolls
   * back.
   */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await super.rollbackTransaction(connection).catch(() => undefined);
  }
}
