import { randomBytes } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import { createServer } from 'node:http';
import { describe, expect, it, jest } from '@jest/globals';
import express from 'express';
import { decodeProtectedHeader } from 'jose';
import { accessTokens, bearerErrors, requireBearer, requireScopes } from 'keyward';
import { openStore } from 'keyward/store';
import request from 'supertest';
import { createIssuer, type IssuerOptions, memorySigningKeys } from '../../lib/issuer/index.js';
import { makeSigningKey } from '../../lib/issuer/signing-keys/signing-key.js';
import { deferred } from '../support/deferred.js';
import { serve } from '../support/raw-http.js';
import { eventually } from '../support/store-wait.js';
import { AUDIENCE, basic, digestOf, GRANT, ID, record, SECRET, tokenService } from '../support/token-service.js';

describe('createIssuer', () => {
  const options: IssuerOptions = {
    issuer: 'https://access.example.com',
    audience: AUDIENCE,
    accessKeys: { resolveAccessKey: () => null },
    signingKeys: memorySigningKeys(),
  };

  it.each([
    ['issuer', 'https://access.example.com?x=1'],
    ['issuer', 'https://access.example.com?'],
    ['issuer', 'https://access.example.com#x'],
    ['issuer', 'http://access.example.com'],
    ['issuer', 'access'],
    ['allowHttp', 'yes'],
    ['audience', ''],
    ['accessKeys', {}],
    ['signingKeys', { listSigningKeys: () => [] }],
    ['algorithm', 'HS256'],
    ['clientAuthentication', 'client_secret_basic'],
    ['clientAuthentication', []],
    ['clientAuthentication', ['none']],
    ['introspection', true],
    ['replay', {}],
    ['dpop', true],
    ['mtls', true],
    ['clock', {}],
  ])('throws for %s: %j', (name, value) => {
    const create = () => createIssuer({ ...options, [name]: value });
    expect(create).toThrow(TypeError);
    expect(create).toThrow(`"${name}"`);
  });

  it('accepts a certificateOf for mTLS, and throws for another type', () => {
    expect(() => createIssuer({ ...options, mtls: { certificateOf: () => undefined } })).not.toThrow();
    expect(() => createIssuer({ ...options, mtls: { certificateOf: 'x' as never } })).toThrow(
      /^createIssuer: option "mtls": option "certificateOf" must be a function/,
    );
  });

  it('throws for revocation with access keys that have no revokeToken', () => {
    const create = () => createIssuer({ ...options, revocation: true });
    expect(create).toThrow(
      new TypeError('createIssuer: option "accessKeys" must be an object with revokeToken(), got an object'),
    );
  });

  it.each(['introspect', 'revocation'])('does not serve /connect/%s without the option', async (name) => {
    const service = await tokenService();
    const { status } = await fetch(`${service.url}/connect/${name}`, { method: 'POST' });
    await service.close();
    expect(status).toBe(404);
  });

  it('R17 issues with allowHttp at an http URL of any host', async () => {
    const accessKeys = { resolveAccessKey: () => record() };
    const issuer = createIssuer({ ...options, accessKeys, issuer: 'http://keyward:4000', allowHttp: true });
    const server = createServer((req, res) => issuer(req as never, res as never, () => res.writeHead(404).end()));
    const { body } = await request(server).get('/.well-known/oauth-authorization-server');
    expect(body).toMatchObject({
      issuer: 'http://keyward:4000',
      jwks_uri: 'http://keyward:4000/.well-known/jwks.json',
    });
  });

  it.each([{}, { allowHttp: false }])('R17 throws without allowHttp and names it: %j', (given) => {
    expect(() => createIssuer({ ...options, issuer: 'http://keyward:4000', ...given })).toThrow(
      'createIssuer: option "issuer" must be an https URL (http only for a loopback host, or with "allowHttp")',
    );
  });

  it('works without an app too', async () => {
    const issuer = createIssuer({ ...options, accessKeys: { resolveAccessKey: () => record() } });
    const server = createServer((req, res) => issuer(req as never, res as never, () => res.writeHead(404).end()));
    const asked = request(server).post('/connect/token').set(basic(ID, SECRET)).type('form');
    expect((await asked.send(`${GRANT}&scope=payments`)).body).toMatchObject({
      token_type: 'Bearer',
      scope: 'payments',
    });
    expect((await request(server).get('/connect/token')).status).toBe(405);
    expect((await request(server).get('/.well-known/jwks.json')).body.keys).toHaveLength(1);
    expect((await request(server).get('/elsewhere')).status).toBe(404);
  });

  it('finds the address of a client without an app: that of its connection', async () => {
    const used: (string | undefined)[] = [];
    const recordUse = (_digest: string, from: string | undefined) => void used.push(from);
    const accessKeys = { resolveAccessKey: () => record({ allowedAddresses: ['127.0.0.1'] }), recordUse };
    const issuer = createIssuer({ ...options, accessKeys });
    const { port, close } = await serve((req, res) => issuer(req as never, res as never, () => res.end()));
    const headers = { ...basic(ID, SECRET), 'content-type': 'application/x-www-form-urlencoded' };
    const response = await fetch(`http://127.0.0.1:${port}/connect/token`, { method: 'POST', headers, body: GRANT });
    await close();
    expect([response.status, used]).toEqual([200, ['127.0.0.1']]);
  });

  it('throws only if the store was opened without an encryptionKey', async () => {
    const key = randomBytes(32);
    const [without, having] = await Promise.all([openStore('memory:'), openStore('memory:', { encryptionKey: key })]);
    expect(() => createIssuer({ ...options, signingKeys: without })).toThrow(
      new TypeError(
        'signing keys are stored encrypted, but there is no encryption key; set the option "encryptionKey" of openStore to 32 random bytes',
      ),
    );
    expect(() => createIssuer({ ...options, signingKeys: having })).not.toThrow();
    await Promise.all([without.close(), having.close()]);
  });

  it('serves complete and correct metadata at both paths', async () => {
    const service = await tokenService({ clientAuthentication: ['client_secret_basic'] });
    for (const name of ['oauth-authorization-server', 'openid-configuration']) {
      const response = await fetch(`${service.url}/.well-known/${name}`);
      expect(response.headers.get('cache-control')).toBe('public, max-age=3600');
      expect(await response.json()).toEqual({
        issuer: service.url,
        authorization_endpoint: `${service.url}/connect/authorize`,
        token_endpoint: `${service.url}/connect/token`,
        jwks_uri: `${service.url}/.well-known/jwks.json`,
        grant_types_supported: ['client_credentials'],
        response_types_supported: [],
        token_endpoint_auth_methods_supported: ['client_secret_basic'],
      });
    }
    await service.close();
  });

  it('names the methods and algorithms of each endpoint, and the endpoints under an issuer that ends with a slash', async () => {
    const issuer = 'https://access.example/ü/';
    const accessKeys = { resolveAccessKey: () => null, revokeToken: async () => undefined };
    const service = await tokenService({ issuer, accessKeys, introspection: {}, revocation: true });
    const response = await fetch(`${service.url}/.well-known/oauth-authorization-server`);
    const metadata = await response.json();
    await service.close();
    const methods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'];
    const algorithms = expect.arrayContaining(['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA']);
    const base = 'https://access.example/ü';
    expect(response.headers.get('content-type')).toBe('application/json;charset=UTF-8');
    expect(metadata).toEqual({
      issuer,
      authorization_endpoint: `${base}/connect/authorize`,
      token_endpoint: `${base}/connect/token`,
      jwks_uri: `${base}/.well-known/jwks.json`,
      grant_types_supported: ['client_credentials'],
      response_types_supported: [],
      token_endpoint_auth_methods_supported: methods,
      token_endpoint_auth_signing_alg_values_supported: algorithms,
      introspection_endpoint: `${base}/connect/introspect`,
      introspection_endpoint_auth_methods_supported: methods,
      introspection_endpoint_auth_signing_alg_values_supported: algorithms,
      revocation_endpoint: `${base}/connect/revocation`,
      revocation_endpoint_auth_methods_supported: methods,
      revocation_endpoint_auth_signing_alg_values_supported: algorithms,
    });
  });

  it.each(['listSigningKeys', 'addSigningKey', 'retireSigningKey', 'removeSigningKey'])(
    'throws for signing keys without %s',
    (method) => {
      const signingKeys = { ...options.signingKeys, [method]: undefined } as never;
      expect(() => createIssuer({ ...options, signingKeys })).toThrow('"signingKeys"');
    },
  );

  it('signs with RS256 by default', async () => {
    const service = await tokenService({ algorithm: undefined });
    const { access_token: token } = (await (await service.post(GRANT, basic(ID, SECRET))).json()) as {
      access_token: string;
    };
    await service.close();
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'RS256', typ: 'at+jwt' });
  });

  it('waits ten seconds for a body, and a second for a record', async () => {
    const service = await tokenService();
    // The first request also waits for the signing keys.
    await service.post(GRANT, basic(ID, SECRET));
    const timers = jest.spyOn(globalThis, 'setTimeout');
    expect((await service.post(GRANT, basic(ID, SECRET))).status).toBe(200);
    const limits = timers.mock.calls.map(([, milliseconds]) => milliseconds);
    jest.restoreAllMocks();
    await service.close();
    expect(limits).toEqual([10_000, 1_000]);
  });

  it('looks up at most 100 clients at the same time; more are refused for a second', async () => {
    const gate = deferred<null>();
    const asked: string[] = [];
    const resolveAccessKey = (id: string) => {
      asked.push(id);
      return gate.promise;
    };
    const service = await tokenService({ accessKeys: { resolveAccessKey } });
    const obtainToken = (id: string) => service.post(GRANT, basic(id, SECRET));
    const waiting = Array.from({ length: 100 }, (_, number) => obtainToken(`ack_${number}`));
    await eventually(async () => asked.length === 100);
    const more = await obtainToken('ack_more');
    gate.resolve(null);
    await Promise.all(waiting);
    await service.close();
    expect([more.status, more.headers.get('retry-after')]).toEqual([503, '1']);
    expect(asked).not.toContain('ack_more');
  });

  it('A22 our own JWKS response: no private member, each kid once, with alg and use', async () => {
    const signingKeys = memorySigningKeys();
    const first = await makeSigningKey('RS256', 0);
    await signingKeys.addSigningKey(first, undefined);
    await signingKeys.addSigningKey(await makeSigningKey('EdDSA', 1), first.kid);
    const service = await tokenService({
      signingKeys,
      algorithm: 'EdDSA',
      clock: { now: () => 2, monotonic: () => 2 },
    });
    const response = await fetch(`${service.url}/.well-known/jwks.json`);
    expect(response.headers.get('cache-control')).toBe('public, max-age=300, stale-if-error=3600');
    const { keys } = (await response.json()) as { keys: Record<string, unknown>[] };
    await service.close();
    const publicMembers = { RS256: ['e', 'n'], EdDSA: ['crv', 'x'] };
    expect(keys.map(({ alg }) => alg)).toEqual(['RS256', 'EdDSA']);
    for (const { alg, use, ...jwk } of keys) {
      expect(use).toBe('sig');
      expect(Object.keys(jwk).sort()).toEqual([...publicMembers[alg as 'RS256'], 'kid', 'kty'].sort());
    }
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(2);
  });

  it('answers 503 if there is no key to sign with, or to publish', async () => {
    const signingKeys = { ...memorySigningKeys(), listSigningKeys: () => Promise.reject(new Error('away')) };
    const service = await tokenService({ signingKeys });
    const token = await service.post(GRANT, basic(ID, SECRET));
    const keys = await fetch(`${service.url}/.well-known/jwks.json`);
    expect([token.status, keys.status, keys.headers.get('retry-after')]).toEqual([503, 503, '1']);
    expect(keys.headers.get('cache-control')).toBe('no-store');
    await service.close();
  });

  it('publishes an event for each response, without a secret', async () => {
    const events: unknown[] = [];
    const listen = (event: unknown) => events.push(event);
    channel('keyward:token').subscribe(listen);
    const service = await tokenService();
    await service.post(GRANT, basic(ID, SECRET));
    await service.post(`${GRANT}&client_id=${ID}&client_secret=${SECRET}`, basic(ID, SECRET));
    await service.post(GRANT, basic(ID, 'wrong-secret-wrong-secret'));
    await service.post(`${GRANT}&scope=admin`, basic(ID, SECRET));
    channel('keyward:token').unsubscribe(listen);
    await service.close();
    const endpoint = 'token';
    const issued = {
      endpoint,
      outcome: 'issued',
      status: 200,
      clientId: ID,
      scopes: ['payments', 'disputes'],
      reason: undefined,
    };
    const nothing = { clientId: undefined, authentication: undefined, scopes: undefined };
    expect(events).toStrictEqual([
      { ...issued, authentication: 'basic' },
      { ...issued, authentication: 'both' },
      { endpoint, outcome: 'refused', status: 401, reason: 'wrong_secret', ...nothing },
      {
        ...{ endpoint, outcome: 'refused', status: 400, reason: 'scope_not_assigned', scopes: undefined },
        ...{ clientId: ID, authentication: 'basic' },
      },
    ]);
    expect(JSON.stringify(events)).not.toMatch(/wrong-secret|SSSSSSSS/);
  });

  it('publishes an event when the clock was set back', async () => {
    const warnings: unknown[] = [];
    const listen = (warning: unknown) => warnings.push(warning);
    channel('keyward:issuer').subscribe(listen);
    const service = await tokenService();
    await service.post(GRANT, basic(ID, SECRET));
    service.clock.setWall(-600_000);
    await service.post(GRANT, basic(ID, SECRET));
    channel('keyward:issuer').unsubscribe(listen);
    await service.close();
    expect(warnings).toEqual([{ warning: 'clock_set_back', detail: '600 s' }]);
  });
});

describe('a token and its resource server', () => {
  it('keys are found by discovery; the token is accepted, and refused when its access key is revoked', async () => {
    const app = express();
    const served = await serve(app);
    const issuer = `http://127.0.0.1:${served.port}`;
    const row = {
      ...{ id: ID, account: 'acc_1', environment: 'live' as const, secrets: [{ digest: digestOf(SECRET) }] },
      ...{ scopes: ['payments'], defaultScopes: ['payments'], revokedAt: null as Date | null },
    };
    const accessKeys = { resolveAccessKey: (id: string) => (id === ID ? row : null) };
    app.use(createIssuer({ issuer, audience: AUDIENCE, accessKeys, signingKeys: memorySigningKeys() }));
    const tokens = accessTokens({ issuer, audience: AUDIENCE, accessKeys });
    app.get('/payments', requireBearer({ accept: [tokens] }), requireScopes('payments'), (_req, res) => {
      res.json({});
    });
    app.use(bearerErrors());

    const headers = { ...basic(ID, SECRET), 'content-type': 'application/x-www-form-urlencoded' };
    const response = await fetch(`${issuer}/connect/token`, { method: 'POST', headers, body: GRANT });
    const { access_token: token } = (await response.json()) as { access_token: string };
    const pay = async () =>
      (await fetch(`${issuer}/payments`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect([await pay(), await pay()]).toEqual([200, 200]);
    row.revokedAt = new Date();
    tokens.invalidate({ accessKey: ID });
    expect(await pay()).toBe(401);
    await served.close();
  });
});
