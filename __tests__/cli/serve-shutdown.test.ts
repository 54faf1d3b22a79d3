import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { build, type RunningProgram, startProgram } from '../support/built-cli.js';
import { eventually } from '../support/store-wait.js';

const FORM = 'grant_type=client_credentials&client_id=ack_x&client_secret=y';

let folder: string;
let program: RunningProgram | undefined;
let sockets: Socket[];

beforeAll(build);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyward-shutdown-'));
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  program?.child.kill('SIGKILL');
  await program?.ended;
  rmSync(folder, { recursive: true, force: true });
});

/** Opens a connection, and collects what it receives. */
async function open(port: number) {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  sockets.push(socket);
  let received = '';
  socket.on('data', (text: string) => {
    received += text;
  });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return { socket, received: () => received };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** Starts a server with a connection whose request has only begun. */
async function startWithRequest() {
  const args = ['serve', '--audience', 'https://api.test', '--port', '0', '--json', '--no-log', '--no-dashboard'];
  const running = startProgram(args, { KEYWARD_DATABASE: `file:${join(folder, 'keyward.db')}` }, folder);
  program = running;
  const { port } = JSON.parse(await running.firstLine) as { port: number };
  const busy = await open(port);
  const type = 'Content-Type: application/x-www-form-urlencoded';
  busy.socket.write(`POST /connect/token HTTP/1.1\r\nHost: x\r\n${type}\r\nContent-Length: ${FORM.length}\r\n\r\n`);
  // When this request is answered, the server has read the beginning of the other one too.
  const idle = await open(port);
  idle.socket.write(get('/healthz'));
  await eventually(() => idle.received().includes('"ok"'));
  return { running, port, busy, idle };
}

async function untilRefused(port: number): Promise<void> {
  await eventually(async () => {
    const socket = connect(port, '127.0.0.1');
    const connected = once(socket, 'connect').finally(() => socket.destroy());
    return await connected.then(
      () => false,
      () => true,
    );
  });
}

it('a server that is stopped closes idle connections, and answers requests on the others, which it then closes', async () => {
  const { running, port, busy, idle } = await startWithRequest();
  const closed = once(idle.socket, 'close');
  running.child.kill('SIGTERM');
  await closed;
  await untilRefused(port);
  expect(running.child.exitCode).toBeNull();
  busy.socket.write(`${FORM}${get('/healthz')}`);
  expect((await running.ended).code).toBe(143);
  const [token = '', health = ''] = busy.received().split(/(?=HTTP\/1\.1 200)/);
  expect(token).toMatch(/^HTTP\/1\.1 401 [\s\S]*"invalid_client"/);
  expect(health).toMatch(/^HTTP\/1\.1 200 [\s\S]*^Connection: close\r$[\s\S]*\{"status":"ok"\}$/m);
});

it('a server that is stopped does not wait for a further request on an open connection', async () => {
  const { running, port, busy } = await startWithRequest();
  running.child.kill('SIGTERM');
  await untilRefused(port);
  const start = performance.now();
  busy.socket.write(FORM);
  expect((await running.ended).code).toBe(143);
  expect(busy.received()).toMatch(/^HTTP\/1\.1 401 /);
  // By default, Node keeps an idle connection for five seconds.
  expect(performance.now() - start).toBeLessThan(4_000);
});

it('a server that is stopped does not wait for a connection without a request', async () => {
  const { running, idle, busy } = await startWithRequest();
  busy.socket.write(FORM);
  await eventually(() => busy.received().includes('invalid_client'));
  const port = Number(idle.socket.remotePort);
  const silent = await open(port);
  // The server has accepted the connection when it answers a request of a later one.
  const later = await open(port);
  later.socket.write(get('/healthz'));
  await eventually(() => later.received().includes('"ok"'));
  const start = performance.now();
  running.child.kill('SIGTERM');
  expect((await running.ended).code).toBe(143);
  expect(silent.received()).toBe('');
  // Requests in progress have eight seconds.
  expect(performance.now() - start).toBeLessThan(4_000);
});

it('a server that is stopped closes a connection with an unfinished request after eight seconds', async () => {
  const { running, port } = await startWithRequest();
  const slow = await open(port);
  slow.socket.write('GET /healthz HTTP/1.1\r\n');
  // The server has read this line too when it answers a request of a later connection.
  const later = await open(port);
  later.socket.write(get('/healthz'));
  await eventually(() => later.received().includes('"ok"'));
  running.child.kill('SIGTERM');
  await eventually(() => running.child.exitCode !== null, 30_000);
  expect(running.child.exitCode).toBe(143);
  expect(slow.received()).toBe('');
});
