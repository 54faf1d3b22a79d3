import { describe, expect, it } from '@jest/globals';
import { createTestKit } from 'keyward/testing';
import request from 'supertest';
import { createApp, createRecords } from '../../examples/payments-service/src/app.js';

// The service with the kit's verifiers in place of the platform's: this is all that a test of one's own routes needs.
const kit = createTestKit();
const records = createRecords();
const app = createApp({ tokens: kit.tokens, secretKeys: kit.keys('secret'), publicKeys: kit.keys('public') }, records);

const card = { type: 'card', number: '4242424242424242', expiry_month: 12, expiry_year: 2030 } as const;
const order = { source: card, amount: 1_000, currency: 'GBP', reference: 'order-1' };

function payment() {
  const source = { type: 'card', expiry_month: 12, expiry_year: 2030 } as const;
  return records.payments.create({ account: 'acc_test', channels: 'all' }, { ...order, source });
}

function dispute() {
  return records.disputes.open(payment());
}

const publicKey = kit.publicKey({ apis: ['tokens'] });
const bearer = (credential: string) => `Bearer ${credential}`;
const callers = {
  'a secret key for all APIs': bearer(kit.secretKey()),
  'a secret key for payments': bearer(kit.secretKey({ apis: ['payments'] })),
  'a secret key for disputes': bearer(kit.secretKey({ apis: ['disputes'] })),
  'a public key': bearer(publicKey),
  'a bare public key': publicKey,
  'a public key for payments': bearer(kit.publicKey({ apis: ['payments'] })),
  'a token for payments and refunds': bearer(await kit.accessToken({ scopes: ['payments', 'payments:refund'] })),
  'a token for payments': bearer(await kit.accessToken({ scopes: ['payments'] })),
  'a token for disputes': bearer(await kit.accessToken({ scopes: ['disputes'] })),
  'a token for reports': bearer(await kit.accessToken({ scopes: ['reports'] })),
  nothing: '',
};

interface Route {
  readonly method: 'get' | 'post';
  readonly path: () => string;
  readonly body?: object;
}

const guarded = {
  'GET /caller': { method: 'get', path: () => '/caller' },
  'POST /payments': { method: 'post', path: () => '/payments', body: order },
  'POST /payments/': { method: 'post', path: () => '/payments/', body: order },
  'GET /payments/:id': { method: 'get', path: () => `/payments/${payment().id}` },
  'POST /payments/:id/refunds': { method: 'post', path: () => `/payments/${payment().id}/refunds` },
  'POST /tokens': { method: 'post', path: () => '/tokens', body: card },
  'GET /disputes': { method: 'get', path: () => '/disputes' },
  'GET /disputes/:id': { method: 'get', path: () => `/disputes/${dispute().id}` },
  'POST /disputes/:id/accept': { method: 'post', path: () => `/disputes/${dispute().id}/accept` },
  'GET /reports': { method: 'get', path: () => '/reports' },
  'GET /reports/statement': { method: 'get', path: () => '/reports/statement' },
} satisfies Readonly<Record<string, Route>>;
const routes = Object.keys(guarded) as (keyof typeof guarded)[];
const health: Route = { method: 'get', path: () => '/health' };

function send({ method, path, body }: Route, authorization: string) {
  const sent = request(app)[method](path());
  if (authorization !== '') sent.set('Authorization', authorization);
  return body === undefined ? sent : sent.send(body);
}

describe('accepted callers', () => {
  // The statuses stand in the order of `callers`: three secret keys, three public ones, four tokens, nothing.
  const table: readonly (readonly [route: keyof typeof guarded, statuses: readonly number[]])[] = [
    ['GET /caller', [200, 200, 200, 200, 401, 200, 200, 200, 200, 200, 401]],
    ['POST /payments', [201, 201, 403, 401, 401, 401, 201, 201, 403, 403, 401]],
    ['POST /payments/', [201, 201, 403, 401, 401, 401, 201, 201, 403, 403, 401]],
    ['GET /payments/:id', [200, 200, 403, 401, 401, 401, 200, 200, 403, 403, 401]],
    ['POST /payments/:id/refunds', [201, 201, 403, 401, 401, 401, 201, 403, 403, 403, 401]],
    ['POST /tokens', [401, 401, 401, 201, 201, 403, 401, 401, 401, 401, 401]],
    ['GET /disputes', [200, 403, 200, 401, 401, 401, 403, 403, 200, 403, 401]],
    ['GET /disputes/:id', [200, 403, 200, 401, 401, 401, 403, 403, 200, 403, 401]],
    ['POST /disputes/:id/accept', [200, 403, 200, 401, 401, 401, 403, 403, 200, 403, 401]],
    ['GET /reports', [401, 401, 401, 401, 401, 401, 403, 403, 403, 200, 401]],
    ['GET /reports/statement', [401, 401, 401, 401, 401, 401, 403, 403, 403, 401, 401]],
  ];
  const cells = table.flatMap(([route, statuses]) =>
    Object.entries(callers).map(([caller, authorization], column) => ({
      ...{ route, caller, authorization, status: statuses[column] },
    })),
  );

  it.each(cells)('$route with $caller: $status', async ({ route, authorization, status }) => {
    expect((await send(guarded[route], authorization)).status).toBe(status);
  });

  it('GET /caller returns the access of the caller', async () => {
    const { body } = await send(guarded['GET /caller'], bearer(publicKey));
    expect(body).toEqual({ kind: 'public', account: 'acc_test', apis: ['tokens'], scopes: [], channels: 'all' });
  });

  it.each(Object.entries(callers))('GET /health is open, also with %s', async (_caller, authorization) => {
    expect((await send(health, authorization)).status).toBe(200);
  });
});

describe('invalid credentials', () => {
  const traits = [
    { expired: true },
    { revoked: true },
    { disabled: true },
    { foreign: true },
    { otherEnvironment: true },
  ];
  const cells = routes.flatMap((route) => traits.map((trait) => ({ route, trait })));

  it.each(cells)('$route refuses every kind of credential that is $trait', async ({ route, trait }) => {
    const credentials = [
      kit.secretKey(trait),
      kit.publicKey({ ...trait, apis: ['tokens'] }),
      await kit.accessToken({ ...trait, scopes: ['payments', 'payments:refund', 'disputes', 'reports'] }),
    ];
    for (const credential of credentials) {
      const { status, body } = await send(guarded[route], bearer(credential));
      expect([status, body.error]).toEqual([401, 'invalid_token']);
    }
  });

  it.each(routes)('%s answers 503 while the store of the keys cannot be reached', async (route) => {
    const key = route === 'POST /tokens' ? kit.publicKey({ apis: ['tokens'] }) : kit.secretKey();
    const token = await kit.accessToken({ scopes: ['reports'] });
    kit.outage(true);
    const response = await send(guarded[route], bearer(route.startsWith('GET /reports') ? token : key));
    kit.outage(false);
    expect([response.status, response.headers['retry-after']]).toEqual([503, '1']);
  });
});

describe('GET /reports/statement', () => {
  const bound = createTestKit({ dpop: { origin: 'https://api.example.com' } });
  const verifiers = { tokens: bound.tokens, secretKeys: bound.keys('secret'), publicKeys: bound.keys('public') };
  const service = createApp(verifiers, createRecords());
  const sender = bound.dpop();
  const target = { method: 'GET', url: '/reports/statement' };
  const read = (token: string, proof: string) =>
    request(service).get(target.url).set('Authorization', `DPoP ${token}`).set('DPoP', proof);

  it('accepts a client that proves its key', async () => {
    const token = await sender.token({ scopes: ['reports'] });
    const { status, body } = await read(token, await sender.proof({ ...target, token }));
    expect([status, body]).toEqual([200, { account: 'acc_test', data: [] }]);
  });

  it('refuses a stolen token without the key', async () => {
    const token = await sender.token({ scopes: ['reports'] });
    const byThief = await bound.dpop().proof({ ...target, token });
    expect((await read(token, byThief)).status).toBe(401);
    const { status, body } = await request(service).get(target.url).set('Authorization', bearer(token));
    expect([status, body.error]).toEqual([401, 'invalid_token']);
  });
});

describe('the channels of an e-commerce platform', () => {
  const shop = bearer(kit.secretKey({ platform: 'shop', channels: ['pc_shop'] }));
  const pay = (authorization: string, channel?: unknown) =>
    request(app)
      .post('/payments')
      .set('Authorization', authorization)
      .send({ ...order, processing_channel_id: channel });

  it('pays through its only channel if none is named', async () => {
    const { status, body } = await pay(shop);
    expect([status, body.processing_channel_id]).toEqual([201, 'pc_shop']);
  });

  it('pays through its only channel by name', async () => {
    const { status, body } = await pay(shop, 'pc_shop');
    expect([status, body.processing_channel_id]).toEqual([201, 'pc_shop']);
  });

  it.each([['pc_other'], [['pc_shop']], [1], [{}]])('does not pay through %j', async (channel) => {
    expect((await pay(shop, channel)).status).toBe(403);
  });

  it('a key with two channels must name one', async () => {
    const key = bearer(kit.secretKey({ channels: ['pc_one', 'pc_two'] }));
    expect((await pay(key)).status).toBe(403);
    expect((await pay(key, 'pc_two')).body.processing_channel_id).toBe('pc_two');
  });

  it('finds only the payments and disputes of its channel', async () => {
    const own = await pay(shop);
    const ownDispute = records.disputes.open(own.body);
    const paths = [`/payments/${own.body.id}`, `/disputes/${ownDispute.id}`];
    const others = [`/payments/${payment().id}`, `/disputes/${dispute().id}`];
    const get = (path: string) => request(app).get(path).set('Authorization', shop);
    for (const path of paths) expect((await get(path)).status).toBe(200);
    for (const path of others) expect((await get(path)).status).toBe(404);
    expect((await get('/disputes')).body.data).toEqual([JSON.parse(JSON.stringify(ownDispute))]);
  });
});
