/** A server of one subject: Express, its middlewares, and a route that answers two bytes. It says its URL. */
import { once } from 'node:events';
import express from 'express';
import { answer, given } from '../measure/answers.js';
import { cpuTime } from '../measure/cpu-time.js';
import { holdSubject } from '../platform/held.js';
import { SERVERS } from '../platform/server-of.js';

const OK = Object.freeze({ 'Content-Type': 'text/plain', 'Content-Length': 2 });
const REFUSED = Object.freeze({ 'Content-Type': 'text/plain', 'Content-Length': 7 });

async function begin() {
  const { middlewares } = await holdSubject(given);
  const app = express();
  app.locals.data = new Array(given.ownData ?? 0).fill(0.5);
  app.get('/payments', ...middlewares, (_req, res) => res.writeHead(200, OK).end('ok'));
  // Not `res.send`, which computes a SHA-1 hash for the ETag: a flood would then measure that of the app too.
  app.use((error, _req, res, _next) => res.writeHead(error.status ?? 500, REFUSED).end('refused'));
  const server = SERVERS[given.server ?? 'express'](app);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // Connections rest while the others have their turn.
  server.keepAliveTimeout = 0;
  return `http://127.0.0.1:${server.address().port}/`;
}

await answer(begin, { cpu: cpuTime });
