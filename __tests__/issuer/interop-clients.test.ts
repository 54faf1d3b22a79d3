import { execFile } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Checkout } from 'checkout-sdk-node';
import express from 'express';
import { accessTokens, apiKeys, requireApi, requireBearer, requireKeyKind, requireScopes } from 'keyward';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { createKeyTable } from '../support/key-table.js';
import { type ServedApp, serveApp } from '../support/served-app.js';
import { AUDIENCE, ID, SECRET, type TokenService, tokenService } from '../support/token-service.js';

const WRONG = 'W'.repeat(86);
const PAYMENT = { source: { type: 'token' as const, token: 'tok_1' }, amount: 100, currency: 'GBP', reference: 'o1' };

let service: TokenService;
let api: ServedApp;
let apiUrl: string;
const table = createKeyTable();
const secretKey = table.add({ kind: 'secret', environment: 'sandbox', apis: ['payments'] });
const disputesKey = table.add({ kind: 'secret', environment: 'sandbox', apis: ['disputes'] });
const publicKey = table.add({ kind: 'public', environment: 'sandbox', apis: ['tokens'] });

beforeAll(async () => {
  service = await tokenService({ algorithm: 'RS256', clock: undefined });
  const tokens = accessTokens({ issuer: service.url, audience: AUDIENCE });
  const keys = apiKeys({ resolver: table, kinds: ['secret', 'public'], environment: 'sandbox' });
  const gate = requireBearer({ accept: [tokens, keys] });
  const bareGate = requireBearer({ accept: [keys], allowSchemeless: true });
  api = await serveApp((app, handler) => {
    app.use(express.json());
    app.post('/payments', gate, requireKeyKind('secret', 'access'), requireApi('payments'), handler);
    app.post('/payments/:id/refunds', gate, requireScopes('payments:refund'), handler);
    app.post('/tokens', bareGate, requireKeyKind('public'), requireApi('tokens'), handler);
  });
  apiUrl = `http://127.0.0.1:${api.port}`;
});
afterAll(() => Promise.all([service.close(), api.close()]));

/** What the API says to a token. */
async function paidBy(token: string) {
  const { status, body } = await api.ask('/payments', token, { method: 'POST' });
  return { status, principal: JSON.parse(body) };
}

const ACCEPTED = {
  status: 200,
  principal: expect.objectContaining({ kind: 'access', keyId: ID, scopes: ['payments'] }),
};

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('openid-client', () => {
  const discover = (authentication: openid.ClientAuth) =>
    openid.discovery(new URL(service.url), ID, undefined, authentication, {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    });

  it('finds the token endpoint and the keys by OAuth metadata', async () => {
    const metadata = (await discover(openid.ClientSecretBasic(SECRET))).serverMetadata();
    expect(metadata.token_endpoint).toBe(`${service.url}/connect/token`);
    expect(metadata.jwks_uri).toBe(`${service.url}/.well-known/jwks.json`);
  });

  it('finds the same by OpenID metadata', async () => {
    const config = await openid.discovery(new URL(service.url), ID, SECRET, undefined, {
      execute: [openid.allowInsecureRequests],
    });
    expect(config.serverMetadata()).toEqual((await discover(openid.None())).serverMetadata());
  });

  const ways: [string, (secret: string) => openid.ClientAuth][] = [
    ['Basic', openid.ClientSecretBasic],
    ['the body', openid.ClientSecretPost],
  ];

  it.each(ways)('obtains a token by %s, and uses it', async (_way, authentication) => {
    const config = await discover(authentication(SECRET));
    const issued = await openid.clientCredentialsGrant(config, { scope: 'payments' });
    expect(issued).toMatchObject({ token_type: 'bearer', expires_in: 3_600, scope: 'payments' });
    expect(await paidBy(issued.access_token)).toEqual(ACCEPTED);
  });

  it('gets the default scopes if it requests none', async () => {
    const config = await discover(openid.ClientSecretBasic(SECRET));
    expect((await openid.clientCredentialsGrant(config)).scope).toBe('payments disputes');
  });

  it('reads the challenge for a wrong secret sent by Basic', async () => {
    const refused = openid.clientCredentialsGrant(await discover(openid.ClientSecretBasic(WRONG)));
    expect(await failureOf(refused)).toMatchObject({
      code: 'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
      status: 401,
      cause: [{ scheme: 'basic', parameters: { realm: new URL(service.url).host } }],
    });
  });

  it('reads invalid_client for a wrong secret sent in the body', async () => {
    const refused = openid.clientCredentialsGrant(await discover(openid.ClientSecretPost(WRONG)));
    expect(await failureOf(refused)).toMatchObject({
      code: 'OAUTH_RESPONSE_BODY_ERROR',
      status: 401,
      error: 'invalid_client',
    });
  });

  it('reads invalid_scope for a scope that is not assigned', async () => {
    const config = await discover(openid.ClientSecretBasic(SECRET));
    const refused = openid.clientCredentialsGrant(config, { scope: 'payments payouts' });
    expect(await failureOf(refused)).toMatchObject({ status: 400, error: 'invalid_scope' });
  });
});

describe('oauth4webapi', () => {
  const insecure = { [oauth.allowInsecureRequests]: true };
  const client: oauth.Client = { client_id: ID };

  async function discover() {
    const issuer = new URL(service.url);
    const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    return oauth.processDiscoveryResponse(issuer, response);
  }

  async function obtainToken(authentication: oauth.ClientAuth, scope = 'payments') {
    const server = await discover();
    const asked = oauth.clientCredentialsGrantRequest(server, client, authentication, { scope }, insecure);
    return oauth.processClientCredentialsResponse(server, client, await asked);
  }

  const bearing = (token: string) => new Request(apiUrl, { headers: { authorization: `Bearer ${token}` } });

  it('discovers the issuer with correct metadata', async () => {
    expect(await discover()).toEqual({
      issuer: service.url,
      authorization_endpoint: `${service.url}/connect/authorize`,
      token_endpoint: `${service.url}/connect/token`,
      jwks_uri: `${service.url}/.well-known/jwks.json`,
      grant_types_supported: ['client_credentials'],
      response_types_supported: [],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: [
        ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
        ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
      ],
    });
  });

  it.each<[string, oauth.ClientAuth]>([
    ['Basic', oauth.ClientSecretBasic(SECRET)],
    ['the body', oauth.ClientSecretPost(SECRET)],
  ])('obtains a token by %s, and uses it', async (_way, authentication) => {
    const { access_token } = await obtainToken(authentication);
    expect(await paidBy(access_token)).toEqual(ACCEPTED);
  });

  it('accepts the token as an access token of RFC 9068', async () => {
    const { access_token } = await obtainToken(oauth.ClientSecretBasic(SECRET));
    const claims = oauth.validateJwtAccessToken(await discover(), bearing(access_token), AUDIENCE, insecure);
    expect(await claims).toMatchObject({ iss: service.url, aud: AUDIENCE, sub: ID, client_id: ID, scope: 'payments' });
  });

  it('refuses the token if another audience is expected', async () => {
    const { access_token } = await obtainToken(oauth.ClientSecretBasic(SECRET));
    const other = 'https://other.example.com';
    const claims = oauth.validateJwtAccessToken(await discover(), bearing(access_token), other, insecure);
    expect(await failureOf(claims)).toMatchObject({ code: 'OAUTH_JWT_CLAIM_COMPARISON_FAILED' });
  });

  it.each<[string, oauth.ClientAuth, object]>([
    ['by Basic: a challenge', oauth.ClientSecretBasic(WRONG), { cause: [{ scheme: 'basic' }] }],
    ['in the body: invalid_client', oauth.ClientSecretPost(WRONG), { error: 'invalid_client' }],
  ])('reads that a secret is wrong, %s', async (_way, authentication, failure) => {
    expect(await failureOf(obtainToken(authentication))).toMatchObject({ status: 401, ...failure });
  });
});

describe('checkout-sdk-node', () => {
  function byAccessKey(secret: string, scope: readonly string[] = ['payments']) {
    const sdk = new Checkout(secret, { client: ID, scope: [...scope], environment: 'sandbox', host: apiUrl });
    // The SDK has no option for the URL of the token endpoint: every part of it reads this one object.
    Object.assign(sdk.config, {
      environmentSubdomain: null,
      environment: {
        isSandbox: true,
        getOAuthAuthorizationApi: () => `${service.url}/connect/token`,
        getCheckoutApi: () => apiUrl,
      },
    });
    return sdk;
  }

  const byKeys = (key: string) => new Checkout(key, { pk: publicKey, host: apiUrl });

  it('obtains a token with an access key, and pays with it', async () => {
    expect(await byAccessKey(SECRET).payments.request(PAYMENT)).toMatchObject({ kind: 'access', keyId: ID });
  });

  it('obtains the default scopes if it names none', async () => {
    const paid = await byAccessKey(SECRET, []).payments.request(PAYMENT);
    expect(paid).toMatchObject({ scopes: ['payments', 'disputes'] });
  });

  it('reads that the secret of an access key is wrong', async () => {
    const refused = await failureOf(byAccessKey(WRONG).payments.request(PAYMENT));
    expect(refused).toMatchObject({ name: 'AuthenticationError', http_code: 401 });
  });

  it('reads that a scope is not assigned', async () => {
    const refused = await failureOf(byAccessKey(SECRET, ['payouts']).payments.request(PAYMENT));
    expect(refused).toMatchObject({ http_code: 400, body: { error: 'invalid_scope' } });
  });

  it('reads that a scope was not requested', async () => {
    const refused = await failureOf(byAccessKey(SECRET).payments.refund('pay_1'));
    expect(refused).toMatchObject({ name: 'ActionNotAllowed', http_code: 403 });
  });

  it('pays with a secret key', async () => {
    expect(await byKeys(secretKey).payments.request(PAYMENT)).toMatchObject({ kind: 'secret', apis: ['payments'] });
  });

  it('reads that a secret key has no access to the API', async () => {
    const refused = await failureOf(byKeys(disputesKey).payments.request(PAYMENT));
    expect(refused).toMatchObject({ name: 'ActionNotAllowed', http_code: 403 });
  });

  it('reads that a secret key is unknown', async () => {
    const unknown = createKeyTable().add({ kind: 'secret', environment: 'sandbox' });
    const refused = await failureOf(byKeys(unknown).payments.request(PAYMENT));
    expect(refused).toMatchObject({ name: 'AuthenticationError', http_code: 401 });
  });

  it('gets a card token with a public key, which it sends without a scheme', async () => {
    const card = { type: 'card' as const, number: '4242424242424242', expiry_month: 1, expiry_year: 2030 };
    expect(await byKeys(secretKey).tokens.request(card)).toMatchObject({ kind: 'public', apis: ['tokens'] });
  });
});

describe('curl', () => {
  const curl = (...args: readonly string[]) =>
    new Promise<{ exit: unknown; out: string }>((resolve) => {
      execFile('curl', ['-sS', '--fail-with-body', ...args], (error, out) => resolve({ exit: error?.code ?? 0, out }));
    });

  const obtainToken = (...args: readonly string[]) =>
    curl(`${service.url}/connect/token`, '-d', 'grant_type=client_credentials', ...args);

  it('obtains a token with -u, and uses it', async () => {
    const { access_token, scope } = JSON.parse(
      (await obtainToken('-u', `${ID}:${SECRET}`, '-d', 'scope=payments')).out,
    );
    expect(scope).toBe('payments');
    const paid = await curl('-X', 'POST', `${apiUrl}/payments`, '-H', `Authorization: Bearer ${access_token}`);
    expect(JSON.parse(paid.out)).toMatchObject({ kind: 'access', keyId: ID });
  });

  it('requests several scopes with --data-urlencode', async () => {
    const { out } = await obtainToken('-u', `${ID}:${SECRET}`, '--data-urlencode', 'scope=payments:refund payments');
    expect(JSON.parse(out)).toMatchObject({ scope: 'payments payments:refund' });
  });

  it('fails if the secret is wrong, and prints invalid_client', async () => {
    const { exit, out } = await obtainToken('-u', `${ID}:${WRONG}`);
    expect({ exit, answer: JSON.parse(out) }).toEqual({ exit: 22, answer: { error: 'invalid_client' } });
  });
});
