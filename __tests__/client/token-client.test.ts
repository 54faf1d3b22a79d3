import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { TokenClientError, type TokenClientOptions, tokenClient } from 'keyward/client';
import { clientOf, invalidToken, issuerWith, rejected, SECRET, started } from '../support/scripted-issuer.js';
import type { ScriptedAnswer, ScriptedServer, SeenRequest } from '../support/scripted-server.js';
import { eventually } from '../support/store-wait.js';

const EC_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });

describe('accessToken', () => {
  it('I19 makes one token request for 100 calls at once', async () => {
    const issuer = await issuerWith();
    const { client } = clientOf(issuer);
    const tokens = await Promise.all(Array.from({ length: 100 }, () => client.accessToken()));
    expect(new Set(tokens)).toEqual(new Set(['token-1']));
    expect(issuer.seen).toHaveLength(1);
  });

  it('authenticates by Basic, with ID and secret form-encoded (RFC 6749 §2.3.1), and asks for the scopes', async () => {
    const issuer = await issuerWith();
    const { client } = clientOf(issuer, {
      clientId: 'a:b',
      clientSecret: 'ü+ %',
      scopes: ['a', 'b'],
      resource: 'https://api',
    });
    await client.accessToken();
    const [request] = issuer.seen;
    const credentials = Buffer.from(request?.headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString();
    expect(credentials).toBe('a%3Ab:%C3%BC%2B+%25');
    expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
      grant_type: 'client_credentials',
      scope: 'a b',
      resource: 'https://api',
    });
  });

  it('I19 refreshes a token a minute before it expires', async () => {
    const issuer = await issuerWith();
    const { client, clock } = clientOf(issuer);
    await client.accessToken();
    clock.advance(3_539_999);
    expect(await client.accessToken()).toBe('token-1');
    clock.advance(1);
    await client.accessToken();
    await eventually(async () => (await client.accessToken()) === 'token-2');
    expect(issuer.seen).toHaveLength(2);
  });

  it.each([
    ['the wall clock is ahead', 'setWall'],
    ['the machine slept', 'suspend'],
  ] as const)('counts the age by both clocks: %s', async (_what, move) => {
    const issuer = await issuerWith();
    const { client, clock } = clientOf(issuer);
    await client.accessToken();
    clock[move](3_600_000);
    expect(await client.accessToken()).toBe('token-2');
  });

  it('I19 uses the old token until it expires while a refresh fails', async () => {
    const issuer = await issuerWith((number) => (number === 1 ? undefined : { status: 500 }));
    const { client, clock } = clientOf(issuer);
    await client.accessToken();
    clock.advance(3_599_999);
    expect(await client.accessToken()).toBe('token-1');
    clock.advance(1);
    expect(await rejected(client.accessToken())).toMatchObject({ code: 'token_request_refused', status: 500 });
  });

  it('I19 waits as long as Retry-After says and asks again', async () => {
    const issuer = await issuerWith((number) =>
      number === 1 ? { status: 503, headers: { 'retry-after': '1' } } : undefined,
    );
    const { client } = clientOf(issuer);
    const start = performance.now();
    expect(await client.accessToken()).toBe('token-1');
    expect(issuer.seen).toHaveLength(2);
    // A timer of Node may fire a millisecond early.
    expect(performance.now() - start).toBeGreaterThan(998);
  });

  it('I19 does not wait for a Retry-After over 30 s', async () => {
    const issuer = await issuerWith(() => ({ status: 503, headers: { 'retry-after': '31' } }));
    const { client } = clientOf(issuer);
    expect(await rejected(client.accessToken())).toMatchObject({ code: 'token_request_refused', status: 503 });
    expect(issuer.seen).toHaveLength(1);
  });

  it('asks again only once for Retry-After', async () => {
    const issuer = await issuerWith(() => ({ status: 503, headers: { 'retry-after': '0' } }));
    const { client } = clientOf(issuer);
    expect(await rejected(client.accessToken())).toMatchObject({ code: 'token_request_refused', status: 503 });
    expect(issuer.seen).toHaveLength(2);
  });

  it('asks for JSON', async () => {
    const issuer = await issuerWith();
    await clientOf(issuer).client.accessToken();
    expect(issuer.seen).toMatchObject([{ method: 'POST', headers: { accept: 'application/json' } }]);
  });

  it('sends neither scope nor resource if none is set', async () => {
    const issuer = await issuerWith();
    await clientOf(issuer).client.accessToken();
    expect(issuer.seen.map(({ body }) => body)).toEqual(['grant_type=client_credentials']);
  });

  it('asks for the scopes of its options at the start, whatever becomes of the list', async () => {
    const issuer = await issuerWith();
    const scopes = ['payments'];
    const { client } = clientOf(issuer, { scopes });
    scopes.push('disputes');
    await client.accessToken();
    expect(new URLSearchParams(issuer.seen[0]?.body).get('scope')).toBe('payments');
  });

  it.each([
    ['the issuer', (origin: string) => ({ issuer: origin, tokenEndpoint: undefined }), ''],
    ['the token endpoint', (origin: string) => ({ tokenEndpoint: `${origin}/token` }), '/token'],
  ])('signs assertions for the audience that it was given: %s', async (_what, optionsOf, path) => {
    const issuer: ScriptedServer = await started((request) =>
      request.path.startsWith('/.well-known/')
        ? { body: { issuer: issuer.origin, token_endpoint: `${issuer.origin}/token` } }
        : { body: { access_token: 'a', token_type: 'Bearer' } },
    );
    const key = { clientSecret: undefined, privateKey: EC_KEY, keyId: 'one' };
    const { client, clock } = clientOf(issuer, { ...key, ...optionsOf(issuer.origin) });
    await client.accessToken();
    const form = new URLSearchParams(issuer.seen.at(-1)?.body);
    const iat = clock.now() / 1_000;
    const expected = { aud: `${issuer.origin}${path}`, iss: 'ack_1', sub: 'ack_1', iat, exp: iat + 60 };
    expect(decodeJwt(String(form.get('client_assertion')))).toMatchObject(expected);
    expect(decodeProtectedHeader(String(form.get('client_assertion')))).toMatchObject({ kid: 'one' });
    expect(issuer.seen.at(-1)?.headers.authorization).toBeUndefined();
  });

  it.each([
    ['a code of other characters', 'Secret-1'],
    ['a code that is too long', 'x'.repeat(65)],
    ['a code that is no text', ['invalid_client']],
  ])('does not repeat %s', async (_what, error) => {
    const issuer = await issuerWith(() => ({ status: 400, body: { error } }));
    const message = 'the token endpoint returned status 400';
    expect(await rejected(clientOf(issuer).client.accessToken())).toMatchObject({ message });
  });

  it('says that the request was refused, even if the body of the refusal stops', async () => {
    const server = createServer((_req, res) => {
      res.writeHead(401, { 'content-length': '100' }).write('{"error', () => res.destroy());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const tokenEndpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
    const client = tokenClient({ tokenEndpoint, clientId: 'ack_1', clientSecret: SECRET });
    expect(await rejected(client.accessToken())).toMatchObject({ code: 'token_request_refused', status: 401 });
    server.close().closeAllConnections();
  });

  it('asks again after a failure', async () => {
    const issuer = await issuerWith((number) => (number === 1 ? { status: 500 } : undefined));
    const { client } = clientOf(issuer);
    await rejected(client.accessToken());
    expect(await client.accessToken()).toBe('token-1');
  });

  it('I19 rejects with a typed error if the endpoint cannot be reached', async () => {
    const issuer = await issuerWith();
    await issuer.close();
    const error = await rejected(clientOf(issuer).client.accessToken());
    expect(error).toBeInstanceOf(TokenClientError);
    expect(error).toMatchObject({ code: 'token_endpoint_unreachable' });
  });

  it('says that the endpoint could not be reached, with the cause', async () => {
    const cause = new TypeError('fetch failed');
    const endpoint = { tokenEndpoint: 'https://access.example/token', clientId: 'ack_1', clientSecret: SECRET };
    const client = tokenClient({ ...endpoint, fetch: () => Promise.reject(cause) });
    const error = await rejected(client.accessToken());
    const message = 'the token endpoint did not send a complete response; see the cause of this error';
    expect(String(error)).toBe(`TokenClientError: ${message}`);
    expect(error).toHaveProperty('cause', cause);
  });

  it('says that the metadata cannot be used, with the cause', async () => {
    const names = { issuer: 'https://access.example', clientId: 'ack_1', clientSecret: SECRET };
    const client = tokenClient({ ...names, fetch: async () => Response.json({ issuer: names.issuer }) });
    expect(await rejected(client.accessToken())).toMatchObject({
      code: 'token_endpoint_unreachable',
      message: 'the metadata of the issuer could not be fetched, or has no valid token_endpoint',
      cause: { message: 'the metadata has no valid token_endpoint; expected an https URL' },
    });
  });

  it('names the error of the endpoint, and neither a secret nor what else it says', async () => {
    const body = { error: 'invalid_client', error_description: SECRET };
    const issuer = await issuerWith(() => ({ status: 401, body }));
    const error = await rejected(clientOf(issuer).client.accessToken());
    expect(error).toMatchObject({
      code: 'token_request_refused',
      status: 401,
      message: 'the token endpoint returned status 401 (invalid_client)',
    });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(SECRET);
  });

  it.each([
    ['no JSON', '<html>'],
    ['no token', { token_type: 'Bearer' }],
    ['a token of other characters', { access_token: 'a b', token_type: 'Bearer' }],
    ['an unknown type', { access_token: 'a', token_type: 'mac' }],
    ['a token that is no text', { access_token: 1, token_type: 'Bearer' }],
    ['no type', { access_token: 'a' }],
    ['a lifetime that is no number', { access_token: 'a', token_type: 'Bearer', expires_in: '3600' }],
    ['a lifetime of zero', { access_token: 'a', token_type: 'Bearer', expires_in: 0 }],
    ['a lifetime below zero', { access_token: 'a', token_type: 'Bearer', expires_in: -1 }],
    ['more than 256 KiB', { access_token: 'a', token_type: 'Bearer', scope: 'x'.repeat(256 * 1_024) }],
    ['a list', []],
  ])('rejects a response with %s', async (_what, body) => {
    const issuer = await issuerWith(() => ({ body }));
    expect(await rejected(clientOf(issuer).client.accessToken())).toMatchObject({ code: 'invalid_token_response' });
  });

  it('says what a token response must have', async () => {
    const issuer = await issuerWith(() => ({ body: { access_token: 'a', token_type: 'mac' } }));
    const message =
      'the response from the token endpoint is invalid; expected an access_token and a token_type of Bearer or DPoP';
    expect(await rejected(clientOf(issuer).client.accessToken())).toMatchObject({ message });
  });

  it('says what a valid lifetime is', async () => {
    const issuer = await issuerWith(() => ({ body: { access_token: 'a', token_type: 'Bearer', expires_in: 0 } }));
    const message =
      'the response from the token endpoint has an invalid expires_in; expected a positive number of seconds';
    expect(await rejected(clientOf(issuer).client.accessToken())).toMatchObject({ message });
  });

  it('says what to do about a server without DPoP', async () => {
    const issuer = await issuerWith();
    const message =
      'the option "dpop" of tokenClient is true, but the token endpoint issued a token that is not DPoP-bound; check that the server supports DPoP';
    expect(await rejected(clientOf(issuer, { dpop: true }).client.accessToken())).toMatchObject({ message });
  });

  it('follows no redirect, which could send the secret elsewhere', async () => {
    const elsewhere = await issuerWith();
    const issuer = await issuerWith(() => ({
      status: 307,
      headers: { location: `${elsewhere.origin}/connect/token` },
    }));
    expect(await rejected(clientOf(issuer).client.accessToken())).toMatchObject({ status: 307 });
    expect(elsewhere.seen).toHaveLength(0);
  });

  it.each([
    ['stops', (res: ServerResponse) => void res.destroy()],
    ['takes too long', () => undefined],
  ])('says that the endpoint could not be reached if a token response %s', async (_what, fail) => {
    const server = createServer((_req, res) => {
      res.writeHead(200, { 'content-length': '100' }).write('{"access', () => fail(res));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const tokenEndpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
    const client = tokenClient({ tokenEndpoint, clientId: 'ack_1', clientSecret: SECRET, timeout: 200 });
    expect(await rejected(client.accessToken())).toMatchObject({ code: 'token_endpoint_unreachable' });
    server.close().closeAllConnections();
  });

  it('sends every request by the option fetch, also for the metadata', async () => {
    const sent: string[] = [];
    const send: typeof fetch = async (input) => {
      const { pathname } = new URL(input instanceof Request ? input.url : String(input));
      sent.push(pathname);
      if (!pathname.startsWith('/.well-known/')) return Response.json({ access_token: 'a', token_type: 'Bearer' });
      return Response.json({ issuer: 'https://access.example', token_endpoint: 'https://access.example/token' });
    };
    const client = tokenClient({
      ...{ issuer: 'https://access.example', clientId: 'ack_1', clientSecret: SECRET, fetch: send },
    });
    await client.fetch('https://api.example/payments');
    expect(sent).toEqual(['/.well-known/oauth-authorization-server', '/token', '/payments']);
  });

  it('finds the token endpoint in the metadata of the issuer, once', async () => {
    const issuer: ScriptedServer = await started(({ path }) =>
      path.startsWith('/.well-known/')
        ? { body: { issuer: issuer.origin, token_endpoint: `${issuer.origin}/token` } }
        : { body: { access_token: 'found', token_type: 'bearer', expires_in: 10 } },
    );
    const { client, clock } = clientOf(issuer, { issuer: issuer.origin, tokenEndpoint: undefined });
    expect(await client.accessToken()).toBe('found');
    clock.advance(10_000);
    await client.accessToken();
    expect(issuer.seen.map(({ path }) => path)).toEqual([
      '/.well-known/oauth-authorization-server',
      '/token',
      '/token',
    ]);
  });

  it('looks for the metadata again after a failure', async () => {
    let isUp = false;
    const issuer: ScriptedServer = await started(({ path }) => {
      if (!isUp) return { status: 500 };
      return path.startsWith('/.well-known/')
        ? { body: { issuer: issuer.origin, token_endpoint: `${issuer.origin}/token` } }
        : { body: { access_token: 'found', token_type: 'Bearer' } };
    });
    const { client } = clientOf(issuer, { issuer: issuer.origin, tokenEndpoint: undefined });
    expect(await rejected(client.accessToken())).toMatchObject({ code: 'token_endpoint_unreachable' });
    isUp = true;
    expect(await client.accessToken()).toBe('found');
  });
});

describe('fetch', () => {
  it('presents the token and passes method, headers, body and answer on', async () => {
    const issuer = await issuerWith();
    const api = await started(() => ({ status: 201, body: { id: 'pay_1' } }));
    const { client } = clientOf(issuer);
    const headers = { 'content-type': 'application/json' };
    const response = await client.fetch(`${api.origin}/payments`, { method: 'POST', headers, body: '{"amount":1}' });
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({ id: 'pay_1' });
    expect(api.seen).toMatchObject([
      {
        method: 'POST',
        path: '/payments',
        body: '{"amount":1}',
        headers: { ...headers, authorization: 'Bearer token-1' },
      },
    ]);
  });

  it.each([
    ['a string', () => '{"amount":1}'],
    ['a form', () => new URLSearchParams({ amount: '1' })],
    ['bytes', () => new TextEncoder().encode('1')],
    ['no body', () => undefined],
  ])('I19 repeats a request with %s once after 401 invalid_token, with a new token', async (_what, bodyOf) => {
    const issuer = await issuerWith();
    const api = await started((_request, number) => (number === 1 ? invalidToken : {}));
    const body = bodyOf();
    const init = body === undefined ? { method: 'DELETE' } : { method: 'POST', body };
    const response = await clientOf(issuer).client.fetch(api.origin, init);
    expect(response.status).toBe(200);
    const [first, second] = api.seen;
    expect(second?.headers.authorization).toBe('Bearer token-2');
    expect(second?.body).toBe(first?.body);
  });

  it.each([
    ['a token', 'Bearer error=invalid_token'],
    ['spaces around the equals sign', 'Bearer realm="api", error = "invalid_token"'],
    ['capitals', 'BEARER Error="invalid_token"'],
    ['another challenge before it', 'DPoP algs="ES256", error="invalid_dpop_proof", Bearer error="invalid_token"'],
  ])('replaces the token after 401 invalid_token in another legal spelling: %s', async (_what, challenge) => {
    const issuer = await issuerWith();
    const api = await started((_request, number) =>
      number === 1 ? { status: 401, headers: { 'www-authenticate': challenge } } : {},
    );
    expect((await clientOf(issuer).client.fetch(api.origin)).status).toBe(200);
    expect(api.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  it('keeps the token if only the text of a challenge looks like an error', async () => {
    const issuer = await issuerWith();
    const challenge = 'Bearer realm="error=invalid_token", error_description="error=\\"invalid_token\\""';
    const api = await started(() => ({ status: 401, headers: { 'www-authenticate': challenge } }));
    expect((await clientOf(issuer).client.fetch(api.origin)).status).toBe(401);
    expect(issuer.seen).toHaveLength(1);
  });

  it('I19 repeats it once only', async () => {
    const issuer = await issuerWith();
    const api = await started(() => invalidToken);
    expect((await clientOf(issuer).client.fetch(api.origin)).status).toBe(401);
    expect(api.seen).toHaveLength(2);
  });

  it('I19 obtains one new token in 30 seconds, if the API refuses the new one too', async () => {
    const issuer = await issuerWith();
    const api = await started(() => invalidToken);
    const { client, clock } = clientOf(issuer);
    const ask = async () => expect((await client.fetch(api.origin)).status).toBe(401);
    for (let call = 0; call < 3; call += 1) await ask();
    clock.advance(29_999);
    await ask();
    expect(api.seen.map(({ headers }) => headers.authorization)).toEqual(
      [1, 2, 2, 2, 2].map((number) => `Bearer token-${number}`),
    );
    clock.advance(1);
    await ask();
    expect(api.seen.slice(5).map(({ headers }) => headers.authorization)).toEqual(['Bearer token-2', 'Bearer token-3']);
  });

  it.each([
    ['403 insufficient_scope', 403, 'Bearer error="insufficient_scope"'],
    ['401 without an error', 401, 'Bearer realm="api"'],
    ['401 of another error', 401, 'Bearer error="insufficient_user_authentication"'],
    ['503', 503, ''],
  ])('I19 passes %s on', async (_what, status, challenge) => {
    const issuer = await issuerWith();
    const api = await started(() => ({ status, headers: { 'www-authenticate': challenge, 'retry-after': '1' } }));
    expect((await clientOf(issuer).client.fetch(api.origin)).status).toBe(status);
    expect(api.seen).toHaveLength(1);
  });

  it.each([200, 403])('passes %i on, even with a challenge of invalid_token', async (status) => {
    const issuer = await issuerWith();
    const api = await started(() => ({ ...invalidToken, status }));
    expect((await clientOf(issuer).client.fetch(api.origin)).status).toBe(status);
    expect(api.seen).toHaveLength(1);
  });

  it.each([
    ['a stream', (origin: string) => [origin, { method: 'POST', body: streamOf('x'), duplex: 'half' }]],
    ['a Request with a body', (origin: string) => [new Request(origin, { method: 'POST', body: 'x' })]],
  ] as const)('I20 does not repeat %s, and passes the 401 on', async (_what, argsOf) => {
    const issuer = await issuerWith();
    const api = await started(() => invalidToken);
    const [input, init] = argsOf(api.origin) as [string | Request, RequestInit?];
    expect((await clientOf(issuer).client.fetch(input, init)).status).toBe(401);
    expect(api.seen.map(({ body }) => body)).toEqual(['x']);
  });

  it('I19 makes one token request for many 401s of one token', async () => {
    const issuer = await issuerWith();
    const api = await started(({ headers }) => (headers.authorization === 'Bearer token-1' ? invalidToken : {}));
    const { client } = clientOf(issuer);
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.fetch(api.origin)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(issuer.seen).toHaveLength(2);
  });

  it.each([
    ['http beyond this machine', 'http://api.example.com/', {}, 'the URL must be an https URL'],
    ['an Authorization header', 'https://api.example.com/', { headers: { authorization: 'x' } }, 'remove it'],
  ])('rejects %s', async (_what, url, init, message) => {
    const issuer = await issuerWith();
    const error = await rejected(clientOf(issuer).client.fetch(url, init));
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain(message);
    expect(issuer.seen).toHaveLength(0);
  });

  it.each([
    ['a header', () => ['https://api.example.com/', { headers: { Authorization: 'x' } }]],
    ['a header of a Request', () => [new Request('https://api.example.com/', { headers: { authorization: 'x' } })]],
  ] as const)('rejects credentials in %s', async (_where, argsOf) => {
    const issuer = await issuerWith();
    const [input, init] = argsOf() as [string | Request, RequestInit?];
    expect(String(await rejected(clientOf(issuer).client.fetch(input, init)))).toContain('remove it');
  });

  it('frees the connection of the 401 before it repeats the request', async () => {
    const cancelled: unknown[] = [];
    const send: typeof fetch = async (input) => {
      if (String(input).endsWith('/token')) return Response.json({ access_token: 'a', token_type: 'Bearer' });
      const body = new ReadableStream({ cancel: (reason) => void cancelled.push(reason) });
      return new Response(body, { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } });
    };
    const client = tokenClient({
      ...{ tokenEndpoint: 'https://access.example/token', clientId: 'ack_1', clientSecret: SECRET, fetch: send },
    });
    const response = await client.fetch('https://api.example/payments');
    expect(cancelled).toHaveLength(1);
    expect(response.bodyUsed).toBe(false);
  });

  it('lets an abort through', async () => {
    const issuer = await issuerWith();
    const api = await started(() => ({}));
    const signal = AbortSignal.abort();
    expect(await rejected(clientOf(issuer).client.fetch(api.origin, { signal }))).toMatchObject({ name: 'AbortError' });
  });
});

describe('DPoP nonces', () => {
  const nonceOf = ({ headers }: SeenRequest) => decodeJwt(String(headers.dpop)).nonce;
  const bound = { access_token: 'token', token_type: 'DPoP' };
  const nonceRequired = (nonce: string): ScriptedAnswer => ({
    status: 401,
    headers: { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': nonce },
  });

  it('repeats each of many requests whose responses have the same nonce', async () => {
    const issuer = await started(() => ({ body: bound }));
    const api = await started((request) => (nonceOf(request) === 'one' ? {} : nonceRequired('one')));
    const { client } = clientOf(issuer, { dpop: true });
    const answers = await Promise.all(Array.from({ length: 10 }, () => client.fetch(api.origin)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  });

  it.each([
    ['a token', 'DPoP error=use_dpop_nonce'],
    [
      'after the challenge of Bearer, which names another error',
      'Bearer error="invalid_token", DPoP error="use_dpop_nonce"',
    ],
  ])('repeats a request for a challenge in another legal spelling: %s', async (_what, challenge) => {
    const issuer = await started(() => ({ body: bound }));
    const headers = { 'www-authenticate': challenge, 'dpop-nonce': 'one' };
    const api = await started((request) => (nonceOf(request) === 'one' ? {} : { status: 401, headers }));
    expect((await clientOf(issuer, { dpop: true }).client.fetch(api.origin)).status).toBe(200);
    expect(issuer.seen).toHaveLength(1);
  });

  it('uses the nonce of the response to a repeated request (RFC 9449 §8.2)', async () => {
    const issuer = await started(() => ({ body: bound }));
    const api = await started((request, number) =>
      nonceOf(request) === `nonce-${number - 1}`
        ? { headers: { 'dpop-nonce': `nonce-${number}` } }
        : nonceRequired(`nonce-${number}`),
    );
    const { client } = clientOf(issuer, { dpop: true });
    for (const expected of [2, 3, 4]) {
      expect((await client.fetch(api.origin)).status).toBe(200);
      expect(api.seen).toHaveLength(expected);
    }
  });

  it('sends a nonce that the token endpoint requires after a Retry-After', async () => {
    const issuer = await started((request, number) => {
      if (number === 1) return { status: 503, headers: { 'retry-after': '0' } };
      if (nonceOf(request) === 'one') return { body: bound };
      return { status: 400, headers: { 'dpop-nonce': 'one' }, body: { error: 'use_dpop_nonce' } };
    });
    const { client } = clientOf(issuer, { dpop: true });
    expect(await client.accessToken()).toBe('token');
  });

  it('does not repeat a request if the 401 has no nonce', async () => {
    const issuer = await started(() => ({ body: bound }));
    const api = await started(() => ({ status: 401, headers: { 'www-authenticate': 'DPoP error="use_dpop_nonce"' } }));
    expect((await clientOf(issuer, { dpop: true }).client.fetch(api.origin)).status).toBe(401);
    expect(api.seen).toHaveLength(1);
  });

  it('does not repeat a request that was refused for another reason, with a nonce for the next', async () => {
    const issuer = await started(() => ({ body: bound }));
    const headers = { 'www-authenticate': 'DPoP error="insufficient_user_authentication"', 'dpop-nonce': 'one' };
    const api = await started(() => ({ status: 401, headers }));
    expect((await clientOf(issuer, { dpop: true }).client.fetch(api.origin)).status).toBe(401);
    expect(api.seen).toHaveLength(1);
  });

  it('does not repeat a request of a client without DPoP', async () => {
    const issuer = await issuerWith();
    const api = await started(() => nonceRequired('one'));
    expect((await clientOf(issuer).client.fetch(api.origin)).status).toBe(401);
    expect(api.seen).toHaveLength(1);
  });

  it.each<[string, number, boolean, Readonly<Record<string, string>>]>([
    ['once only', 2, true, { 'dpop-nonce': 'one' }],
    ['not without a nonce', 1, true, {}],
    ['not of a client without DPoP', 1, false, { 'dpop-nonce': 'one' }],
  ])('repeats a token request %s', async (_what, times, dpop, headers) => {
    const issuer = await started(() => ({ status: 400, headers, body: { error: 'use_dpop_nonce' } }));
    const error = await rejected(clientOf(issuer, { dpop }).client.accessToken());
    expect(error).toMatchObject({ code: 'token_request_refused', status: 400 });
    expect(issuer.seen).toHaveLength(times);
  });

  it('uses the nonce of a token response for the next token request', async () => {
    const issuer = await started(() => ({ headers: { 'dpop-nonce': 'one' }, body: { ...bound, expires_in: 10 } }));
    const { client, clock } = clientOf(issuer, { dpop: true });
    await client.accessToken();
    clock.advance(10_000);
    await client.accessToken();
    expect(issuer.seen.map(nonceOf)).toEqual([undefined, 'one']);
  });

  it('repeats a request once for a new token and once for a nonce, also if issuer and API have the same origin', async () => {
    let issued = 0;
    let apiNonce = 'api-1';
    const seen: string[] = [];
    const send: typeof fetch = async (input, init) => {
      const headers = new Headers(init?.headers);
      const { nonce } = decodeJwt(String(headers.get('dpop')));
      if (new URL(String(input)).pathname === '/token') {
        seen.push(`token request with ${nonce}`);
        const given = { 'dpop-nonce': 'issuer-1' };
        if (nonce !== 'issuer-1') return Response.json({ error: 'use_dpop_nonce' }, { status: 400, headers: given });
        issued += 1;
        return Response.json({ ...bound, access_token: `token-${issued}` }, { headers: given });
      }
      const token = headers.get('authorization');
      seen.push(`${token} with ${nonce}`);
      const refusal = (error: string) =>
        new Response(null, {
          status: 401,
          headers: { 'www-authenticate': `DPoP error="${error}"`, 'dpop-nonce': apiNonce },
        });
      if (nonce !== apiNonce) return refusal('use_dpop_nonce');
      return issued === 1 && seen.length > 4 ? refusal('invalid_token') : new Response();
    };
    const endpoint = { tokenEndpoint: 'https://host.example/token', clientId: 'ack_1', clientSecret: SECRET };
    const client = tokenClient({ ...endpoint, dpop: true, fetch: send });
    expect((await client.fetch('https://host.example/api')).status).toBe(200);
    apiNonce = 'api-2';
    expect((await client.fetch('https://host.example/api')).status).toBe(200);
    expect(seen).toEqual([
      ...['token request with undefined', 'token request with issuer-1'],
      ...['DPoP token-1 with undefined', 'DPoP token-1 with api-1'],
      ...['DPoP token-1 with api-1', 'DPoP token-1 with api-2'],
      ...['token request with issuer-1', 'DPoP token-2 with api-2'],
    ]);
    apiNonce = 'api-3';
    issued = 1;
    expect((await client.fetch('https://host.example/api')).status).toBe(401);
    expect(seen.slice(8)).toEqual(['DPoP token-2 with api-2', 'DPoP token-2 with api-3']);
  });

  it('stores one nonce for each of the last 100 origins', async () => {
    const nonces: unknown[] = [];
    const send: typeof fetch = async (input, init) => {
      const { origin } = new URL(String(input));
      if (origin === 'https://access.example') return Response.json(bound);
      nonces.push(decodeJwt(String(new Headers(init?.headers).get('dpop'))).nonce);
      return new Response(null, { headers: { 'dpop-nonce': `of ${origin}` } });
    };
    const client = tokenClient({
      ...{ tokenEndpoint: 'https://access.example/token', clientId: 'ack_1', clientSecret: SECRET, dpop: true },
      fetch: send,
    });
    const nonceAt = async (number: number) => {
      await client.fetch(`https://api-${number}.example/`);
      return nonces.at(-1);
    };
    for (let number = 1; number <= 100; number += 1) expect(await nonceAt(number)).toBeUndefined();
    // The first is now the one that was used last, so that the 101st replaces the second.
    expect(await nonceAt(1)).toBe('of https://api-1.example');
    expect(await nonceAt(101)).toBeUndefined();
    expect(await nonceAt(1)).toBe('of https://api-1.example');
    expect(await nonceAt(3)).toBe('of https://api-3.example');
    expect(await nonceAt(2)).toBeUndefined();
  });

  it('makes each proof with its own jti, at the time of the clock in seconds', async () => {
    const issuer = await started(() => ({ body: bound }));
    const api = await started(() => ({}));
    const { client, clock } = clientOf(issuer, { dpop: true });
    clock.advance(1_999);
    for (let request = 0; request < 2; request += 1) await client.fetch(api.origin);
    const proofs = [...issuer.seen, ...api.seen].map(({ headers }) => decodeJwt(String(headers.dpop)));
    expect(new Set(proofs.map(({ jti }) => jti)).size).toBe(3);
    expect(proofs.map(({ iat }) => iat)).toEqual(proofs.map(() => Math.floor(clock.now() / 1_000)));
    const [atIssuer] = proofs;
    expect(atIssuer).toMatchObject({ htm: 'POST', htu: `${issuer.origin}/connect/token` });
    expect(atIssuer).not.toHaveProperty('ath');
  });

  it('repeats a request once only, even if the server requires a nonce again', async () => {
    const issuer = await started(() => ({ body: bound }));
    const api = await started((_request, number) => nonceRequired(`nonce-${number}`));
    expect((await clientOf(issuer, { dpop: true }).client.fetch(api.origin)).status).toBe(401);
    expect(api.seen).toHaveLength(2);
  });
});

describe('options', () => {
  const good = { tokenEndpoint: 'https://access.example.com/token', clientId: 'a', clientSecret: 's' };

  it.each([
    [
      'neither issuer nor tokenEndpoint',
      { ...good, tokenEndpoint: undefined },
      'set exactly one of the options "issuer" and "tokenEndpoint"',
    ],
    [
      'both',
      { ...good, issuer: 'https://access.example.com' },
      'set exactly one of the options "issuer" and "tokenEndpoint"',
    ],
    [
      'neither secret nor key',
      { ...good, clientSecret: undefined },
      'set exactly one of the options "clientSecret" and "privateKey"',
    ],
    ['http', { ...good, tokenEndpoint: 'http://access.example.com/token' }, '"tokenEndpoint"'],
    [
      'a public key',
      { ...good, clientSecret: undefined, privateKey: { kty: 'OKP', crv: 'Ed25519', x: 'AA' } },
      'tokenClient: option "privateKey" must be a private key for signing, as a JWK, a KeyObject or PEM, got an object',
    ],
    ...[{ alg: 'RS256' }, { alg: 'ES384' }, { alg: 'ECDH-ES' }].map((members): [string, object, string] => [
      `an EC key with ${members.alg}`,
      { ...good, clientSecret: undefined, privateKey: { ...EC_KEY, ...members } },
      '"privateKey"',
    ]),
    [
      'an RSA key of 1024 bits',
      { ...good, clientSecret: undefined, privateKey: generateKeyPairSync('rsa', { modulusLength: 1_024 }).privateKey },
      '"privateKey"',
    ],
    ['a keyId that is no text, beside a secret', { ...good, keyId: 1 }, '"keyId"'],
    [
      'scopes with a space',
      { ...good, scopes: ['a b'] },
      'option "scopes" must be a list of scopes that consist of ASCII characters other than spaces, double quotes and backslashes (RFC 6749 section 3.3), got an invalid list',
    ],
    ['scopes in one text', { ...good, scopes: 'a' }, '"scopes"'],
    ['a secret and a key', { ...good, privateKey: EC_KEY }, 'set exactly one of the options "clientSecret" and'],
    ['an issuer over http', { ...good, tokenEndpoint: undefined, issuer: 'http://access.example.com' }, '"issuer"'],
    ['a timeout of zero', { ...good, timeout: 0 }, '"timeout" must be a whole number from 1 to 60000'],
    ['a timeout of over a minute', { ...good, timeout: 60_001 }, '"timeout" must be a whole number from 1 to 60000'],
    ['an unknown option', { ...good, scope: 'a' }, '"scope"'],
  ])('refuses %s', (_what, options, message) => {
    expect(() => tokenClient(options as unknown as TokenClientOptions)).toThrow(TypeError);
    expect(() => tokenClient(options as unknown as TokenClientOptions)).toThrow(message);
  });

  it('accepts a timeout of a minute', () => {
    expect(() => tokenClient({ ...good, timeout: 60_000 })).not.toThrow();
  });

  describe('timeout', () => {
    afterEach(() => void jest.restoreAllMocks());

    it.each([
      ['is ten seconds by default', undefined, 10_000],
      ['limits the metadata and the token request, each by itself', 1_234, 1_234],
    ])('%s', async (_what, timeout, milliseconds) => {
      const issuer: ScriptedServer = await started(({ path }) =>
        path.startsWith('/.well-known/')
          ? { body: { issuer: issuer.origin, token_endpoint: `${issuer.origin}/token` } }
          : { body: { access_token: 'a', token_type: 'Bearer' } },
      );
      const limits = jest.spyOn(AbortSignal, 'timeout');
      const { client } = clientOf(issuer, { issuer: issuer.origin, tokenEndpoint: undefined, timeout });
      // No time passes for a request before it is sent.
      expect(limits).not.toHaveBeenCalled();
      await client.accessToken();
      // The second one is for the first of the two metadata URLs.
      expect(limits.mock.calls).toEqual([[milliseconds], [milliseconds / 2], [milliseconds]]);
    });
  });

  it('applies allowHttp to requests and to the token endpoint in the metadata', async () => {
    const send: typeof fetch = async (input) => {
      const { pathname } = new URL(String(input));
      if (!pathname.startsWith('/.well-known/')) return Response.json({ access_token: 'a', token_type: 'Bearer' });
      return Response.json({ issuer: 'http://access.example', token_endpoint: 'http://access.example/token' });
    };
    const names = { issuer: 'http://access.example', clientId: 'ack_1', clientSecret: SECRET, fetch: send };
    const client = tokenClient({ ...names, allowHttp: true });
    expect((await client.fetch('http://api.example/')).status).toBe(200);
  });

  it('accepts http elsewhere with allowHttp', () => {
    expect(() =>
      tokenClient({ ...good, tokenEndpoint: 'http://keyward:4000/connect/token', allowHttp: true }),
    ).not.toThrow();
  });
});

function streamOf(text: string): ReadableStream {
  return new Blob([text]).stream();
}
