/** Cancels the statement that a PostgreSQL connection is executing. */
import { connect } from 'node:net';

/**
 * The properties of a connection that are needed to cancel its statement. A client of pg has them, but the type
 * declarations of pg do not list them.
 */
export interface CancellableConnection {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
}

const CANCEL_REQUEST = 80_877_102;
const REQUEST_BYTES = 16;

/**
 * Sends a CancelRequest over a new connection, as the protocol of PostgreSQL requires. The request contains no
 * password, so it is sent without TLS, as `PQcancel` of libpq does.
 *
 * @param timeout - Maximum milliseconds for the whole exchange.
 * @returns Whether the server has processed the request. It closes the connection only after it has sent the cancel
 *   signal to the backend that executes the statement.
 */
export function cancelStatement(
  { host, port, processID, secretKey }: CancellableConnection,
  timeout: number,
): Promise<boolean> {
  const request = Buffer.alloc(REQUEST_BYTES);
  for (const [at, value] of [REQUEST_BYTES, CANCEL_REQUEST, processID, secretKey].entries()) {
    request.writeInt32BE(value, at * 4);
  }
  return new Promise((resolve) => {
    const socket = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
    const timer = setTimeout(() => end(false), timeout);
    function end(wasProcessed: boolean): void {
      clearTimeout(timer);
      socket.destroy();
      resolve(wasProcessed);
    }
    socket.on('error', () => end(false));
    socket.on('connect', () => socket.write(request));
    socket.on('close', () => end(true));
    socket.resume();
  });
}
