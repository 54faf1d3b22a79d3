/** Pools of PostgreSQL connections with a time limit for statements. */
import type { PostgresPool } from 'kysely';
import pg from 'pg';
import { READ_ONLY, SQLSTATE, StoreError, storeErrorOf } from '../store-error.js';
import { type CancellableConnection, cancelStatement } from './cancel-statement.js';

/** The limits of one pool. */
export interface PoolBounds {
  readonly maxConnections: number;
  /** Maximum milliseconds to connect to the server. */
  readonly connectTimeout: number;
  /** Maximum milliseconds to wait for a free connection of the pool. Default: `connectTimeout`. */
  readonly queueTimeout?: number;
  /** Milliseconds after which a statement is cancelled over another connection. */
  readonly statementTimeout: number;
}

/** Milliseconds after which the connection is closed if the server does not answer a cancellation. */
const CANCEL_TIMEOUT = 500;

const INT8 = 20;
/**
 * SQLSTATEs after which the connection cannot be used: connection error, shutdown, termination, or idle for too long.
 */
const ENDED_BY_SERVER = /^(?:08|57P|25P03)/;
const COMMIT = 'commit';
/** The SQLSTATE of a cancelled statement. */
const CANCELLED = '57014';
/** Class 00 of SQLSTATEs: the notice is no warning. The severity is not compared, because servers translate it. */
const NO_WARNING = '00';

/** Returns the settings of a connection: one of a pool, or the one that listens for notifications. */
export function clientConfig(
  url: string,
  { connectTimeout, statementTimeout }: Pick<PoolBounds, 'connectTimeout' | 'statementTimeout'>,
): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'keyward',
    connectionTimeoutMillis: connectTimeout,
    query_timeout: statementTimeout + CANCEL_TIMEOUT,
    keepAlive: true,
    // Parsed as numbers: times and positions are far below 2^53, and strings would be compared alphabetically.
    types: { getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) },
  };
}

/**
 * Creates a pool. Each error of the pool is a `StoreError`, which contains no row and no parameter.
 *
 * A statement that takes too long is cancelled on the server. Otherwise a backend that waits for a lock would not
 * notice that its client is gone, and there could be more backends than the pool has connections. A connection is
 * closed if a statement got no answer, or if its session is read-only: its next statement would fail as well.
 */
export function postgresPool(url: string, bounds: PoolBounds): PostgresPool {
  const { maxConnections, connectTimeout, queueTimeout = connectTimeout, statementTimeout } = bounds;
  const config = clientConfig(url, bounds);
  // `connectionTimeoutMillis` of the pool limits both the wait in its queue and the time to connect. Connecting must
  // fail sooner, so each client has a time limit of its own.
  class PoolClient extends pg.Client {
    constructor() {
      super(config);
    }
  }
  const pool = new pg.Pool({
    connectionTimeoutMillis: queueTimeout,
    max: maxConnections,
    allowExitOnIdle: true,
    Client: PoolClient,
  });
  // The pool replaces a broken connection, and its statement reports the error. Without these listeners, an `error`
  // event would end the process. The pool emits the event for an idle connection; a connection in use emits it itself.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));

  async function connect() {
    const client = await pool.connect().catch(fail);
    let broken: StoreError | undefined;

    async function query(text: string, parameters: unknown[]) {
      // After a connection broke, each further statement on it, such as the rollback, fails at once and does not wait.
      if (broken !== undefined) throw broken;
      let cancellation: Promise<boolean> | undefined;
      let warning: StoreError | undefined;
      function onNotice({ code = '' }: { readonly code: string | undefined }): void {
        if (!code.startsWith(NO_WARNING)) warning ??= committedWithWarning(code);
      }
      const timer = setTimeout(() => {
        cancellation = cancelStatement(client as unknown as CancellableConnection, CANCEL_TIMEOUT);
      }, statementTimeout);
      if (text === COMMIT) client.on('notice', onNotice);
      try {
        const result = await client.query(text, parameters);
        // If a write is cancelled while it waits for a synchronous replica, PostgreSQL stops waiting and reports
        // success.
        if (cancellation !== undefined) warning ??= committedWithWarning(CANCELLED);
        if (warning !== undefined) throw warning;
        return result;
      } catch (error) {
        const clean = storeErrorOf(error);
        if (endsConnection(clean.driverCode)) broken = clean;
        throw clean;
      } finally {
        clearTimeout(timer);
        client.off('notice', onNotice);
        // `cancellation` settles after the server has sent the cancel signal. Without this wait, the signal could
        // cancel the next statement.
        if (cancellation !== undefined && !(await cancellation)) broken ??= notCancelled();
      }
    }
    return { query, release: () => client.release(broken !== undefined) };
  }

  let ended: Promise<void> | undefined;
  function end(): Promise<void> {
    ended ??= pool.end();
    return ended;
  }

  return { connect: connect as unknown as PostgresPool['connect'], end };
}

/**
 * Checks whether an error ends the connection. A connection that broke or got no answer has an error without a
 * SQLSTATE.
 */
function endsConnection(code: string): boolean {
  return !SQLSTATE.test(code) || ENDED_BY_SERVER.test(code) || code === READ_ONLY;
}

function notCancelled(): StoreError {
  return storeErrorOf({ code: CANCELLED, message: 'a database statement could not be canceled' });
}

/** The error of a write that a replica may not have, because its wait for the replica was ended. */
function committedWithWarning(code: string): StoreError {
  const message = 'the database reported a warning for a commit; a synchronous replica may not have the commit';
  return new StoreError('store_unavailable', `${message} (${code})`, code);
}

function fail(error: unknown): never {
  throw storeErrorOf(error);
}
