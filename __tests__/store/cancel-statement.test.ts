import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cancelStatement } from '../../lib/store/postgres/cancel-statement.js';

/** A CancelRequest (PostgreSQL, "Message Formats"): its length, its code, the process, and the secret of the process. */
const REQUEST = Buffer.from('0000001004d2162e00001ed2f8a432eb', 'hex');
const BACKEND = { processID: 7_890, secretKey: -123_456_789 };
const PATIENT = 60_000;

let server: Server;
let received: Buffer;
let folder: string;
let sockets: Socket[];

/** How the server answers a request. */
let answer: (socket: Socket) => void;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyward-cancel-'));
  received = Buffer.alloc(0);
  sockets = [];
  answer = (socket) => socket.end();
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes]);
      answer(socket);
    });
  });
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  if (server.listening) await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

async function listen(at: number | string): Promise<number> {
  if (typeof at === 'string') server.listen(at);
  else server.listen(at, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

describe('a statement is cancelled', () => {
  it('over TCP, when the server has read the request', async () => {
    const port = await listen(0);
    expect(await cancelStatement({ host: '127.0.0.1', port, ...BACKEND }, PATIENT)).toBe(true);
    expect(received).toEqual(REQUEST);
  });

  it('over a Unix socket, if the host is a folder', async () => {
    await listen(join(folder, '.s.PGSQL.6543'));
    expect(await cancelStatement({ host: folder, port: 6_543, ...BACKEND }, PATIENT)).toBe(true);
    expect(received).toEqual(REQUEST);
  });

  it('and is reported as not cancelled if the server does not answer in time', async () => {
    answer = () => undefined;
    const port = await listen(0);
    expect(await cancelStatement({ host: '127.0.0.1', port, ...BACKEND }, 50)).toBe(false);
  });

  it('and is reported as not cancelled if there is no server', async () => {
    expect(await cancelStatement({ host: folder, port: 6_543, ...BACKEND }, PATIENT)).toBe(false);
  });
});
