import assert = require('node:assert/strict');
import express = require('express');
import keyward = require('keyward');
import testing = require('keyward/testing');

const kit = testing.createTestKit();
const app = express();
app.get('/payments', keyward.requireBearer({ accept: kit.accept }), (req, res) => {
  const principal: keyward.Principal = keyward.authOf(req);
  res.json([principal.kind]);
});

const server = app.listen(0, '127.0.0.1', async () => {
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/payments`;
  assert.equal((await fetch(url)).status, 401);
  const answer = await fetch(url, { headers: { Authorization: `Bearer ${kit.publicKey()}` } });
  assert.deepEqual([answer.status, await answer.json()], [200, ['public']]);
  server.close();
  server.closeAllConnections();
});
