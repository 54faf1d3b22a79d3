import { once } from 'node:events';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, it } from '@jest/globals';
import { afterSocketReads } from '../../lib/http/after-socket-reads.js';

/** Answers each message of a socket in a thread of its own, and notifies `answered` when the answer is sent. */
const SERVER = `
  const { parentPort, workerData: answered } = require('node:worker_threads');
  function notify() {
    Atomics.store(answered, 0, 1);
    Atomics.notify(answered, 0);
  }
  const server = require('node:net').createServer((socket) => {
    socket.on('data', () => socket.write('answer', notify));
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

const newFlag = () => new Int32Array(new SharedArrayBuffer(4));

it('a timeout comes after an answer that arrived while the event loop was blocked', async () => {
  const answered = newFlag();
  const server = new Worker(SERVER, { eval: true, workerData: answered });
  const [port] = await once(server, 'message');
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const order: string[] = [];
  socket.on('data', () => order.push('answer'));
  const timedOut = new Promise<void>((resolve) => {
    setTimeout(() => order.push('plain timer'), 1);
    setTimeout(afterSocketReads, 1, () => {
      order.push('timeout');
      resolve();
    });
  });
  socket.write('question');
  // The event loop is blocked until the answer is here and both timers are due.
  Atomics.wait(answered, 0, 0, 5_000);
  Atomics.wait(newFlag(), 0, 0, 5);
  await timedOut;
  socket.destroy();
  await server.terminate();
  expect(order).toEqual(['plain timer', 'answer', 'timeout']);
});
