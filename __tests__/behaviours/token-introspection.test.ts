import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createIssuer, type IssuerOptions, memorySigningKeys, type TokenDecision } from 'keyward/issuer';
import type { CredentialStore } from 'keyward/store';
import { createDpopClient } from '../support/dpop-client.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { type Client, type IssuingStore, issuingStore } from '../support/issuing-store.js';
import { makeStores, revoke, type Stores } from '../support/store-places.js';
import { engines } from '../support/test-stores.js';
import { assemble, createKey, forge, signedBy } from '../support/token-forge.js';
import { AUDIENCE, basic } from '../support/token-service.js';

const INACTIVE = { active: false };

describe.each(engines)('the introspection endpoint over a store in %s', (engine) => {
  let stores: Stores;
  let store: CredentialStore;
  let issuer: IssuingStore;
  let api: Client;
  let shop: Client;
  let events: Eavesdropper | undefined;

  beforeEach(async () => {
    stores = await makeStores(engine);
    store = await stores.open();
    issuer = await issuingStore(store);
    api = await issuer.client('ack_api', { scopes: '["tokens:introspect"]' });
    // The account of `client` has other scopes only.
    await store.repository.transact(async (tx) => {
      await tx.updateAccount('acme', 1, { scopes: '["payments","disputes","tokens:introspect"]' });
    });
    shop = await issuer.client('ack_shop');
  });
  afterEach(async () => {
    events?.stop();
    await issuer.close();
    await stores.close();
  });

  it('I08 a valid token is active, with the fields of RFC 7662 §2.2', async () => {
    const token = await issuer.obtain(shop);
    const iat = issuer.clock.now() / 1_000;
    expect(await issuer.introspect(api, token)).toEqual({
      ...{ active: true, iss: issuer.url, aud: AUDIENCE, sub: 'ack_shop', client_id: 'ack_shop', scope: 'payments' },
      ...{ jti: expect.any(String), iat, exp: iat + 3_600, token_type: 'Bearer' },
    });
  });

  it('I08 a scope that the access key has lost is left out', async () => {
    const token = await issuer.obtain(shop);
    await store.repository.transact(async (tx) => {
      await tx.updateKey('ack_shop', 1, { scopes: '["disputes"]' });
      tx.notify({ accessKey: 'ack_shop' });
    });
    expect(await issuer.introspect(api, token)).toMatchObject({ active: true, scope: '' });
  });

  it('a token that is bound to a key is reported with its cnf, which a resource server needs to check it', async () => {
    const bound = await issuingStore(store, { dpop: {} });
    const { key, jwk, thumbprint } = await createDpopClient(createKey('ES256'));
    const claims = { jti: 'one', htm: 'POST', htu: `${bound.url}/connect/token`, iat: bound.clock.now() / 1_000 };
    const proof = assemble({ typ: 'dpop+jwt', alg: 'ES256', jwk }, claims, signedBy(key));
    const response = await fetch(`${bound.url}/connect/token`, {
      method: 'POST',
      headers: { ...basic(shop.id, shop.secret), dpop: proof },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const { access_token: token } = (await response.json()) as { access_token: string };
    expect(await bound.introspect(api, token)).toMatchObject({
      active: true,
      token_type: 'DPoP',
      cnf: { jkt: thumbprint },
    });
    await bound.close();
  });

  it('a token that is bound to a client certificate is reported with its cnf, and as Bearer', async () => {
    const certificate = Buffer.from('a certificate in DER form');
    const bound = await issuingStore(store, { mtls: { certificateOf: () => certificate } });
    expect(await bound.introspect(api, await bound.obtain(shop))).toMatchObject({
      active: true,
      token_type: 'Bearer',
      cnf: { 'x5t#S256': createHash('sha256').update(certificate).digest('base64url') },
    });
    await bound.close();
  });

  it.each<[string, (token: string) => Promise<unknown>]>([
    ['expired', async () => issuer.clock.advance(3_600_000)],
    ['revoked', async (token) => issuer.revoke(shop, token)],
    ['of a revoked access key', async () => revoke(store, 'ack_shop')],
  ])('I08 a token that is %s is not active, without further details', async (_what, end) => {
    const token = await issuer.obtain(shop);
    await end(token);
    expect(await issuer.introspect(api, token)).toEqual(INACTIVE);
  });

  it.each([
    [300_000, true],
    [301_000, false],
  ])('a token of an instance whose clock is %d ms ahead is active: %s', async (ahead, isActive) => {
    const token = await issuer.obtain(shop);
    issuer.clock.setWall(-ahead);
    expect(await issuer.introspect(api, token)).toMatchObject({ active: isActive });
  });

  it('I08 a token of another environment is not active', async () => {
    const sandbox = await issuer.client('ack_sandbox', { environment: 'sandbox' });
    expect(await issuer.introspect(api, await issuer.obtain(sandbox))).toEqual(INACTIVE);
  });

  it('I08 garbage and foreign tokens are not active', async () => {
    const token = await issuer.obtain(shop);
    const key = createKey('ES256', 'foreign');
    const foreign = forge(key, { iss: issuer.url, aud: AUDIENCE, sub: 'ack_shop', client_id: 'ack_shop' });
    const [header, , signature] = token.split('.');
    const [, payload] = foreign.split('.');
    for (const text of ['garbage', 'a.b.c', foreign, `${header}.${payload}.${signature}`, `${token}A`]) {
      expect(await issuer.introspect(api, text)).toEqual(INACTIVE);
    }
  });

  it('I09 a caller without the scope gets 403, one that does not authenticate 401', async () => {
    const token = await issuer.obtain(shop);
    const refused = await issuer.post('/connect/introspect', shop, { token });
    expect([refused.status, refused.body.error]).toEqual([403, 'insufficient_scope']);
    const wrong = await issuer.post('/connect/introspect', { id: api.id, secret: 'wrong' }, { token });
    expect([wrong.status, wrong.body]).toEqual([401, { error: 'invalid_client' }]);
    expect(wrong.headers.get('www-authenticate')).toMatch(/^Basic /);
    const anonymous = await issuer.post('/connect/introspect', undefined, { token });
    expect([anonymous.status, anonymous.body]).toEqual([401, { error: 'invalid_client' }]);
  });

  it('I09 GET is 405; a JSON body and a missing token are invalid_request', async () => {
    const url = `${issuer.url}/connect/introspect`;
    const headers = basic(api.id, api.secret);
    const got = await fetch(url, { headers });
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
    const json = { ...headers, 'content-type': 'application/json' };
    const posted = await fetch(url, { method: 'POST', headers: json, body: '{"token":"x"}' });
    expect([posted.status, await posted.json()]).toMatchObject([400, { error: 'invalid_request' }]);
    const { status, body } = await issuer.post('/connect/introspect', api, {});
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });

  it('I08 responses must not be cached, and events have the caller but not the token', async () => {
    const token = await issuer.obtain(shop);
    events = eavesdrop();
    const { headers } = await issuer.post('/connect/introspect', api, { token });
    await issuer.post('/connect/introspect', shop, { token });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(events.heard<TokenDecision>('keyward:token')).toMatchObject([
      { endpoint: 'introspection', outcome: 'introspected', status: 200, clientId: 'ack_api', authentication: 'basic' },
      { endpoint: 'introspection', outcome: 'refused', status: 403, reason: 'scope_not_held' },
    ]);
  });

  it('I08 is in the metadata only with the option', async () => {
    const metadata = async (url: string) =>
      (await (await fetch(`${url}/.well-known/oauth-authorization-server`)).json()) as Record<string, unknown>;
    const methods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'];
    expect(await metadata(issuer.url)).toMatchObject({
      introspection_endpoint: `${issuer.url}/connect/introspect`,
      introspection_endpoint_auth_methods_supported: methods,
      revocation_endpoint: `${issuer.url}/connect/revocation`,
      revocation_endpoint_auth_methods_supported: methods,
    });
    const plain = await issuingStore(store, { introspection: undefined, revocation: false });
    const names = Object.keys(await metadata(plain.url));
    expect(names.filter((name) => /introspection|revocation/.test(name))).toEqual([]);
    const { status } = await fetch(`${plain.url}/connect/introspect`, { method: 'POST' });
    expect(status).toBe(404);
    await plain.close();
  });

  it('I08 503 while the store gives no answer', async () => {
    const token = await issuer.obtain(shop);
    const failing = {
      resolveAccessKey: (id: string) => {
        if (id === 'ack_shop') throw new Error('away');
        return store.resolveAccessKey(id);
      },
    };
    const signingKeys = memorySigningKeys();
    const other = await issuingStore(store, { accessKeys: failing, revocation: false, signingKeys });
    // A token of the same issuer, whose client cannot be looked up.
    const lonely = await issuingStore(store, { issuer: other.url, signingKeys });
    const { status, headers } = await other.post('/connect/introspect', api, { token: await lonely.obtain(shop) });
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    expect(await other.introspect(api, token)).toEqual(INACTIVE);
    await Promise.all([other.close(), lonely.close()]);
  });
});

describe('the options', () => {
  const given = (options: Partial<IssuerOptions>) => () =>
    createIssuer({
      ...{ issuer: 'https://login.example', audience: AUDIENCE, signingKeys: memorySigningKeys() },
      accessKeys: { resolveAccessKey: () => null },
      ...options,
    });

  it.each<[string, Partial<IssuerOptions>, string]>([
    [
      'I10 revocation without revokeToken',
      { revocation: true },
      'option "accessKeys" must be an object with revokeToken()',
    ],
    [
      'I09 an empty scope',
      { introspection: { scope: '' } },
      'option "introspection": option "scope" must be a non-empty string',
    ],
    ['I09 introspection: true', { introspection: true as never }, 'option "introspection" must be an options object'],
  ])('%s throws', (_what, options, message) => {
    expect(given(options)).toThrow(TypeError);
    expect(given(options)).toThrow(message);
  });
});
