import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { accessTokens, introspectedTokens, requireBearer } from 'keyward';
import { tokenClient } from 'keyward/client';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { selfSigned } from '../../lib/testing/self-signed.js';
import { FOREIGN_CLIENT, type ForeignIssuer, startForeignIssuer } from '../support/foreign-issuer.js';
import { type ServedApp, serveApp } from '../support/served-app.js';
import { AUDIENCE } from '../support/token-service.js';

const { id, secret } = FOREIGN_CLIENT;
const INSECURE = { [oauth.allowInsecureRequests]: true };
const SCOPE = { scope: 'payments' };

/** How the API knows the tokens: by their signature, or by asking the issuer. */
describe.each(['JWT', 'opaque'] as const)('tokens of oidc-provider that are bound to their client: %s', (format) => {
  const audience = format === 'JWT' ? AUDIENCE : `${AUDIENCE}/opaque`;
  let issuer: ForeignIssuer;
  /** Of the same tokens, each to one certificate. */
  let certifying: ForeignIssuer;
  let api: ServedApp;
  let url: string;

  beforeAll(async () => {
    [issuer, certifying] = await Promise.all([
      startForeignIssuer(audience),
      startForeignIssuer(audience, { tls_client_certificate_bound_access_tokens: true }),
    ]);
    api = await serveApp((app, handler) => {
      app.get('/dpop', (req, res, next) => byKey(req, res, next), handler);
      app.get('/mtls', (req, res, next) => byCertificate(req, res, next), handler);
    });
    url = `http://127.0.0.1:${api.port}`;
    const dpop = { origin: url, nonce: { secret: 'n'.repeat(32) }, required: true };
    const certificateOf = ({ headers }: { headers: NodeJS.Dict<string | string[]> }) =>
      headers['client-cert'] === undefined ? undefined : Buffer.from(String(headers['client-cert']), 'base64');
    const verifierOf = (named: string, binding: object) =>
      format === 'JWT'
        ? accessTokens({ issuer: named, audience, ...binding })
        : introspectedTokens({ issuer: named, audience, client: { id, secret }, timeout: 60_000, ...binding });
    const byKey = requireBearer({ accept: [verifierOf(issuer.url, { dpop })] });
    const mtls = { certificateOf, required: true };
    const byCertificate = requireBearer({ accept: [verifierOf(certifying.url, { mtls })] });
  });
  afterAll(() => Promise.all([issuer.close(), certifying.close(), api.close()]));

  const ACCEPTED = [200, { kind: 'access', clientId: id, scopes: ['payments'], confirmation: 'dpop' }];

  it('D35 accepts those that openid-client obtains, with the nonces of both', async () => {
    const config = await openid.discovery(new URL(issuer.url), id, secret, undefined, {
      execute: [openid.allowInsecureRequests],
    });
    const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair());
    const { access_token: token } = await openid.clientCredentialsGrant(config, SCOPE, { DPoP });
    const target = new URL(`${url}/dpop`);
    const answer = await openid.fetchProtectedResource(config, token, target, 'GET', undefined, undefined, { DPoP });
    expect([answer.status, await answer.json()]).toMatchObject(ACCEPTED);
  });

  it('D35 accepts those that oauth4webapi obtains, and refuses them with the key of another client', async () => {
    const discovered = await oauth.discoveryRequest(new URL(issuer.url), INSECURE);
    const server = await oauth.processDiscoveryResponse(new URL(issuer.url), discovered);
    const client: oauth.Client = { client_id: id };
    const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
    const other = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
    const { access_token: token } = await withNonce(async () => {
      const authentication = oauth.ClientSecretBasic(secret);
      const parameters = new URLSearchParams(SCOPE);
      const options = { DPoP, ...INSECURE };
      const sent = oauth.clientCredentialsGrantRequest(server, client, authentication, parameters, options);
      return await oauth.processClientCredentialsResponse(server, client, await sent);
    });
    const call = (proof: oauth.DPoPHandle) => {
      const options = { DPoP: proof, ...INSECURE };
      return oauth.protectedResourceRequest(token, 'GET', new URL(`${url}/dpop`), undefined, undefined, options);
    };
    expect((await withNonce(() => call(DPoP))).status).toBe(200);
    await expect(call(other)).rejects.toMatchObject({ status: 401 });
    expect((await api.ask('/dpop', token)).status).toBe(401);
  });

  it('D35 accepts those of tokenClient', async () => {
    const client = tokenClient({
      issuer: issuer.url,
      clientId: id,
      clientSecret: secret,
      scopes: ['payments'],
      dpop: true,
    });
    const answer = await client.fetch(`${url}/dpop`);
    expect([answer.status, await answer.json()]).toMatchObject(ACCEPTED);
  });

  it('accepts those that are bound to a certificate, only with that certificate', async () => {
    const [own, another] = [0, 1].map(() => new X509Certificate(selfSigned('client.test').cert).raw.toString('base64'));
    const token = await certifying.obtainToken('payments', audience, { 'client-cert': `:${own}:` });
    if (format === 'JWT') expect(decodeJwt(token).cnf).toEqual({ 'x5t#S256': expect.stringMatching(/^[\w-]{43}$/) });
    const statuses = [own, another, undefined].map(async (certificate) => {
      const headers = certificate === undefined ? {} : { 'client-cert': certificate };
      return (await api.ask('/mtls', token, { headers })).status;
    });
    expect(await Promise.all(statuses)).toEqual([200, 401, 401]);
  });
});

/** Calls once more if the server asked for a nonce, as its documentation says. */
async function withNonce<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (oauth.isDPoPNonceError(error)) return call();
    throw error;
  }
}
