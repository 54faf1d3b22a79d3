import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/** A server on a free port of this machine, for as long as a test needs it. */
export interface Served {
  readonly port: number;
  readonly server: Server;
  close(): Promise<void>;
}

export async function serve(listener: RequestListener, options: ServerOptions = {}): Promise<Served> {
  const server = createServer(options, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { port: (server.address() as AddressInfo).port, server, close };
}

/** What came back, as it stood on the wire. */
export interface RawResponse {
  readonly status: number;
  /** Lower-case names; several lines of one name are joined by a newline. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly text: string;
}

/**
 * Sends bytes as they are, since clients normalise headers. Text is written as latin1, so that '\x80' is one byte.
 * The request should say `Connection: close`, or end the server's patience.
 */
export function sendRaw(port: number, text: string): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(parse(Buffer.concat(chunks).toString('latin1'))));
  });
}

/** Sends one GET with the header lines given, as they are. */
export function getRaw(port: number, lines: readonly string[], target = '/', method = 'GET'): Promise<RawResponse> {
  const head = [`${method} ${target} HTTP/1.1`, 'Host: api.test', 'Connection: close', ...lines, '', ''];
  return sendRaw(port, head.join('\r\n'));
}

function parse(text: string): RawResponse {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end === -1 ? undefined : end).split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = name in headers ? `${headers[name]}\n${value}` : value;
  }
  return { status: Number(statusLine.split(' ')[1]), headers, body: end === -1 ? '' : text.slice(end + 4), text };
}
