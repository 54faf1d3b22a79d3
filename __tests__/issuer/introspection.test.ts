import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AccessKeyRecord } from 'keyward';
import { type IssuerOptions, memorySigningKeys, type TokenDecision } from '../../lib/issuer/index.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { START } from '../support/manual-clock.js';
import { createKey, forge, type Members, NOW } from '../support/token-forge.js';
import { AUDIENCE, basic, ID, record, SECRET, type TokenService, tokenService } from '../support/token-service.js';

/** A resource server, which may introspect tokens. */
const API = 'ack_api';
const INACTIVE = [200, { active: false }];
/** The signing key of the issuer, so that a test can sign any claims with it. */
const key = createKey('ES256', 'one');

let service: TokenService;
let events: Eavesdropper;

beforeEach(async () => {
  events = eavesdrop();
  service = await start();
});
afterEach(async () => {
  events.stop();
  await service.close();
});

async function start(options: Partial<IssuerOptions> = {}): Promise<TokenService> {
  const signingKeys = memorySigningKeys();
  const jwk = key.privateKey.export({ format: 'jwk' }) as Record<string, unknown>;
  await signingKeys.addSigningKey({ kid: key.kid, alg: 'ES256', jwk, createdAt: new Date(START) }, undefined);
  const started = await tokenService({ signingKeys, introspection: {}, ...options });
  started.table.set(API, record({ id: API, scopes: ['tokens:introspect'], defaultScopes: [] }));
  return started;
}

/** A token of the client `ID`, except for the given members. */
const tokenWith = (claims: Members = {}, header: Members = {}, signer = key) =>
  forge(signer, { iss: service.url, aud: AUDIENCE, sub: ID, client_id: ID, ...claims }, header);

async function send(body: string, caller = API): Promise<Response> {
  return fetch(`${service.url}/connect/introspect`, {
    method: 'POST',
    headers: { ...basic(caller, SECRET), 'content-type': 'application/x-www-form-urlencoded' },
    body,
  });
}

async function introspect(token: string): Promise<[status: number, body: unknown]> {
  const response = await send(`token=${token}`);
  return [response.status, await response.json()];
}

const decisions = () => events.heard<TokenDecision>('keyward:token');

describe('an active token', () => {
  it('is reported with its claims, and with an event', async () => {
    expect(await introspect(tokenWith())).toEqual([
      200,
      {
        ...{ active: true, iss: service.url, aud: AUDIENCE, sub: ID, client_id: ID, scope: 'payments' },
        ...{ jti: 'token-1', iat: NOW, exp: NOW + 3_600, token_type: 'Bearer' },
      },
    ]);
    expect(decisions()).toStrictEqual([
      {
        ...{ endpoint: 'introspection', outcome: 'introspected', status: 200, clientId: API, authentication: 'basic' },
        ...{ reason: undefined, scopes: undefined },
      },
    ]);
  });

  it.each([
    ['DPoP', { jkt: 'thumbprint' }],
    ['DPoP', { jkt: 'thumbprint', 'x5t#S256': 'thumbprint' }],
    ['Bearer', { 'x5t#S256': 'thumbprint' }],
    ['Bearer', 'thumbprint'],
    ['Bearer', null],
  ])('has the type %s with the cnf %j', async (type, cnf) => {
    expect(await introspect(tokenWith({ cnf }))).toMatchObject([200, { active: true, token_type: type, cnf }]);
  });

  it('may have been issued by an instance whose clock is five minutes ahead', async () => {
    expect(await introspect(tokenWith({ iat: NOW + 300 }))).toMatchObject([200, { active: true }]);
  });

  it('has only the scopes that its access key still has', async () => {
    service.table.set(ID, record({ scopes: ['disputes'], defaultScopes: [] }));
    expect(await introspect(tokenWith({ scope: 'payments disputes' }))).toMatchObject([200, { scope: 'disputes' }]);
  });
});

describe('a token is not active', () => {
  it.each([
    ['that is no JWT', () => 'garbage'],
    ['whose parts are empty', () => '..'],
    ['of another type', () => tokenWith({}, { typ: 'JWT' })],
    ['that expired', () => tokenWith({ exp: NOW })],
    ['issued more than five minutes in the future', () => tokenWith({ iat: NOW + 301 })],
    ['for another audience', () => tokenWith({ aud: 'https://other.example' })],
    ['that another key signed', () => tokenWith({}, {}, createKey('ES256', key.kid))],
    ['with a kid that is not published', () => tokenWith({}, { kid: 'other' })],
    ['with an algorithm that is not that of the key', () => tokenWith({}, { alg: 'RS256' })],
    ['of an unknown client', () => tokenWith({ sub: 'ack_none', client_id: 'ack_none' })],
  ])('%s', async (_which, token) => {
    expect(await introspect(token())).toEqual(INACTIVE);
  });

  it('if its access key is in another environment than the caller', async () => {
    service.table.set(ID, record({ environment: 'sandbox' }));
    expect(await introspect(tokenWith())).toEqual(INACTIVE);
  });

  it.each([
    ['header parameters', () => tokenWith({}, { typ: 'JWT' })],
    ['claims', () => tokenWith({ exp: NOW })],
  ])('if its %s break a rule, even while the signing keys cannot be read', async (_what, token) => {
    await service.close();
    const listSigningKeys = () => Promise.reject(new Error('away'));
    service = await start({ signingKeys: { ...memorySigningKeys(), listSigningKeys } });
    expect(await introspect(token())).toEqual(INACTIVE);
    expect((await introspect(tokenWith()))[0]).toBe(503);
  });
});

describe('an introspection request is refused', () => {
  it.each([
    ['without the scope', ID, 'token=x', 403, 'insufficient_scope', 'scope_not_held'],
    ['without a token', API, 'x=y', 400, 'invalid_request', 'no_token'],
  ])('%s', async (_what, caller, body, status, error, reason) => {
    const response = await send(body, caller);
    expect([response.status, await response.json()]).toMatchObject([status, { error }]);
    expect(decisions()).toMatchObject([{ endpoint: 'introspection', outcome: 'refused', status, reason }]);
  });

  it('with 503 if the access key of the token cannot be looked up', async () => {
    await service.close();
    const resolveAccessKey = async (id: string) => {
      if (id !== API) throw new Error('away');
      return service.table.get(id) as AccessKeyRecord;
    };
    service = await start({ accessKeys: { resolveAccessKey } });
    const response = await send(`token=${tokenWith()}`);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.json()).toMatchObject({ error: 'temporarily_unavailable' });
    expect(decisions()).toMatchObject([{ outcome: 'unavailable', status: 503, reason: 'lookup_threw' }]);
  });
});
