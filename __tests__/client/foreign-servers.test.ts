import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import {
  calculateJwkThumbprint,
  decodeJwt,
  EmbeddedJWK,
  exportJWK,
  exportPKCS8,
  generateKeyPair,
  jwtVerify,
} from 'jose';
import { accessTokens, bearerErrors, requireApi, requireBearer } from 'keyward';
import { type TokenClientOptions, tokenClient } from 'keyward/client';
import { FOREIGN_CLIENT, startForeignIssuer } from '../support/foreign-issuer.js';
import { serve } from '../support/raw-http.js';
import { type SeenRequest, scriptedServer } from '../support/scripted-server.js';
import { AUDIENCE, ID, SECRET, tokenService } from '../support/token-service.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function foreignIssuer(client: object = {}) {
  const issuer = await startForeignIssuer(AUDIENCE, client);
  closing.push(() => issuer.close());
  return issuer;
}

describe('tokenClient with the issuer and the gate of keyward', () => {
  it('calls a guarded route', async () => {
    const app = express();
    const served = await serve(app);
    closing.push(() => served.close());
    const url = `http://127.0.0.1:${served.port}`;
    const service = await tokenService();
    closing.push(() => service.close());
    const tokens = accessTokens({ issuer: service.url, audience: AUDIENCE, clock: service.clock });
    app.use(requireBearer({ accept: [tokens] }), requireApi('payments'));
    app.get('/payments', (_req, res) => void res.json({ paid: true }));
    app.use(bearerErrors());
    const client = tokenClient({ issuer: service.url, clientId: ID, clientSecret: SECRET, clock: service.clock });
    const response = await client.fetch(`${url}/payments`);
    expect([response.status, await response.json()]).toEqual([200, { paid: true }]);
  });
});

describe('tokenClient with oidc-provider', () => {
  const common = { clientId: FOREIGN_CLIENT.id, scopes: ['payments'] };

  it('authenticates with a secret', async () => {
    const issuer = await foreignIssuer();
    const client = tokenClient({ ...common, issuer: issuer.url, clientSecret: FOREIGN_CLIENT.secret });
    expect(decodeJwt(await client.accessToken())).toMatchObject({ iss: issuer.url, scope: 'payments' });
  });

  it.each([
    ['RS256', 'JWK'],
    ['ES256', 'PEM'],
    ['EdDSA', 'KeyObject'],
  ])('authenticates with private_key_jwt by %s, the key as a %s (RFC 7523)', async (alg, form) => {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg, use: 'sig' };
    const issuer = await foreignIssuer({ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } });
    const { createPrivateKey } = await import('node:crypto');
    const pem = await exportPKCS8(privateKey);
    const given: Record<string, TokenClientOptions['privateKey']> = {
      JWK: { ...(await exportJWK(privateKey)), alg },
      PEM: pem,
      KeyObject: createPrivateKey(pem),
    };
    const client = tokenClient({ ...common, issuer: issuer.url, privateKey: given[form], keyId: 'one' });
    expect(decodeJwt(await client.accessToken())).toMatchObject({ client_id: FOREIGN_CLIENT.id });
  });

  it('I21 binds tokens by DPoP, with a nonce at the issuer and one at the resource, each retried once', async () => {
    const issuer = await foreignIssuer();
    const proofs: SeenRequest[] = [];
    const api = await scriptedServer(async (request) => {
      proofs.push(request);
      const { payload } = await jwtVerify(String(request.headers.dpop), EmbeddedJWK, { typ: 'dpop+jwt' });
      if (payload.nonce === 'nonce-1') return { body: { paid: true } };
      return { status: 401, headers: { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'nonce-1' } };
    });
    closing.push(() => api.close());
    const client = tokenClient({ ...common, issuer: issuer.url, clientSecret: FOREIGN_CLIENT.secret, dpop: true });
    const response = await client.fetch(`${api.origin}/payments?page=1#top`, { method: 'POST', body: 'x' });
    expect(response.status).toBe(200);
    expect(proofs.map(({ body }) => body)).toEqual(['x', 'x']);

    const [, { headers }] = proofs as [SeenRequest, SeenRequest];
    const token = headers.authorization?.slice('DPoP '.length) ?? '';
    const { payload, protectedHeader } = await jwtVerify(String(headers.dpop), EmbeddedJWK);
    expect(payload).toMatchObject({
      htm: 'POST',
      htu: `${api.origin}/payments`,
      ath: createHash('sha256').update(token).digest('base64url'),
      nonce: 'nonce-1',
    });
    const thumbprint = await calculateJwkThumbprint(protectedHeader.jwk ?? {});
    expect(decodeJwt(token)).toMatchObject({ cnf: { jkt: thumbprint } });
    expect(Object.keys(protectedHeader.jwk ?? {}).sort()).toEqual(['crv', 'kty', 'x', 'y']);

    await client.fetch(`${api.origin}/payments`);
    expect(proofs).toHaveLength(3);
  });

  it('I21 rejects a Bearer token where it asked for a bound one', async () => {
    const issuer = await scriptedServer(() => ({ body: { access_token: 'a', token_type: 'Bearer' } }));
    closing.push(() => issuer.close());
    const endpoint = { tokenEndpoint: `${issuer.origin}/token`, clientSecret: 'secret', dpop: true };
    const client = tokenClient({ ...common, ...endpoint });
    await expect(client.accessToken()).rejects.toMatchObject({ code: 'dpop_not_supported' });
  });

  it('rejects a bound token where it asked for a Bearer token, and names the option', async () => {
    const issuer = await scriptedServer(() => ({ body: { access_token: 'a', token_type: 'DPoP' } }));
    closing.push(() => issuer.close());
    const client = tokenClient({ ...common, tokenEndpoint: `${issuer.origin}/token`, clientSecret: 'secret' });
    const message = expect.stringContaining('the option "dpop" of tokenClient is not true');
    await expect(client.accessToken()).rejects.toMatchObject({ code: 'invalid_token_response', message });
  });
});
