import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { authOf, bearerErrors, type Principal, requireApi, requireBearer, requireChannel } from 'keyward';
import 'keyward/augment';
import { createTestKit } from 'keyward/testing';

const kit = createTestKit();
const app = express();
app.use('/payments', requireBearer({ accept: kit.accept }), requireApi('payments'));
app.get(
  '/payments',
  requireChannel((req) => req.query.channel),
  (req, res) => {
    const principal: Principal = authOf(req);
    res.json([principal.kind, req.auth?.account]);
  },
);
app.use(bearerErrors());

const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/payments`;
const get = (credential: string) => fetch(url, { headers: { Authorization: `Bearer ${credential}` } });

assert.equal((await fetch(url)).status, 401);
assert.equal((await get(kit.secretKey({ apis: ['disputes'] }))).status, 403);
const taken = await get(kit.secretKey({ apis: ['payments'] }));
assert.deepEqual([taken.status, await taken.json()], [200, ['secret', 'acc_test']]);
assert.equal((await get(await kit.accessToken({ scopes: ['payments'] }))).status, 200);
server.close();
server.closeAllConnections();
