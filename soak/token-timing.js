/** T16: whatever is wrong with a client's credentials, finding out costs the same. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import express from 'express';
import { createIssuer, memorySigningKeys } from 'keyward/issuer';
import { createTestKit } from 'keyward/testing';
import { median } from './figures.js';

const BODY = 'grant_type=client_credentials';
const BOUND = 0.03;
/** The limit of guesses is not what is measured. */
const LIMITS = { perClient: 1_000_000, perAddress: 1_000_000 };

/** Over HTTP, one request of each kind in turn, the first of them another each time. */
export async function tokenTiming(count) {
  const accessKeys = accessKeyTable();
  const clients = accessKeys.clients;
  const app = express();
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  const audience = 'https://api.test';
  app.use(createIssuer({ issuer: url, audience, accessKeys, signingKeys: memorySigningKeys(), limits: LIMITS }));

  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const kinds = Object.keys(clients);
  const times = Object.fromEntries(kinds.map((kind) => [kind, []]));
  const answers = new Set();
  const warmUp = Math.ceil(count / 10);
  for (let i = -warmUp; i < count; i += 1) {
    for (let turn = 0; turn < kinds.length; turn += 1) {
      const kind = kinds[(i + warmUp + turn) % kinds.length];
      const started = process.hrtime.bigint();
      const answer = await post(url, agent, clients[kind]);
      if (i >= 0) times[kind].push(Number(process.hrtime.bigint() - started));
      answers.add(answer);
    }
  }
  agent.destroy();
  server.close();

  const medians = kinds.map((kind) => [kind, median(times[kind])]);
  const [fastest, slowest] = [Math.min, Math.max].map((pick) => pick(...medians.map(([, taken]) => taken)));
  const spread = slowest / fastest - 1;
  return {
    title: `Constant work at the token endpoint: ${count.toLocaleString('en')} timed requests of each type of bad client`,
    figures: [
      ...medians.map(([kind, taken]) => [`median, ${kind}`, `${(taken / 1_000).toFixed(2)} µs`]),
      ['medians lie within', `${(spread * 100).toFixed(1)} %`, spread <= BOUND],
      ['different answers', answers.size, answers.size === 1],
    ],
  };
}

/** Six clients that get no token. Ids and secrets are as long as each other, so that no request has more bytes. */
function accessKeyTable() {
  const apiKey = createTestKit().secretKey();
  const [secret, wrong] = ['s', 'w'].map((letter) => letter.repeat(apiKey.length));
  const records = new Map();
  const add = (id, traits = {}) => {
    const secrets = [{ digest: createHash('sha256').update(secret).digest('hex') }];
    const grant = { secrets, scopes: ['payments'], defaultScopes: ['payments'] };
    records.set(id, { id, account: 'acc_soak', environment: 'live', ...grant, ...traits });
    return id;
  };
  const clients = {
    'unknown id': ['ack_unknown_', secret],
    'wrong secret': [add('ack_wrong___'), wrong],
    revoked: [add('ack_revoked_', { revokedAt: new Date(0) }), secret],
    expired: [add('ack_expired_', { expiresAt: new Date(0) }), secret],
    disabled: [add('ack_disabled', { disabled: true }), secret],
    'API key as secret': [add('ack_apikey__'), apiKey],
  };
  return { clients, resolveAccessKey: async (id) => records.get(id) };
}

/** @returns What answers are compared by: status, challenge and body. */
function post(url, agent, [id, secret]) {
  return new Promise((resolve, reject) => {
    const headers = {
      Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': BODY.length,
    };
    const sent = request(`${url}/connect/token`, { method: 'POST', agent, headers }, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      res.once('end', () => resolve([res.statusCode, res.headers['www-authenticate'], text].join('\n')));
    });
    sent.once('error', reject).end(BODY);
  });
}
