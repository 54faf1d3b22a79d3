import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { runCli } from '../../../lib/cli/program.js';
import { outputInto } from '../../support/command-line.js';
import { onLinux } from '../../support/on-linux.js';
import { openFiles } from '../../support/open-files.js';
import { eventually } from '../../support/store-wait.js';

let folder: string;
let sockets: Socket[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyward-serve-'));
  sockets = [];
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  rmSync(folder, { recursive: true });
});

/** Starts `keyward serve` in this process, and waits until it prints its URL. */
async function start(...more: string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const args = ['serve', '--audience', 'https://api.test', '--port', '0', ...more];
  const env = { KEYWARD_DATABASE: `file:${join(folder, 'keyward.db')}`, KEYWARD_ENCRYPTION_KEY: 'A'.repeat(43) };
  const io = { stdin: Readable.from([]), stdout: outputInto(out), stderr: outputInto(err), env };
  const ended = runCli(args, io);
  await eventually(() => /http:\/\/127\.0\.0\.1:\d+/.test(out.join('')));
  const [issuer = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(out.join('')) ?? [];
  return { issuer, err, ended };
}

/** Opens a connection, and collects what it receives. */
async function open(issuer: string) {
  const socket = connect(Number(new URL(issuer).port), '127.0.0.1').setEncoding('utf8');
  sockets.push(socket);
  const received: string[] = [];
  socket.on('data', (text: string) => received.push(text));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return { socket, received };
}

onLinux.each([true, false])(
  'keyward serve logs requests, and leaves nothing open when it ends, with JSON: %j',
  async (isJson) => {
    const count = () => ['SIGUSR2', 'SIGTERM', 'SIGINT'].map((signal) => process.listenerCount(signal));
    const before = count();
    const { issuer, err, ended } = await start(...(isJson ? ['--json'] : []));
    expect(openFiles(folder)).not.toEqual([]);
    expect((await fetch(`${issuer}/lost`, { headers: { connection: 'close' } })).status).toBe(404);
    await eventually(() => err.join('').includes('/lost'));
    const line = err.find((text) => text.includes('/lost')) ?? '';
    expect(line.startsWith('{')).toBe(isJson);
    process.emit('SIGTERM', 'SIGTERM');
    expect(await ended).toBe(143);
    expect(count()).toEqual(before);
    expect(openFiles(folder)).toEqual([]);
  },
);

it('keyward serve that is stopped closes connections without a request, and answers one that has begun', async () => {
  const { issuer, ended } = await start('--no-log', '--no-dashboard');
  const form = 'grant_type=client_credentials&client_id=ack_x&client_secret=y';
  const type = 'Content-Type: application/x-www-form-urlencoded';
  const begun = await open(issuer);
  begun.socket.write(`POST /connect/token HTTP/1.1\r\nHost: x\r\n${type}\r\nContent-Length: ${form.length}\r\n\r\n`);
  const silent = await open(issuer);
  const closed = once(silent.socket, 'close');
  // When this request is answered, the server has accepted both connections, and has read the beginning of the request.
  await fetch(`${issuer}/healthz`, { headers: { connection: 'close' } });
  process.emit('SIGTERM', 'SIGTERM');
  await closed;
  begun.socket.write(form);
  expect(await ended).toBe(143);
  await eventually(() => begun.socket.closed);
  expect(begun.received.join('')).toMatch(/^HTTP\/1\.1 401 [\s\S]*"invalid_client"/);
});
