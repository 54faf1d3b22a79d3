import { expect, test } from '@jest/globals';
import express from 'express';
import { authOf, bearerErrors, requireBearer } from 'keyward';
import { createTestKit } from 'keyward/testing';

test('a gate', async () => {
  const kit = createTestKit();
  const app = express();
  app.get('/', requireBearer({ accept: kit.accept }), (req, res) => {
    res.json(authOf(req).kind);
  });
  app.use(bearerErrors());
  const server = app.listen(0);
  const { port } = server.address() as { port: number };
  const ask = (c: string) => fetch(`http://127.0.0.1:${port}/`, { headers: { authorization: `Bearer ${c}` } });
  expect((await ask(kit.secretKey())).status).toBe(200);
  expect((await ask(await kit.accessToken({}))).status).toBe(200);
  expect((await ask(kit.secretKey({ revoked: true }))).status).toBe(401);
  server.close();
});
