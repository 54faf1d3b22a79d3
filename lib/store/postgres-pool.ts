/** Connections to PostgreSQL, none of which can hang for long. */
import type { PostgresPool } from 'kysely';
import pg from 'pg';
import { STATEMENT_TIMEOUT } from './postgres-dialect.js';
import { SQLSTATE, type StoreError, storeErrorOf } from './store-error.js';

const MOST_CONNECTIONS = 10;
/** Milliseconds to get a connection, from the server or from the pool. */
const CONNECT_TIMEOUT = 1_000;
/** Milliseconds: the server's own time-out comes first; this one is for a server that does not answer at all. */
const ANSWER_TIMEOUT = STATEMENT_TIMEOUT + 500;

const INT8 = 20;
/** SQLSTATEs after which the server hangs up: shut down, terminated, idle for too long. */
const ENDED_BY_SERVER = /^(?:08|57P|25P03)/;

/** Settings of every connection. */
export function clientConfig(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'keyward',
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    query_timeout: ANSWER_TIMEOUT,
    keepAlive: true,
    // Times and positions are far below 2^53; as texts they would compare like texts.
    types: { getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) },
  };
}

/**
 * A pool whose every error is a `StoreError`, without a row or a parameter.
 *
 * It drops a connection whose statement got no answer: the next user of it would wait for that answer.
 */
export function postgresPool(url: string): PostgresPool {
  const pool = new pg.Pool({ ...clientConfig(url), max: MOST_CONNECTIONS, allowExitOnIdle: true });
  // A connection that breaks is only replaced, and the statement under way says so. Unheard, its error would end the
  // process: the pool hears it while nobody uses the connection, the connection itself while somebody does.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));

  async function connect() {
    const client = await pool.connect().catch(fail);
    let broken: StoreError | undefined;
    async function query(text: string, parameters: unknown[]) {
      // A rollback, say, would wait for an answer once more.
      if (broken !== undefined) throw broken;
      try {
        return await client.query(text, parameters);
      } catch (error) {
        const clean = storeErrorOf(error);
        if (endsConnection(clean.driverCode)) broken = clean;
        throw clean;
      }
    }
    return { query, release: () => client.release(broken !== undefined) };
  }

  return { connect: connect as unknown as PostgresPool['connect'], end: () => pool.end() };
}

/** The server says why with a SQLSTATE; a connection that broke, or got no answer, has none. */
function endsConnection(code: string): boolean {
  return !SQLSTATE.test(code) || ENDED_BY_SERVER.test(code);
}

function fail(error: unknown): never {
  throw storeErrorOf(error);
}
