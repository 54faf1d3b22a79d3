import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { accessTokens, type CredentialVerifier } from 'keyward';
import { PresentedCredential } from '../../lib/http/presented-credential.js';
import { createDpopClient, ORIGIN } from '../support/dpop-client.js';
import { type IssuerServer, serveIssuer } from '../support/issuer-server.js';
import { createManualClock, type ManualClock } from '../support/manual-clock.js';
import { AUDIENCE, createKey, forge, ISSUER, jwkOf, NOW } from '../support/token-forge.js';

const key = createKey('ES256', 'ours');
const client = await createDpopClient(key);

let clock: ManualClock;
let issuer: IssuerServer;
let verifier: CredentialVerifier;
/** What happens while the replay cache is asked. */
let meanwhile: () => unknown;
beforeEach(async () => {
  clock = createManualClock();
  issuer = await serveIssuer(jwkOf(key));
  const firstUse = async () => {
    await meanwhile();
    return true;
  };
  verifier = accessTokens({
    ...{ issuer: ISSUER, audience: AUDIENCE, jwks: issuer.jwksUri, clock },
    dpop: { origin: ORIGIN, replay: { firstUse } },
  });
});
afterEach(() => issuer.close());

const present = (token: string) => {
  const request = { method: 'GET', originalUrl: '/', headers: { dpop: client.proof(token) } };
  return verifier.verify(new PresentedCredential(token, request, undefined, 'DPoP'));
};

it.each<[string, () => unknown, object]>([
  ['nothing happens', () => undefined, { outcome: 'accepted' }],
  ['the last millisecond of the token begins', () => clock.advance(9_999), { outcome: 'accepted' }],
  ['the token expires', () => clock.advance(10_000), { outcome: 'refused', reason: 'expired' }],
])('while the replay cache is asked, %s', async (_name, happens, expected) => {
  meanwhile = happens;
  const token = client.token({ exp: NOW + 10 });
  expect(await present(token)).toMatchObject(expected);
});

it('while the replay cache is asked, the signing key is withdrawn', async () => {
  meanwhile = async () => {
    issuer.publish(jwkOf(createKey('ES256', 'another')));
    clock.advance(600_000);
    await verifier.verify(new PresentedCredential(forge(key)));
  };
  expect(await present(client.token())).toEqual({ outcome: 'refused', reason: 'token_kid' });
});
