/** The address and the TLS settings for connections to PostgreSQL, from the URL of a store. */
import pg from 'pg';
import { StoreError, storeErrorOf } from '../store-error.js';

export type ConnectionConfig = Pick<pg.ClientConfig, 'connectionString' | 'ssl' | 'sslnegotiation'>;

/** The TLS settings of a client of pg. The type declarations of pg do not list them, or list another type. */
interface ClientTls {
  readonly ssl: ConnectionConfig['ssl'];
  /** Older versions of pg do not have it. */
  readonly sslNegotiation?: ConnectionConfig['sslnegotiation'];
}

const MAX_PORT = 65_535;

/**
 * Returns a function that returns the settings for the next connection, and never throws.
 *
 * `pg` reads the TLS files of a URL (`sslrootcert`, `sslcert`, `sslkey`) in the constructor of each client, which
 * throws if a file cannot be read. A pool calls the constructor where nothing catches the error, and the process would
 * end. So the files are read here. They are read again for each connection, because certificates are rotated; if that
 * fails, for example because a file is missing during the rotation, the last settings are used.
 *
 * @throws StoreError `store_unusable` if a TLS file of the URL cannot be read, if pg refuses a parameter of
 *   the URL, or if the port is invalid.
 */
export function connectionConfigOf(url: string): () => ConnectionConfig {
  let latest: ConnectionConfig;
  try {
    latest = readConnectionConfig(url);
  } catch (error) {
    const { message, driverCode } = storeErrorOf(error);
    throw new StoreError('store_unusable', `openStore: ${message}`, driverCode);
  }
  return () => {
    try {
      latest = readConnectionConfig(url);
    } catch {
      // The last settings stay in use. If their certificate has expired, the connection fails, which is reported.
    }
    return latest;
  };
}

/**
 * Lets pg parse the URL, so that each parameter means what it means to pg. Then it removes the TLS parameters: pg would
 * read the files again, and ignore `ssl`.
 */
function readConnectionConfig(url: string): ConnectionConfig {
  const client = new pg.Client({ connectionString: url });
  // With a wrong port, `connect` of pg would throw where nothing catches the error, and the pool would wait forever.
  if (!(client.port >= 1 && client.port <= MAX_PORT))
    throw new Error(`the port of the PostgreSQL server is invalid; expected a number from 1 to ${MAX_PORT}`);
  const { ssl, sslNegotiation } = client as unknown as ClientTls;
  const plain = new URL(url);
  for (const name of [...plain.searchParams.keys()]) if (name.startsWith('ssl')) plain.searchParams.delete(name);
  return { connectionString: plain.href, ssl, sslnegotiation: sslNegotiation };
}
