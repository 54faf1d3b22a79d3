/** Kysely's PostgreSQL dialect, with every transaction bounded. */
import {
  CompiledQuery,
  type DatabaseConnection,
  PostgresDialect,
  PostgresDriver,
  type PostgresPool,
  type TransactionSettings,
} from 'kysely';

/** Milliseconds: for a statement; for a lock; for a transaction that does nothing. */
export const STATEMENT_TIMEOUT = 3_000;
const LOCK_TIMEOUT = 2_000;
const IDLE_TIMEOUT = 10_000;

// Local to the transaction: a setting of the session would stay on a pooler's connection and bind strangers, and many
// poolers refuse it at the start of a session.
const BOUNDS = [
  `set local statement_timeout = ${STATEMENT_TIMEOUT}`,
  `set local lock_timeout = ${LOCK_TIMEOUT}`,
  `set local idle_in_transaction_session_timeout = ${IDLE_TIMEOUT}`,
];

export class BoundedPostgresDialect extends PostgresDialect {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    super({ pool });
    this.#pool = pool;
  }

  override createDriver(): PostgresDriver {
    return new BoundedDriver({ pool: this.#pool });
  }
}

class BoundedDriver extends PostgresDriver {
  /** One message to the server, however many statements. */
  override async beginTransaction(connection: DatabaseConnection, _settings: TransactionSettings): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(['begin', ...BOUNDS].join('; ')));
  }

  /** What failed before it is what is told. A connection that cannot roll back is dropped, and the server does. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await super.rollbackTransaction(connection).catch(() => undefined);
  }
}
