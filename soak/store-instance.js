/**
 * One process of a platform: `node soak/store-instance.js <url of a store> <cache options> <issuer>`. It serves keys, and the
 * tokens of the issuer if there is one, behind `requireBearer`, and reports to its parent the port, the warnings of the store, and, when it was terminated and has closed
 * what it opened, what was left. It revokes a key or a token when its parent says so.
 */
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import express from 'express';
import { accessTokens, apiKeys, bearerErrors, requireBearer } from 'keyward';
import { now, pause } from './store-clock.js';
import { openReady } from './store-rows.js';

const [url, cache, issuer] = process.argv.slice(2);
/** Milliseconds: sockets that are being closed are no handles left open. */
const CLOSING = 250;
/** Node ends the connections that are idle when a server is closed, and not those that become so. */
const SWEEP_EVERY = 100;

process.once('disconnect', () => process.exit());
subscribe('keyward:store', ({ warning, detail }) => report({ warning, detail }));
const store = await openReady(url);
const keys = apiKeys({ resolver: store, kinds: ['secret'], environment: 'live', cache: JSON.parse(cache) });
const accept = issuer === undefined ? [keys] : [keys, accessTokens({ ...JSON.parse(issuer), accessKeys: store })];
let begun = 0;
let isClosing = false;

const app = express();
app.use((_req, res, next) => {
  begun += 1;
  // Or the connections that are kept alive would keep the server.
  if (isClosing) res.set('Connection', 'close');
  next();
});
app.get('/ready', async (_req, res) => void res.sendStatus((await store.ready()) ? 204 : 503));
app.use(requireBearer({ accept }), bearerErrors());
app.get('/', async (req, res) => {
  if (req.query.work !== undefined) await pause(Number(req.query.work));
  res.send('ok');
});
const server = app.listen(0, '127.0.0.1');
// A connection that ends for being idle just as a request is sent on it is no fault of a store.
server.keepAliveTimeout = 60_000;
await once(server, 'listening');
report({ port: server.address().port });

// One at a time: between being handed over and being committed, none waits for another.
let queue = Promise.resolve();
process.on('message', ({ revoke: id, token }) => {
  queue = queue.then(async () => {
    const handedOver = token === undefined ? await revokeKey(id) : await revokeToken(token);
    report({ revoked: id, handedOver });
  });
});
process.once('SIGTERM', async () => {
  isClosing = true;
  const timer = setInterval(() => server.closeIdleConnections(), SWEEP_EVERY);
  await new Promise((resolve) => server.close(resolve));
  clearInterval(timer);
  await store.close();
  await pause(CLOSING);
  // What it says goes over these.
  const left = process.getActiveResourcesInfo().filter((name) => name !== 'PipeWrap' && name !== 'TTYWrap');
  process.removeAllListeners('disconnect');
  process.send({ begun, left }, () => process.disconnect());
});

/** Resolves when it is committed, with when it was handed over to be. */
async function revokeKey(id) {
  let handedOver;
  await store.repository.transact(async (tx) => {
    const { version } = await tx.key(id);
    await tx.updateKey(id, version, { revoked_at: Date.now() });
    tx.notify({ key: id });
    handedOver = now();
  });
  return handedOver;
}

/** As `revokeKey`, but from the beginning of the transaction. */
async function revokeToken({ client, jti, expiresAt }) {
  const handedOver = now();
  await store.revokeToken(client, jti, new Date(expiresAt));
  return handedOver;
}

function report(message) {
  if (process.connected) process.send(message);
}
