import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import { bearerErrors, defineGuard, requireApi, requireBearer, requireScopes } from 'keyward';
import { createTestKit } from 'keyward/testing';
import { parameterOf, readChallenge } from '../support/challenge.js';
import { getRaw, type Served, sendRaw, serve } from '../support/raw-http.js';

const REALM = 'the "wards" of \\this';
const METADATA = 'https://api.test/.well-known/oauth-protected-resource';

const kit = createTestKit();
const key = kit.secretKey({ apis: ['disputes'] });

let handled = 0;
const handle: RequestHandler = (_req, res) => {
  handled += 1;
  res.json({});
};
const ill = (scope: string) => defineGuard({ name: 'ill', check: () => ({ scopes: [scope] }) });

const app = express();
app.use(express.urlencoded());
app.use(requireBearer({ accept: kit.accept, realm: REALM, resourceMetadata: METADATA }));
app.all('/', handle);
app.get('/payments', requireApi('payments'), handle);
app.get('/refunds', requireScopes('payments:refund', 'payments:read'), handle);
app.get('/quote', ill('pay"ments'), handle);
app.get('/backslash', ill('pay\\ments'), handle);
app.get('/control', ill('pay\nments'), handle);
app.get('/foreign', ill('zahlungsfähig'), handle);
app.get('/empty', ill(''), handle);
app.use(bearerErrors());

let served: Served;
beforeAll(async () => {
  served = await serve(app);
});
afterAll(() => served.close());
beforeEach(() => {
  handled = 0;
});

const get = (authorization: string | undefined, target = '/') =>
  getRaw(served.port, authorization === undefined ? [] : [`Authorization: ${authorization}`], target);
const challengeOf = async (...request: Parameters<typeof get>) =>
  readChallenge((await get(...request)).headers['www-authenticate']);

/** Every kind of refusal for a request without a token that is accepted for the resource. */
const REFUSALS: [string, string | undefined, string][] = [
  ['no credential', undefined, '/'],
  ['a scheme that is not accepted', 'Basic Zm9vOmJhcg==', '/'],
  ['a malformed credential', 'Bearer a b', '/'],
  ['an unknown key', `Bearer ${kit.secretKey({ foreign: true })}`, '/'],
  ['something that is neither key nor token', 'Bearer mF_9.B5f-4.1JqM', '/'],
  ['a key out of reach of the API', `Bearer ${key}`, '/payments'],
  ['a key without the scopes', `Bearer ${key}`, '/refunds'],
];

describe('RFC 6750 section 2.1, the Authorization field', () => {
  it.each([
    ['secret key', async () => kit.secretKey()],
    ['public key', async () => kit.publicKey()],
    ['access token', () => kit.accessToken()],
  ])('2.1 a resource server supports this method: %s', async (_name, make) => {
    expect((await get(`Bearer ${await make()}`)).status).toBe(200);
  });

  it.each([1, 2, 7])('2.1 "1*SP": %i spaces between scheme and credential', async (spaces) => {
    expect((await get(`Bearer${' '.repeat(spaces)}${key}`)).status).toBe(200);
  });

  it('2.1 "b64token": every character of it, and = at its end, is well formed', async () => {
    const challenge = await challengeOf('Bearer ABCXYZabcxyz0189-._~+/==');
    expect(parameterOf(challenge, 'error')).toBe('invalid_token');
  });

  it.each(['"', ',', ' ', '*', '%', '\\', '{', '@', '\x80', '='])(
    '2.1 "b64token": %j is none of it',
    async (character) => {
      const challenge = await challengeOf(`Bearer abc${character}def`);
      expect(parameterOf(challenge, 'error')).toBe('invalid_request');
    },
  );
});

describe('RFC 6750 section 3, the WWW-Authenticate field', () => {
  it.each(REFUSALS)('3 WWW-Authenticate stands on the answer to %s', async (_name, authorization, target) => {
    const { status, headers } = await get(authorization, target);
    expect({ status, handled }).toEqual({ status: expect.any(Number), handled: 0 });
    expect(headers).toHaveProperty('www-authenticate');
  });

  it.each(REFUSALS)('3 the scheme is Bearer, with one auth-param or more: %s', async (_name, authorization, target) => {
    const { scheme, parameters } = await challengeOf(authorization, target);
    expect(scheme).toBe('Bearer');
    expect(parameters.length).toBeGreaterThan(0);
  });

  it.each(REFUSALS)('3 realm stands there once, and as it was configured: %s', async (_name, authorization, target) => {
    const { parameters } = await challengeOf(authorization, target);
    expect(parameters.filter(([name]) => name === 'realm')).toEqual([['realm', REALM]]);
  });

  it.each(REFUSALS)(
    '3 scope, error, error_description and error_uri stand there once at most: %s',
    async (_name, authorization, target) => {
      const names = (await challengeOf(authorization, target)).parameters.map(([name]) => name);
      expect(names).toEqual([...new Set(names)]);
    },
  );

  it.each(REFUSALS)(
    '3 error and error_description keep to their characters: %s',
    async (_name, authorization, target) => {
      const challenge = await challengeOf(authorization, target);
      for (const name of ['error', 'error_description']) {
        expect(parameterOf(challenge, name) ?? '').toMatch(/^[\x20\x21\x23-\x5B\x5D-\x7E]*$/);
      }
    },
  );

  it('3 scope is a list of scope-tokens, one space apart', async () => {
    expect(parameterOf(await challengeOf(`Bearer ${key}`, '/refunds'), 'scope')).toBe('payments:refund payments:read');
  });

  it.each(['/quote', '/backslash', '/control', '/foreign', '/empty'])(
    "3 scope never leaves its characters, whatever a guard of the user's own names: %s",
    async (target) => {
      const { status, headers } = await get(`Bearer ${key}`, target);
      expect({ status, challenge: headers['www-authenticate'], handled }).toEqual({
        status: 500,
        challenge: undefined,
        handled: 0,
      });
    },
  );

  it.each(['pay"ments', 'pay\\ments', 'pay ments', 'pay\nments', 'zahlungsfähig'])(
    '3 scope never leaves its characters: requireScopes(%j) throws at start',
    (scope) => {
      expect(() => requireScopes(scope)).toThrow(TypeError);
    },
  );
});

describe('RFC 6750 section 3.1, the error codes', () => {
  it.each([
    ['the field breaks the grammar', 'Bearer a b'],
    ['the field has no credential', 'Bearer'],
  ])('3.1 invalid_request, 400: %s', async (_name, authorization) => {
    const { status, headers } = await get(authorization);
    expect([status, parameterOf(readChallenge(headers['www-authenticate']), 'error')]).toEqual([
      400,
      'invalid_request',
    ]);
  });

  it.each([
    ['in the query too', '/?access_token=x', []],
    ['in the form too', '/', ['Content-Type: application/x-www-form-urlencoded', 'Content-Length: 14']],
    ['in two fields', '/', [`Authorization: Bearer ${key}`]],
  ])('3.1 invalid_request, 400: a credential by more than one method, %s', async (_name, target, more) => {
    const lines = ['Host: api.test', 'Connection: close', `Authorization: Bearer ${key}`, ...more];
    const body = more.length === 2 ? 'access_token=x' : '';
    const head = [`POST ${target} HTTP/1.1`, ...lines, '', body].join('\r\n');
    const { status, headers } = await sendRaw(served.port, head);
    expect([status, parameterOf(readChallenge(headers['www-authenticate']), 'error')]).toEqual([
      400,
      'invalid_request',
    ]);
  });

  it.each([
    ['expired key', async () => kit.secretKey({ expired: true })],
    ['expired token', () => kit.accessToken({ expired: true })],
    ['revoked key', async () => kit.secretKey({ revoked: true })],
    ['revoked token', () => kit.accessToken({ revoked: true })],
    ['malformed key', async () => `${kit.secretKey()}a`],
    ['malformed token', async () => `${await kit.accessToken()}A`],
    ['unknown key', async () => kit.secretKey({ foreign: true })],
    ['token of another signer', () => kit.accessToken({ foreign: true })],
  ])('3.1 invalid_token, 401: %s', async (_name, make) => {
    const { status, headers } = await get(`Bearer ${await make()}`);
    expect([status, parameterOf(readChallenge(headers['www-authenticate']), 'error')]).toEqual([401, 'invalid_token']);
  });

  it('3.1 insufficient_scope, 403, with the scope that the resource needs', async () => {
    const { status, headers } = await get(`Bearer ${key}`, '/refunds');
    const challenge = readChallenge(headers['www-authenticate']);
    expect([status, parameterOf(challenge, 'error'), parameterOf(challenge, 'scope')]).toEqual([
      403,
      'insufficient_scope',
      'payments:refund payments:read',
    ]);
  });

  it.each([
    ['nothing', undefined],
    ['an unsupported method', 'Digest username="x"'],
  ])('3.1 no error code and no other word of an error where a request brings %s', async (_name, authorization) => {
    const { status, headers } = await get(authorization);
    const names = readChallenge(headers['www-authenticate']).parameters.map(([name]) => name);
    expect([status, names]).toEqual([401, ['realm', 'resource_metadata']]);
  });
});
