import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import { bearerErrors, requireApi, requireBearer, requireScopes } from 'keyward';
import { createTestKit } from 'keyward/testing';
import { parameterOf, readChallenge } from '../support/challenge.js';
import { getRaw, type Served, serve } from '../support/raw-http.js';

const kit = createTestKit();
const key = kit.secretKey({ apis: ['disputes'] });
const revoked = `Bearer ${kit.secretKey({ revoked: true })}`;

/** One API for each way in which an app may answer errors. */
const homeMade: ErrorRequestHandler = (error, _req, res, _next) => {
  res.status(error.status).send('no');
};
const HANDLERS = {
  bearerErrors: bearerErrors(),
  "bearerErrors({ format: 'problem' })": bearerErrors({ format: 'problem' }),
  'a home-made error handler': homeMade,
  "Express's own error handler": undefined,
};

const app = express();
app.set('env', 'test');
for (const [index, handler] of Object.values(HANDLERS).entries()) {
  const api = express.Router();
  api.use('/optional', requireBearer({ accept: kit.accept, optional: true }), requireApi('disputes'));
  api.use(requireBearer({ accept: kit.accept, realm: 'a "quoted" \\ realm' }));
  api.get('/payments', requireApi('payments'));
  api.get('/refunds', requireScopes('payments:refund'));
  api.get('/', (_req, res) => {
    res.json({});
  });
  if (handler !== undefined) api.use(handler);
  app.use(`/${index}`, api);
}

let served: Served;
beforeAll(async () => {
  served = await serve(app);
});
afterAll(() => served.close());

const get = (authorization: string | undefined, target = '/0', method = 'GET') =>
  getRaw(served.port, authorization === undefined ? [] : [`Authorization: ${authorization}`], target, method);

const UNAUTHORIZED: [string, string | undefined, string][] = [
  ['no credentials', undefined, '/'],
  ['credentials of a scheme that is not accepted', 'Basic dXNlcjpwYXNz', '/'],
  ['invalid credentials', revoked, '/'],
  ['partial credentials', `Bearer ${key.slice(0, 20)}`, '/'],
  ['no credentials at an optional gate, with a guard behind it', undefined, '/optional'],
];

const ways = UNAUTHORIZED.flatMap(([what, authorization, path]) =>
  Object.keys(HANDLERS).map((by, index) => [what, by, authorization, `/${index}${path}`] as const),
);

describe('RFC 9110 section 11, authentication', () => {
  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('11.1 a scheme is recognized in any case: %s', async (scheme) => {
    expect((await get(`${scheme} ${key}`)).status).toBe(200);
  });

  it.each(ways)('11.2 a parameter stands in a challenge once: %s, answered by %s', async (_what, _by, sent, target) => {
    const { headers } = await get(sent, target);
    const names = readChallenge(headers['www-authenticate']).parameters.map(([name]) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  it.each(['/0/payments', '/0/refunds'])(
    '11.2 a parameter stands in the challenge of a 403 once: %s',
    async (target) => {
      const { headers } = await get(`Bearer ${key}`, target);
      const names = readChallenge(headers['www-authenticate']).parameters.map(([name]) => name);
      expect(names).toEqual([...new Set(names)]);
    },
  );

  it.each(UNAUTHORIZED)('11.3 a request with %s is answered by 401 and a challenge', async (_what, sent, path) => {
    const { status, headers } = await get(sent, `/0${path}`);
    expect([status, readChallenge(headers['www-authenticate']).scheme]).toEqual([401, 'Bearer']);
  });

  it.each(['/0/payments', '/0/refunds'])(
    '11.3 valid credentials that are not enough get 403, not 401: %s',
    async (target) => {
      expect((await get(`Bearer ${key}`, target)).status).toBe(403);
    },
  );

  it.each([`Bearer ${key}, Bearer ${key}`, `Bearer ${key} ${key}`, `Bearer token="${key}"`])(
    '11.4 credentials are one scheme with one token68: not %#',
    async (credentials) => {
      expect((await get(credentials)).status).toBe(400);
    },
  );

  it('11.5 realm is a quoted-string', async () => {
    const { headers } = await get(undefined);
    expect(headers['www-authenticate']).toBe('Bearer realm="a \\"quoted\\" \\\\ realm"');
    expect(parameterOf(readChallenge(headers['www-authenticate']), 'realm')).toBe('a "quoted" \\ realm');
  });

  it.each(ways)('11.6.1 a 401 has a challenge: %s, answered by %s', async (_what, _by, sent, target) => {
    const { status, headers } = await get(sent, target);
    expect(status).toBe(401);
    expect(readChallenge(headers['www-authenticate']).scheme).toBe('Bearer');
  });

  it.each(['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND'])(
    '11.6.1 a 401 has a challenge whatever the method: %s',
    async (method) => {
      const { status, headers } = await get(revoked, '/0', method);
      expect([status, readChallenge(headers['www-authenticate']).scheme]).toEqual([401, 'Bearer']);
    },
  );

  it.each([
    ['the same twice', key, key],
    ['two that differ', key, 'sk_other'],
  ])('11.6.2 Authorization is one field: %s are refused', async (_name, first, second) => {
    const lines = [`Authorization: Bearer ${first}`, `authorization: Bearer ${second}`];
    expect((await getRaw(served.port, lines, '/0')).status).toBe(400);
  });
});
