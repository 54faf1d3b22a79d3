import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { type AccessKeyRecord, accessTokens, requireBearer } from 'keyward';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { clientKeyPair } from '../support/client-assertion.js';
import { type ServedApp, serveApp } from '../support/served-app.js';
import { AUDIENCE, ID, record, SECRET, type TokenService, tokenService } from '../support/token-service.js';

/** A resource server, which may ask about tokens. */
const API = 'ack_resource_server';
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const;
const WAYS = ['a secret', ...ALGORITHMS] as const;
const SCOPE = { scope: 'payments' };

let service: TokenService;
let api: ServedApp;
const keys = new Map<string, openid.PrivateKey>();
const table = new Map<string, AccessKeyRecord>();

beforeAll(async () => {
  const pairs = await Promise.all(ALGORITHMS.map(clientKeyPair));
  for (const { alg, privateKey, publicJwk } of pairs) keys.set(alg, { key: privateKey, kid: publicJwk.kid });
  const publicKeys = pairs.map(({ publicJwk }) => publicJwk);
  table.set(ID, record({ publicKeys }));
  table.set(API, record({ id: API, publicKeys, scopes: ['tokens:introspect'], defaultScopes: [] }));
  const accessKeys = {
    resolveAccessKey: async (id: string) => table.get(id),
    async revokeToken(id: string, jti: string) {
      const known = table.get(id) as AccessKeyRecord;
      table.set(id, { ...known, revokedTokens: new Set([...(known.revokedTokens as Iterable<string>), jti]) });
    },
  };
  service = await tokenService({ clock: undefined, accessKeys, introspection: {}, revocation: true });
  const tokens = accessTokens({ issuer: service.url, audience: AUDIENCE, accessKeys, cache: false });
  api = await serveApp((app, handler) => {
    app.use(requireBearer({ accept: [tokens] }), handler);
  });
});
afterAll(() => Promise.all([service.close(), api.close()]));
beforeEach(() => {
  table.set(ID, { ...(table.get(ID) as AccessKeyRecord), revokedTokens: new Set() });
});

const statusOf = async (token: string) => (await api.ask('/', token)).status;

describe.each(WAYS)('openid-client, which authenticates with %s', (way) => {
  const key = () => keys.get(way);
  const configure = (id: string) => {
    const authentication =
      way === 'a secret' ? openid.ClientSecretBasic(SECRET) : openid.PrivateKeyJwt(key() as openid.PrivateKey);
    const options = { algorithm: 'oauth2' as const, execute: [openid.allowInsecureRequests] };
    return openid.discovery(new URL(service.url), id, undefined, authentication, options);
  };

  it('I10 obtains, introspects and revokes a token', async () => {
    const [client, resourceServer] = await Promise.all([configure(ID), configure(API)]);
    const { access_token: token } = await openid.clientCredentialsGrant(client, SCOPE);
    const { iss, jti, exp, iat } = decodeJwt(token);
    const active = { active: true, client_id: ID, sub: ID, aud: AUDIENCE, iss, jti, exp, iat, scope: 'payments' };
    expect(await openid.tokenIntrospection(resourceServer, token)).toMatchObject(active);
    expect(await statusOf(token)).toBe(200);

    await openid.tokenRevocation(client, token, { token_type_hint: 'access_token' });
    expect(await openid.tokenIntrospection(resourceServer, token)).toEqual({ active: false });
    expect(await statusOf(token)).toBe(401);
  });

  it('I09 reads insufficient_scope if it is not allowed to introspect', async () => {
    const client = await configure(ID);
    const { access_token: token } = await openid.clientCredentialsGrant(client, SCOPE);
    await expect(openid.tokenIntrospection(client, token)).rejects.toMatchObject({ status: 403 });
  });

  it('I10 reads unauthorized_client for a token of another client, which stays valid', async () => {
    const [client, other] = await Promise.all([configure(ID), configure(API)]);
    const { access_token: token } = await openid.clientCredentialsGrant(client, SCOPE);
    const failure = { status: 400, error: 'unauthorized_client' };
    await expect(openid.tokenRevocation(other, token)).rejects.toMatchObject(failure);
    expect(await statusOf(token)).toBe(200);
  });
});

describe.each(WAYS)('oauth4webapi, which authenticates with %s', (way) => {
  const insecure = { [oauth.allowInsecureRequests]: true };
  const client: oauth.Client = { client_id: ID };
  const resourceServer: oauth.Client = { client_id: API };
  const authenticate = () =>
    way === 'a secret' ? oauth.ClientSecretBasic(SECRET) : oauth.PrivateKeyJwt(keys.get(way) as oauth.PrivateKey);

  async function discover() {
    const issuer = new URL(service.url);
    const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    return oauth.processDiscoveryResponse(issuer, response);
  }

  it('finds both endpoints in the metadata', async () => {
    expect(await discover()).toMatchObject({
      introspection_endpoint: `${service.url}/connect/introspect`,
      revocation_endpoint: `${service.url}/connect/revocation`,
    });
  });

  it('I10 obtains, introspects and revokes a token; a second revocation succeeds too', async () => {
    const server = await discover();
    const parameters = new URLSearchParams(SCOPE);
    const sent = oauth.clientCredentialsGrantRequest(server, client, authenticate(), parameters, insecure);
    const { access_token: token } = await oauth.processClientCredentialsResponse(server, client, await sent);
    const introspect = async () => {
      const response = oauth.introspectionRequest(server, resourceServer, authenticate(), token, insecure);
      return await oauth.processIntrospectionResponse(server, resourceServer, await response);
    };
    const revoke = async () =>
      oauth.processRevocationResponse(await oauth.revocationRequest(server, client, authenticate(), token, insecure));
    expect(await introspect()).toMatchObject({ active: true, client_id: ID, scope: 'payments', token_type: 'Bearer' });
    expect(await revoke()).toBeUndefined();
    expect(await revoke()).toBeUndefined();
    expect(await introspect()).toEqual({ active: false });
    expect(await statusOf(token)).toBe(401);
  });
});
