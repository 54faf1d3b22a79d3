import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt, exportJWK } from 'jose';
import { accessTokens, requireBearer } from 'keyward';
import { tokenClient } from 'keyward/client';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { type ClientKeyPair, clientKeyPair } from '../support/client-assertion.js';
import { type ServedApp, serveApp } from '../support/served-app.js';
import { AUDIENCE, ID, record, type TokenService, tokenService } from '../support/token-service.js';

const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
const NONCE = { secret: 'n'.repeat(32) };

let service: TokenService;
let api: ServedApp;
let apiUrl: string;
let pairs: ReadonlyMap<string, ClientKeyPair>;
const pair = (alg: string) => pairs.get(alg) as ClientKeyPair;

beforeAll(async () => {
  pairs = new Map(await Promise.all(ALGORITHMS.map(async (alg) => [alg, await clientKeyPair(alg)] as const)));
  service = await tokenService({ clock: undefined, dpop: { nonce: NONCE } });
  const publicKeys = ALGORITHMS.map((alg) => pair(alg).publicJwk);
  service.table.set(ID, record({ secrets: [], publicKeys }));
  api = await serveApp((app, handler) => {
    app.get('/payments', (req, res, next) => gate(req, res, next), handler);
  });
  const origin = `http://127.0.0.1:${api.port}`;
  apiUrl = `${origin}/payments`;
  const tokens = accessTokens({
    issuer: service.url,
    audience: AUDIENCE,
    dpop: { origin, nonce: NONCE, required: true },
  });
  const gate = requireBearer({ accept: [tokens] });
});
afterAll(() => Promise.all([service.close(), api.close()]));

describe.each(ALGORITHMS)('private_key_jwt with %s', (alg) => {
  const key = () => ({ key: pair(alg).privateKey, kid: pair(alg).publicJwk.kid });

  it('D35 openid-client obtains Bearer and DPoP tokens, with the nonce that the issuer asks for', async () => {
    const config = await openid.discovery(new URL(service.url), ID, undefined, openid.PrivateKeyJwt(key()), {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    });
    const bearer = await openid.clientCredentialsGrant(config, { scope: 'payments' });
    expect(bearer.token_type).toBe('bearer');
    const handle = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair());
    const bound = await openid.clientCredentialsGrant(config, { scope: 'payments' }, { DPoP: handle });
    expect(bound.token_type).toBe('dpop');
    expect(decodeJwt(bound.access_token).cnf).toEqual({ jkt: expect.stringMatching(/^[\w-]{43}$/) });
    const options = { DPoP: handle };
    const answer = await openid.fetchProtectedResource(
      config,
      bound.access_token,
      new URL(apiUrl),
      'GET',
      undefined,
      undefined,
      options,
    );
    expect(answer.status).toBe(200);
  });

  it('D35 oauth4webapi obtains a DPoP token, with the nonce that the issuer asks for', async () => {
    const insecure = { [oauth.allowInsecureRequests]: true };
    const discovered = await oauth.discoveryRequest(new URL(service.url), { algorithm: 'oauth2', ...insecure });
    const server = await oauth.processDiscoveryResponse(new URL(service.url), discovered);
    expect(server.dpop_signing_alg_values_supported).toContain('ES256');
    const client: oauth.Client = { client_id: ID };
    const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
    const request = async () => {
      const authentication = oauth.PrivateKeyJwt(key());
      const parameters = new URLSearchParams({ scope: 'payments' });
      const response = await oauth.clientCredentialsGrantRequest(server, client, authentication, parameters, {
        DPoP,
        ...insecure,
      });
      return await oauth.processClientCredentialsResponse(server, client, response);
    };
    const first = await request().catch((error: unknown) => error);
    expect(oauth.isDPoPNonceError(first)).toBe(true);
    const { access_token: token, token_type: type } = await request();
    expect(type).toBe('dpop');
    const call = () =>
      oauth.protectedResourceRequest(token, 'GET', new URL(apiUrl), undefined, undefined, { DPoP, ...insecure });
    const answer = await call().catch((error: unknown) => {
      if (oauth.isDPoPNonceError(error)) return call();
      throw error;
    });
    expect(answer.status).toBe(200);
  });

  it('D35 tokenClient calls the API with a bound token', async () => {
    const { privateKey, publicJwk } = pair(alg);
    const client = tokenClient({
      ...{ issuer: service.url, clientId: ID, scopes: ['payments'], dpop: true },
      ...{ privateKey: await exportJWK(privateKey), keyId: publicJwk.kid },
    });
    expect((await client.fetch(apiUrl)).status).toBe(200);
    expect(decodeJwt(await client.accessToken())).toMatchObject({ cnf: { jkt: expect.any(String) }, sub: ID });
  });
});
