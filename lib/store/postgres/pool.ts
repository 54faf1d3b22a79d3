/** Pools of PostgreSQL connections with a time limit for statements. */
import type { PostgresPool } from 'kysely';
import pg from 'pg';
import { READ_ONLY, SQLSTATE, StoreError, storeClosed, storeErrorOf } from '../store-error.js';
import { type CancellableConnection, cancelStatement } from './cancel-statement.js';
import type { ConnectionConfig } from './connection-config.js';

/** The limits of one pool. */
export interface PoolBounds {
  readonly maxConnections: number;
  /** Maximum milliseconds to connect to the server. */
  readonly connectTimeout: number;
  /** Maximum milliseconds to wait for a free connection of the pool. Default: `connectTimeout`. */
  readonly queueTimeout?: number;
  /** Milliseconds after which a statement is canceled over another connection. */
  readonly statementTimeout: number;
}

/** Milliseconds within which the server must process a request to cancel; otherwise, the connection is closed. */
const CANCEL_TIMEOUT = 500;

/** Milliseconds within which the server must close a released connection of a pool that ends. */
const CLOSE_TIMEOUT = 500;

/**
 * Milliseconds after which the kernel checks whether a silent connection is alive. Node then sets 10 probes with 1 s
 * between them, so a statement without a short time limit, as in a migration, finds a dead connection after 20 s. The
 * default of Linux is 2 hours. Data that the server has not received are sent again for about 15 minutes
 * (`tcp_retries2`).
 */
const KEEP_ALIVE_DELAY = 10_000;

const INT8 = 20;
/**
 * SQLSTATEs after which a connection cannot be used: connection error, shutdown of the server, or a transaction that
 * was idle for too long.
 */
const ENDED_BY_SERVER = /^(?:08|57P|25P03)/;
const COMMIT = 'commit';
/** The SQLSTATE of a canceled statement. */
const CANCELED = '57014';
/** The class of SQLSTATEs of a notice that is not a warning. Its severity cannot be compared: servers translate it. */
const NO_WARNING = '00';

/** A pool of connections for Kysely. */
export interface BoundedPool extends PostgresPool {
  /** Ends the pool at once: statements in progress are canceled, and their connections are closed. */
  abort(): Promise<void>;
}

/** Returns the settings for a connection of a pool, or for the connection that listens for notifications. */
export function clientConfig(
  connection: ConnectionConfig,
  { connectTimeout, statementTimeout }: Pick<PoolBounds, 'connectTimeout' | 'statementTimeout'>,
): pg.ClientConfig {
  return {
    ...connection,
    application_name: 'keyward',
    connectionTimeoutMillis: connectTimeout,
    query_timeout: statementTimeout + CANCEL_TIMEOUT,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY,
    // `pg` returns a bigint as a string. keyward needs a number to compare it; its values are far below 2^53.
    types: { getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) },
  };
}

/**
 * Creates a pool. Each error of the pool is a `StoreError`, which contains no row and no parameter.
 *
 * A statement that takes too long is canceled on the server. Otherwise a backend that waits for a lock would not notice
 * that its client is gone, and there could be more backends than the pool has connections. A connection is closed if a
 * statement got no answer, or if its session is read-only, because the next write on it would fail too.
 */
export function postgresPool(connectionConfig: () => ConnectionConfig, bounds: PoolBounds): BoundedPool {
  const { maxConnections, connectTimeout, queueTimeout = connectTimeout, statementTimeout } = bounds;
  // `connectionTimeoutMillis` of the pool limits both the wait for a free connection and the time to connect. The time
  // to connect must be shorter, so each client has its own limit.
  class PoolClient extends pg.Client {
    constructor() {
      super(clientConfig(connectionConfig(), bounds));
    }
  }
  const pool = new pg.Pool({
    connectionTimeoutMillis: queueTimeout,
    max: maxConnections,
    allowExitOnIdle: true,
    Client: PoolClient,
  });
  // Without these listeners, an `error` event would end the process. The pool emits it for an idle connection, and a
  // connection in use emits it itself. The event needs no other handling: the pool replaces a broken connection.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));

  // `pg` waits until the server has closed each connection that is released after the pool ended. If the network drops
  // the last packets, the server never does.
  pool.on('release', (_error, client) => {
    if (ended !== undefined) setTimeout(() => client.connection.stream.destroy(), CLOSE_TIMEOUT).unref();
  });

  let ended: Promise<void> | undefined;
  /** Rejects the calls that wait for a connection. */
  const waiting = new Set<(error: StoreError) => void>();
  const inUse = new Set<pg.PoolClient>();

  /** Waits for a connection until the pool ends. `pg` would let those who still wait then wait until they time out. */
  function freeClient(): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      waiting.add(reject);
      pool.connect().then(
        (client) => (waiting.delete(reject) ? resolve(client) : client.release()),
        (error: unknown) => {
          waiting.delete(reject);
          reject(storeErrorOf(error));
        },
      );
    });
  }

  async function connect() {
    if (ended !== undefined) throw storeClosed();
    const client = await freeClient();
    inUse.add(client);
    let broken: StoreError | undefined;

    async function query(text: string, parameters: unknown[]) {
      // Once the connection is broken, each further statement, such as the rollback, fails at once and does not wait.
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
        // If a write is canceled while it waits for a synchronous replica, PostgreSQL stops waiting and reports
        // success.
        if (cancellation !== undefined) warning ??= committedWithWarning(CANCELED);
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
        // cancel the next statement on this connection.
        if (cancellation !== undefined && !(await cancellation)) broken ??= notCanceled();
      }
    }
    function release(): void {
      inUse.delete(client);
      client.release(broken !== undefined);
    }
    return { query, release };
  }

  function end(): Promise<void> {
    ended ??= pool.end();
    for (const reject of waiting) reject(storeClosed());
    waiting.clear();
    return ended;
  }

  function abort(): Promise<void> {
    for (const client of inUse) {
      const { stream } = client.connection;
      void cancelStatement(client as unknown as CancellableConnection, CANCEL_TIMEOUT).then(() => stream.destroy());
    }
    return end();
  }

  return { connect: connect as unknown as PostgresPool['connect'], end, abort };
}

/**
 * Checks whether the connection cannot be used after an error. An error without a SQLSTATE means that the connection
 * broke or got no answer.
 */
function endsConnection(code: string): boolean {
  return !SQLSTATE.test(code) || ENDED_BY_SERVER.test(code) || code === READ_ONLY;
}

function notCanceled(): StoreError {
  return storeErrorOf({ code: CANCELED, message: 'a database statement took too long and could not be canceled' });
}

/** Returns the error for a write that may be committed on the primary server, but not on its synchronous replica. */
function committedWithWarning(code: string): StoreError {
  const message = 'the write may have been committed on the primary server, but not on its synchronous replica';
  return new StoreError('store_unavailable', `${message} (${code})`, code);
}
