import { createPrivateKey } from 'node:crypto';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  calculateJwkThumbprint,
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  exportPKCS8,
  generateKeyPair,
} from 'jose';
import { type IntrospectionClient, introspectedTokens } from 'keyward';
import { PresentedCredential } from '../../../lib/http/presented-credential.js';
import { A5, T1 } from '../../support/answers.js';
import { FOREIGN_CLIENT, startForeignIssuer } from '../../support/foreign-issuer.js';
import { ACTIVE, AUDIENCE, introspectedApi, NOW } from '../../support/introspection-server.js';
import { scriptedServer } from '../../support/scripted-server.js';
import { ACCEPTED, refusal, serveTokenApi } from '../../support/token-api.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe('oidc-provider', () => {
  const audience = `${AUDIENCE}/opaque`;

  async function foreignApi(metadata: object, client: IntrospectionClient) {
    const issuer = await startForeignIssuer(audience, metadata);
    closing.push(() => issuer.close());
    const verifier = introspectedTokens({ issuer: issuer.url, audience, client, timeout: 60_000 });
    const api = await serveTokenApi([verifier]);
    closing.push(() => api.close());
    return { issuer, api, verifier };
  }

  it('I07 its opaque tokens are accepted until they are revoked there', async () => {
    const { id, secret } = FOREIGN_CLIENT;
    const { issuer, api, verifier } = await foreignApi({}, { id, secret });
    const token = await issuer.obtainToken('payments', audience);
    expect(token).not.toContain('.');
    expect(JSON.parse((await api.present(token)).body)).toMatchObject({
      ...{ clientId: id, scopes: ['payments'], apis: ['payments'] },
      payload: { iss: issuer.url, aud: audience, token_type: 'Bearer' },
    });
    const other = token.slice(0, -1) + (token.endsWith('x') ? 'y' : 'x');
    expect(await api.judge(other)).toEqual(refusal(T1, 'token_inactive'));

    const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
    const body = new URLSearchParams({ token });
    const revoked = await fetch(`${issuer.url}/token/revocation`, { method: 'POST', headers: { authorization }, body });
    expect(revoked.status).toBe(200);
    expect(await api.judge(token)).toEqual(ACCEPTED);
    verifier.invalidate('all');
    expect(await api.judge(token)).toEqual(refusal(T1, 'token_inactive'));
  });

  it.each([
    ['RS256', 'JWK'],
    ['ES256', 'PEM'],
    ['EdDSA', 'KeyObject'],
  ])('I07 the API authenticates by private_key_jwt with %s, the key as a %s', async (alg, form) => {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg, use: 'sig' };
    const pem = await exportPKCS8(privateKey);
    const given: Record<string, IntrospectionClient['privateKey']> = {
      JWK: { ...(await exportJWK(privateKey)), alg },
      PEM: pem,
      KeyObject: createPrivateKey(pem),
    };
    const metadata = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } };
    const client = { id: FOREIGN_CLIENT.id, privateKey: given[form], keyId: 'one' };
    const { api } = await foreignApi(metadata, client);
    // The client cannot obtain tokens with its secret any more; that a made-up token is inactive shows that it authenticated.
    expect(await api.judge('made-up-token')).toEqual(refusal(T1, 'token_inactive'));
  });
});

describe('responses of other servers', () => {
  const common = { active: true, exp: NOW + 3_600, iat: NOW - 1 };

  it.each([
    [
      'Keycloak',
      {
        ...{ ...common, jti: 'onrtac:1', aud: [AUDIENCE, 'account'], sub: '2f0c', typ: 'Bearer', azp: 'shop' },
        ...{
          acr: '1',
          'allowed-origins': ['/*'],
          realm_access: { roles: ['offline_access'] },
          scope: 'payments email',
        },
        ...{ client_id: 'shop', username: 'service-account-shop', token_type: 'Bearer' },
      },
      ['shop', ['payments', 'email']],
    ],
    [
      'Hydra',
      {
        ...{ ...common, scope: 'payments', client_id: '9b2e', sub: '9b2e', aud: [AUDIENCE], nbf: NOW - 1 },
        ...{ token_type: 'Bearer', token_use: 'access_token', ext: null },
      },
      ['9b2e', ['payments']],
    ],
    [
      'Spring',
      { ...common, sub: 'shop', aud: [AUDIENCE], scope: ['payments'], token_type: 'Bearer' },
      ['shop', ['payments']],
    ],
  ])('I07 the response of %s is accepted', async (_server, response, [clientId, scopes]) => {
    const { api, answer, close } = await introspectedApi();
    closing.push(close);
    answer({ body: response });
    expect(JSON.parse((await api.present('opaque-token')).body)).toMatchObject({ clientId, scopes, payload: response });
  });
});

describe('the endpoint', () => {
  async function metadataOf(metadata: (origin: string) => object) {
    const server = await scriptedServer(({ path }) =>
      path.startsWith('/.well-known/') ? { body: metadata(server.origin) } : { body: ACTIVE },
    );
    closing.push(() => server.close());
    const verifier = introspectedTokens({
      ...{ issuer: server.origin, audience: AUDIENCE, client: { id: 'api', secret: 'secret' } },
      clock: { now: () => NOW * 1_000, monotonic: () => performance.now() },
      timeout: 60_000,
    });
    const api = await serveTokenApi([verifier]);
    closing.push(() => api.close());
    return { ...server, api, paths: () => server.seen.map(({ path }) => path) };
  }

  it('is found within five seconds, of which the first document gets half', async () => {
    const { api } = await metadataOf((origin) => ({ issuer: origin, introspection_endpoint: `${origin}/ask` }));
    const timeouts = jest.spyOn(AbortSignal, 'timeout');
    await api.present('opaque');
    expect(timeouts.mock.calls.slice(0, 2)).toEqual([[5_000], [2_500]]);
    timeouts.mockRestore();
  });

  it('I06 is found in the metadata of the issuer, once', async () => {
    const { api, paths } = await metadataOf((origin) => ({ issuer: origin, introspection_endpoint: `${origin}/ask` }));
    expect(await api.judge('token-1')).toEqual(ACCEPTED);
    expect(await api.judge('token-2')).toEqual(ACCEPTED);
    expect(paths()).toEqual(['/.well-known/oauth-authorization-server', '/ask', '/ask']);
  });

  it.each([
    [
      'of another issuer',
      () => ({ issuer: 'https://other.example', introspection_endpoint: 'https://other.example/x' }),
    ],
    ['without the endpoint', (origin: string) => ({ issuer: origin })],
    [
      'with an http endpoint',
      (origin: string) => ({ issuer: origin, introspection_endpoint: 'http://login.example/x' }),
    ],
  ])('I06 metadata %s are 503, and no token is sent', async (_what, metadata) => {
    const { api, paths } = await metadataOf(metadata);
    expect(await api.judge('opaque-token')).toEqual(refusal(A5, 'lookup_threw'));
    expect(paths()).toEqual(['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']);
  });

  it('I06 metadata that failed are fetched again for the next token', async () => {
    let isDown = true;
    const { api } = await metadataOf((origin) =>
      isDown ? {} : { issuer: origin, introspection_endpoint: `${origin}/ask` },
    );
    expect(await api.judge('opaque-token')).toMatchObject(A5);
    isDown = false;
    expect(await api.judge('opaque-token')).toEqual(ACCEPTED);
  });

  it('I06 is located again after a failed call, once in a minute', async () => {
    const { api, clock, answer, discoveries, close } = await introspectedApi();
    closing.push(close);
    answer({ status: 404 });
    expect(await api.judge('token-1')).toMatchObject(A5);
    expect(await api.judge('token-2')).toMatchObject(A5);
    expect(discoveries()).toBe(1);
    clock.advance(60_000);
    await api.judge('token-3');
    await api.judge('token-4');
    expect(discoveries()).toBe(2);
  });
});

describe('private_key_jwt', () => {
  it('I06 sends an assertion for the issuer, new for each call, and no secret', async () => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = await exportJWK(privateKey);
    const kid = await calculateJwkThumbprint(jwk);
    const client = { id: 'api', privateKey: { ...jwk, kid } };
    const { verifier, calls, origin, close } = await introspectedApi({ client });
    closing.push(close);
    for (const token of ['token-1', 'token-2']) await verifier.verify(new PresentedCredential(token));
    const [first, second] = calls.map(({ body }) => new URLSearchParams(body).get('client_assertion') ?? '');
    expect(decodeProtectedHeader(first ?? '')).toEqual({ alg: 'ES256', typ: 'JWT', kid });
    const iat = NOW;
    expect(decodeJwt(first ?? '')).toMatchObject({ iss: 'api', sub: 'api', aud: origin, iat, exp: iat + 60 });
    expect(decodeJwt(first ?? '').jti).not.toBe(decodeJwt(second ?? '').jti);
    expect(calls.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  });
});
