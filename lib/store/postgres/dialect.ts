/** Kysely's PostgreSQL dialect, with a time limit on every transaction. */
import {
  CompiledQuery,
  type DatabaseConnection,
  PostgresDialect,
  PostgresDriver,
  type PostgresPool,
  type TransactionSettings,
} from 'kysely';

/** Maximum milliseconds that a transaction waits for a lock, and that it may be idle. */
const LOCK_TIMEOUT = 2_000;
const IDLE_TIMEOUT = 10_000;

export class BoundedPostgresDialect extends PostgresDialect {
  readonly #pool: PostgresPool;
  readonly #statementTimeout: number;

  /** @param statementTimeout - Milliseconds for each statement of a transaction. */
  constructor(pool: PostgresPool, statementTimeout: number) {
    super({ pool });
    this.#pool = pool;
    this.#statementTimeout = statementTimeout;
  }

  override createDriver(): PostgresDriver {
    return new BoundedDriver(this.#pool, this.#statementTimeout);
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
