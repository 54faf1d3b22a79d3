/** A server of one subject: Express, its middlewares, and a route that answers two bytes. It says its URL. */
import { once } from 'node:events';
import express from 'express';
import { answer, given } from '../measure/answers.js';
import { cpuTime } from '../measure/cpu-time.js';
import { holdSubject } from '../platform/held.js';
import { SERVERS } from '../platform/server-of.js';

const OK = Object.freeze({ 'Content-Type': 'text/plain', 'Content-Length': 2 });
const REFUSED = Object.freeze({ 'Content-Type': 'text/plain', 'Content-Length': 7 });

/**
 * Numbers, 8 bytes each, that a server holds, as much as a service of usual size. Without them, V8 collects the 7 MB of the ideal
 * twice as often as the 12 MB of a server with a cache for 100,000 entries, and scavenges of Node 20 take longer the longer ago that was:
 * 4.9 and 5.4 ms. With them, both servers are collected equally often, in 7.2 and 7.0 ms.
 */
const OWN_DATA = 4_000_000;

async function begin() {
  const { middlewares } = await holdSubject(given);
  const app = express();
  app.locals.data = new Array(OWN_DATA).fill(0.5);
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
