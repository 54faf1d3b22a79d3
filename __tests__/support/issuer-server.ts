/** An issuer's key set over HTTP: it counts what it is asked, and fails in every way. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { JWK } from 'jose';
import { serve } from './raw-http.js';

export interface IssuerServer {
  readonly origin: string;
  readonly jwksUri: string;
  /** The paths asked for, in order. */
  readonly asked: readonly string[];
  /** Bytes sent so far, over every connection. */
  bytesSent(): number;
  /** From now on every path answers so. */
  answer(listener: RequestListener): void;
  /** From now on every path answers with these keys. */
  publish(...keys: readonly JWK[]): void;
  close(): Promise<void>;
}

export async function serveIssuer(...keys: readonly JWK[]): Promise<IssuerServer> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  let listener: RequestListener = json({ keys });
  const { port, server, close } = await serve((req, res) => {
    asked.push(req.url ?? '');
    listener(req, res);
  });
  server.on('connection', (socket) => sockets.add(socket));
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    jwksUri: `${origin}/jwks`,
    asked,
    bytesSent: () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, 0),
    answer: (next) => {
      listener = next;
    },
    publish: (...published) => {
      listener = json({ keys: published });
    },
    close,
  };
}

export function json(value: unknown): RequestListener {
  return body(JSON.stringify(value), 'application/json');
}

export function body(text: string, contentType: string): RequestListener {
  return (_req, res) => {
    res.writeHead(200, { 'Content-Type': contentType }).end(text);
  };
}

export function status(code: number, headers: Record<string, string> = {}): RequestListener {
  return (_req, res) => {
    res.writeHead(code, headers).end();
  };
}

/** The request is read, and nothing comes back. */
export const hang: RequestListener = () => {};

/** The head and some bytes, and no more. */
export const stall: RequestListener = (_req, res) => {
  res.writeHead(200, { 'Content-Length': 1_000 }).write('{"keys":[');
};

/** A byte at a time, for ever. */
export const drip: RequestListener = (_req, res) => {
  res.writeHead(200);
  const timer = setInterval(() => res.write(' '), 5);
  res.on('close', () => clearInterval(timer));
};

/** White space without end, as fast as it is read. */
export const endless: RequestListener = (req, res) => {
  res.writeHead(200);
  pour(req, res, Number.POSITIVE_INFINITY);
};

/** A body that says how long it is. */
export function large(bytes: number): RequestListener {
  return (req, res) => {
    res.writeHead(200, { 'Content-Length': bytes });
    pour(req, res, bytes);
  };
}

/** A few bytes that decode to many. */
export function gzipBomb(bytes: number): RequestListener {
  const bomb = gzipSync(Buffer.alloc(bytes, ' '));
  return (_req, res) => {
    res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb);
  };
}

function pour(req: IncomingMessage, res: ServerResponse, bytes: number): void {
  const chunk = Buffer.alloc(16_384, ' ');
  let left = bytes;
  const more = () => {
    while (left > 0 && !req.socket.destroyed) {
      left -= chunk.length;
      if (!res.write(chunk)) return;
    }
    res.end();
  };
  res.on('drain', more);
  more();
}
