import { createPublicKey } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import type { AccessKeyRecord } from 'keyward';
import {
  ASSERTION_TYPE,
  type AssertionTraits,
  assertionBody,
  type ClientKeyPair,
  clientKeyPair,
  signAssertion,
} from '../support/client-assertion.js';
import { eavesdrop } from '../support/eavesdrop.js';
import { START } from '../support/manual-clock.js';
import {
  basic,
  digestOf,
  GRANT,
  ID,
  record,
  SECRET,
  type TokenService,
  tokenService,
} from '../support/token-service.js';
import { modulusOf, rsaJwk } from '../support/weak-keys.js';

const NOW = START / 1_000;
const NO_LIMITS = { limits: { perClient: 1, perAddress: 1 } };
const REPLAY_OF_ALL = { firstUse: () => false };

let service: TokenService;
let pairs: ReadonlyMap<string, ClientKeyPair>;
const pair = (alg: string) => pairs.get(alg) as ClientKeyPair;
const events = eavesdrop();

beforeAll(async () => {
  const algs = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'];
  pairs = new Map(await Promise.all(algs.map(async (alg) => [alg, await clientKeyPair(alg)] as const)));
  service = await tokenService(NO_LIMITS);
});
afterAll(() => {
  events.stop();
  return service.close();
});
beforeEach(() => {
  events.clear();
  service.table.set(ID, record({ publicKeys: [pair('ES256').publicJwk] }));
});

/** What the endpoint answers, and the reason that the operator hears. */
async function answerTo(body: string, headers: Record<string, string> = {}) {
  const response = await service.post(body, headers);
  const { error } = (await response.json()) as { error?: string };
  const [event] = events.heard<{ reason?: string; authentication?: string }>('keyward:token').slice(-1);
  return { status: response.status, error, reason: event?.reason, challenge: response.headers.get('www-authenticate') };
}

const signed = (traits: AssertionTraits = {}, by = pair('ES256')) => signAssertion(by, service.url, traits);
const ISSUED = { status: 200, error: undefined, reason: undefined, challenge: null };
/** `tC`; without a challenge, since there was no Authorization header. */
const invalidClient = (reason: string) => ({ status: 401, error: 'invalid_client', reason, challenge: null });
const invalidRequest = (reason: string) => ({ status: 400, error: 'invalid_request', reason, challenge: null });

describe('a valid assertion', () => {
  it.each(['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'])('I13 is accepted by %s', async (alg) => {
    service.table.set(ID, record({ publicKeys: [pair(alg).publicJwk] }));
    const response = await service.post(assertionBody(await signed({}, pair(alg))));
    const { access_token } = (await response.json()) as { access_token: string };
    expect([response.status, decodeJwt(access_token).sub]).toEqual([200, ID]);
    expect(events.heard('keyward:token')).toMatchObject([{ outcome: 'issued', authentication: 'assertion' }]);
  });

  it.each([
    ['the issuer', (url: string): unknown => url],
    ['the token endpoint', (url: string) => `${url}/connect/token`],
    ['a list of both', (url: string) => [url, `${url}/connect/token`]],
  ])('I13 may name as its audience %s', async (_what, aud) => {
    expect(await answerTo(assertionBody(await signed({ claims: { aud: aud(service.url) } })))).toEqual(ISSUED);
  });

  it.each(['JWT', 'jwt', 'application/jwt', 'client-authentication+jwt', undefined])(
    'I13 may have the typ %s',
    async (typ) => {
      expect(await answerTo(assertionBody(await signed({ header: { typ } })))).toEqual(ISSUED);
    },
  );

  it('I13 is accepted from a client without a secret', async () => {
    service.table.set(ID, record({ secrets: [], publicKeys: [pair('ES256').publicJwk] }));
    expect(await answerTo(assertionBody(await signed(), { client_id: ID }))).toEqual(ISSUED);
  });

  it.each([
    ['an exp 300 s ahead', { exp: NOW + 300 }],
    ['nbf and iat 5 s ahead', { nbf: NOW + 5, iat: NOW + 5 }],
    ['no iat', { iat: undefined }],
    ['a jti of 256 characters', { jti: 'j'.repeat(256) }],
  ])('I14 may have %s', async (_what, claims) => {
    expect(await answerTo(assertionBody(await signed({ claims })))).toEqual(ISSUED);
  });

  it('without a kid is recorded as a use of the public key that verified it', async () => {
    const used: string[] = [];
    const accessKeys = {
      resolveAccessKey: () => record({ publicKeys: [pair('ES256').publicJwk] }) as AccessKeyRecord,
      recordUse: (digest: string) => void used.push(digest),
    };
    const recording = await tokenService({ accessKeys });
    const assertion = await signAssertion(pair('ES256'), recording.url, { header: { kid: undefined } });
    expect((await recording.post(assertionBody(assertion))).status).toBe(200);
    expect(used).toEqual([digestOf(`${ID} ${pair('ES256').publicJwk.kid}`)]);
    await recording.close();
  });

  it('is accepted from a network whose secrets have failed too often', async () => {
    await service.post(GRANT, basic(ID, 'wrong'));
    expect((await answerTo(GRANT, basic(ID, SECRET))).status).toBe(429);
    expect(await answerTo(assertionBody(await signed()))).toEqual(ISSUED);
  });
});

describe('an invalid assertion', () => {
  it.each([
    ['aud elsewhere', 'assertion_aud', { aud: 'https://elsewhere.example' }],
    ['no aud', 'assertion_aud', { aud: undefined }],
    ['an empty aud', 'assertion_aud', { aud: [] }],
    ['iss that is not sub', 'assertion_client', { iss: 'ack_other' }],
    ['no sub', 'assertion_client', { sub: undefined }],
    ['sub with a control character', 'assertion_client', { iss: 'a\u0000', sub: 'a\u0000' }],
    ['sub of 257 characters', 'assertion_client', { iss: 'a'.repeat(257), sub: 'a'.repeat(257) }],
    ['exp past', 'assertion_expired', { exp: NOW }],
    ['exp more than 5 min ahead', 'assertion_lifetime', { exp: NOW + 301 }],
    ['no exp', 'assertion_exp', { exp: undefined }],
    ['exp as a text', 'assertion_exp', { exp: String(NOW + 60) }],
    ['nbf ahead', 'assertion_not_yet', { nbf: NOW + 6 }],
    ['iat ahead', 'assertion_not_yet', { iat: NOW + 6 }],
    ['no jti', 'assertion_jti', { jti: undefined }],
    ['an empty jti', 'assertion_jti', { jti: '' }],
    ['a jti of 257 characters', 'assertion_jti', { jti: 'j'.repeat(257) }],
  ])('I14 %s: invalid_client, and no lookup', async (_what, reason, claims) => {
    const lookups = service.lookups;
    expect(await answerTo(assertionBody(await signed({ claims })))).toEqual(invalidClient(reason));
    expect(service.lookups).toBe(lookups);
  });

  it('I14 aud with another server: invalid_client, because that server could replay it', async () => {
    const aud = [service.url, 'https://elsewhere.example'];
    expect(await answerTo(assertionBody(await signed({ claims: { aud } })))).toEqual(invalidClient('assertion_aud'));
  });

  it.each([
    ['typ of an access token', 'assertion_typ', { typ: 'at+jwt' }],
    ['typ of a DPoP proof', 'assertion_typ', { typ: 'dpop+jwt' }],
    ['an embedded key', 'assertion_header_member', { jwk: {} }],
    ['a kid that is no text', 'assertion_kid', { kid: 1 }],
    ['an unknown kid', 'assertion_key', { kid: 'other' }],
  ])('I15 %s: invalid_client', async (_what, reason, header) => {
    expect(await answerTo(assertionBody(await signed({ header })))).toEqual(invalidClient(reason));
  });

  it('I15 alg none: invalid_client', async () => {
    const [, payload] = (await signed()).split('.');
    const header = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
    expect(await answerTo(assertionBody(`${header}.${payload}.AA`))).toEqual(invalidClient('assertion_alg'));
  });

  it('I15 HS256 with the public key as its secret: invalid_client', async () => {
    const { publicJwk } = pair('ES256');
    const pem = createPublicKey({ key: publicJwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    const { SignJWT } = await import('jose');
    const claims = decodeJwt(await signed());
    const forged = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: publicJwk.kid })
      .sign(Buffer.from(pem));
    expect(await answerTo(assertionBody(forged))).toEqual(invalidClient('assertion_alg'));
  });

  it('I15 signed by another key: invalid_client', async () => {
    const stranger = await clientKeyPair('ES256');
    const forged = await signed({ header: { kid: pair('ES256').publicJwk.kid } }, stranger);
    expect(await answerTo(assertionBody(forged))).toEqual(invalidClient('assertion_signature'));
  });

  it('I15 with an algorithm of another type than the key: invalid_client', async () => {
    const forged = await signed({ header: { kid: pair('ES256').publicJwk.kid } }, pair('RS256'));
    expect(await answerTo(assertionBody(forged))).toEqual(invalidClient('assertion_key'));
  });

  it('I15 without a kid is tried with at most two keys of its algorithm', async () => {
    const [first, second, third] = await Promise.all([1, 2, 3].map(() => clientKeyPair('ES256')));
    const { publicJwk: other } = pair('RS256');
    const keys = [first, second].map((one) => (one as ClientKeyPair).publicJwk);
    service.table.set(ID, record({ publicKeys: [other, ...keys] }));
    for (const one of [first, second]) {
      const assertion = await signed({ header: { kid: undefined } }, one);
      expect(await answerTo(assertionBody(assertion))).toEqual(ISSUED);
    }
    const ofStranger = await signed({ header: { kid: undefined } }, third);
    expect(await answerTo(assertionBody(ofStranger))).toEqual(invalidClient('assertion_signature'));
    service.table.set(ID, record({ publicKeys: [...keys, (third as ClientKeyPair).publicJwk] }));
    const ambiguous = await signed({ header: { kid: undefined } }, first);
    expect(await answerTo(assertionBody(ambiguous))).toEqual(invalidClient('assertion_key'));
  });

  it.each(['crit', 'b64', 'zip', 'jku', 'x5u', 'jwk', 'x5c'])(
    'with %s in its header is refused before its signature is verified',
    async (member) => {
      const [header = '', ...others] = (await signed()).split('.');
      const members = { ...JSON.parse(Buffer.from(header, 'base64url').toString()), [member]: [] };
      const text = [Buffer.from(JSON.stringify(members)).toString('base64url'), ...others].join('.');
      expect(await answerTo(assertionBody(text))).toEqual(invalidClient('assertion_header_member'));
    },
  );

  it.each([
    ['a kid with a control character', 'assertion_kid', { header: { kid: 'a\u0000' } }],
    ['a kid of 257 characters', 'assertion_kid', { header: { kid: 'k'.repeat(257) } }],
    ['an empty kid', 'assertion_kid', { header: { kid: '' } }],
    ['exp before 1970', 'assertion_exp', { claims: { exp: -1 } }],
    ['exp in milliseconds', 'assertion_exp', { claims: { exp: START + 60_000 } }],
    ['iat before 1970', 'assertion_not_yet', { claims: { iat: -1 } }],
    ['nbf as a text', 'assertion_not_yet', { claims: { nbf: String(NOW) } }],
    ['nbf in milliseconds', 'assertion_not_yet', { claims: { nbf: START } }],
    ['aud that is no text', 'assertion_aud', { claims: { aud: [7] } }],
    ['jti that is no text', 'assertion_jti', { claims: { jti: 7 } }],
  ])('with %s is refused', async (_what, reason, traits) => {
    expect(await answerTo(assertionBody(await signed(traits)))).toEqual(invalidClient(reason));
  });

  it.each([
    ['over 4,096 bits', rsaJwk(modulusOf(4_097), 'AQAB', 'slow')],
    ['an exponent over 65537', rsaJwk(modulusOf(2_048), 'AQAD', 'slow')],
  ])('is not verified with a slow RSA key, of %s', async (_what, slow) => {
    service.table.set(ID, record({ publicKeys: [slow as never] }));
    const text = await signed({ header: { kid: 'slow' } }, pair('RS256'));
    expect(await answerTo(assertionBody(text))).toEqual(invalidClient('assertion_key'));
  });

  it('is verified with an RSA key of 4,096 bits', async () => {
    service.table.set(ID, record({ publicKeys: [rsaJwk(modulusOf(4_096), 'AQAB', 'long') as never] }));
    const text = await signed({ header: { kid: 'long' } }, pair('RS256'));
    expect(await answerTo(assertionBody(text))).toEqual(invalidClient('assertion_signature'));
  });

  it('is refused after the public key with its kid was replaced', async () => {
    expect(await answerTo(assertionBody(await signed()))).toEqual(ISSUED);
    const { publicJwk } = await clientKeyPair('ES256');
    const { kid } = pair('ES256').publicJwk;
    service.table.set(ID, record({ publicKeys: [{ ...publicJwk, kid }] }));
    expect(await answerTo(assertionBody(await signed()))).toEqual(invalidClient('assertion_signature'));
  });

  it.each([
    ['padded', (text: string) => `${text}=`],
    ['with a fourth part', (text: string) => `${text}.AA`],
    ['no JWT', () => 'assertion'],
  ])('I15 whose text is %s: invalid_client', async (_what, change) => {
    expect(await answerTo(assertionBody(change(await signed())))).toEqual(invalidClient('assertion_malformed'));
  });

  it.each([
    ['an unknown client', undefined, 'unknown'],
    ['a client without public keys', {}, 'assertion_key'],
    ['a revoked client', { revokedAt: new Date(0) }, 'revoked'],
    ['a disabled client', { disabled: true }, 'disabled'],
    ['a client at another address', { allowedAddresses: ['203.0.113.7'] }, 'address_not_allowed'],
  ])('of %s: invalid_client', async (_what, traits, reason) => {
    const publicKeys = reason === 'assertion_key' ? [] : [pair('ES256').publicJwk];
    service.table.set(ID, traits && record({ publicKeys, ...traits }));
    expect(await answerTo(assertionBody(await signed()))).toEqual(invalidClient(reason));
  });

  it('without a kid, of a client without public keys: invalid_client', async () => {
    service.table.set(ID, record({ publicKeys: [] }));
    const text = await signed({ header: { kid: undefined } });
    expect(await answerTo(assertionBody(text))).toEqual(invalidClient('assertion_key'));
  });

  it('is not counted as a guess', async () => {
    const quiet = await tokenService(NO_LIMITS);
    quiet.table.clear();
    for (let count = 0; count < 5; count += 1) {
      const assertion = await signAssertion(pair('ES256'), quiet.url);
      expect((await quiet.post(assertionBody(assertion))).status).toBe(401);
    }
    await quiet.close();
  });

  it('I18 fails once the public key is removed', async () => {
    expect(await answerTo(assertionBody(await signed()))).toEqual(ISSUED);
    service.table.set(ID, record({ publicKeys: [pair('RS256').publicJwk] }));
    expect(await answerTo(assertionBody(await signed()))).toEqual(invalidClient('assertion_key'));
  });
});

describe('a replayed assertion', () => {
  it('I14 is accepted once', async () => {
    const body = assertionBody(await signed());
    expect(await answerTo(body)).toEqual(ISSUED);
    expect(await answerTo(body)).toEqual(invalidClient('assertion_replayed'));
  });

  it('is not recorded as a use of the public key', async () => {
    const used: string[] = [];
    const accessKeys = {
      resolveAccessKey: () => record({ publicKeys: [pair('ES256').publicJwk] }) as AccessKeyRecord,
      recordUse: (digest: string) => void used.push(digest),
    };
    const recording = await tokenService({ accessKeys });
    const body = assertionBody(await signAssertion(pair('ES256'), recording.url));
    expect((await recording.post(body)).status).toBe(200);
    expect(used).toHaveLength(1);
    expect((await recording.post(body)).status).toBe(401);
    expect(used).toHaveLength(1);
    await recording.close();
  });

  it('I14 is accepted once in 50 concurrent requests', async () => {
    const body = assertionBody(await signed());
    const statuses = await Promise.all(Array.from({ length: 50 }, async () => (await service.post(body)).status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(49);
  });

  it('I14 applies to each client separately: two may use the same jti', async () => {
    const other = 'ack_other';
    service.table.set(other, record({ id: other, publicKeys: [pair('ES256').publicJwk] }));
    const claims = { jti: 'same' };
    expect(await answerTo(assertionBody(await signed({ claims })))).toEqual(ISSUED);
    expect(await answerTo(assertionBody(await signed({ claims: { ...claims, iss: other, sub: other } })))).toEqual(
      ISSUED,
    );
  });

  it('I14 an invalid assertion does not use up its jti', async () => {
    const stranger = await clientKeyPair('ES256');
    const [claims, header] = [{ jti: 'victim' }, { kid: pair('ES256').publicJwk.kid }];
    expect((await answerTo(assertionBody(await signed({ claims, header }, stranger)))).status).toBe(401);
    expect(await answerTo(assertionBody(await signed({ claims })))).toEqual(ISSUED);
  });

  it.each([
    [
      'throws',
      {
        firstUse: () => {
          throw new Error('away');
        },
      },
    ],
    ['rejects', { firstUse: () => Promise.reject(new Error('away')) }],
    ['gives no boolean', { firstUse: () => 1 as never }],
  ])('is unavailable if the replay cache %s', async (_what, replay) => {
    const without = await tokenService({ replay });
    without.table.set(ID, record({ publicKeys: [pair('ES256').publicJwk] }));
    const response = await without.post(assertionBody(await signAssertion(pair('ES256'), without.url)));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(events.heard('keyward:token')).toMatchObject([{ outcome: 'unavailable', reason: 'replay_cache' }]);
    await without.close();
  });

  it('is remembered for ten minutes, whatever the clock of the instance says', async () => {
    const seconds: number[] = [];
    const replay = { firstUse: (_id: string, lifetime: number) => seconds.push(lifetime) > 0 };
    const noting = await tokenService({ replay });
    noting.table.set(ID, record({ publicKeys: [pair('ES256').publicJwk] }));
    for (const ahead of [0, 59_000, -59_000]) {
      noting.clock.setWall(ahead);
      expect((await noting.post(assertionBody(await signAssertion(pair('ES256'), noting.url)))).status).toBe(200);
    }
    await noting.close();
    expect(seconds).toEqual([600, 600, 600]);
  });

  it('uses the replay cache of the access keys, or the one of the options', async () => {
    const ids: string[] = [];
    const noted = { firstUse: (id: string, seconds: number) => ids.push(`${id} ${seconds}`) > 0 };
    const own = await tokenService({
      accessKeys: { resolveAccessKey: () => record({ publicKeys: [pair('ES256').publicJwk] }), ...noted } as never,
    });
    const given = await tokenService({
      replay: REPLAY_OF_ALL,
      accessKeys: { resolveAccessKey: () => record({ publicKeys: [pair('ES256').publicJwk] }), ...noted } as never,
    });
    expect((await own.post(assertionBody(await signAssertion(pair('ES256'), own.url)))).status).toBe(200);
    expect((await given.post(assertionBody(await signAssertion(pair('ES256'), given.url)))).status).toBe(401);
    expect(ids).toEqual([expect.stringMatching(/^[\w-]{43}\.[\w-]{43} 600$/)]);
    await Promise.all([own.close(), given.close()]);
  });
});

describe('the parameters', () => {
  it.each([
    ['assertion and secret in the body', 'assertion_and_secret', { client_id: ID, client_secret: SECRET }, {}],
    ['assertion and secret in the header', 'assertion_and_secret', {}, basic(ID, SECRET)],
    [
      'the wrong type',
      'assertion_type',
      { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' },
      {},
    ],
    ['client_id differs', 'assertion_of_another_client', { client_id: 'ack_other' }, {}],
  ])('I16 %s: invalid_request', async (_what, reason, others, headers) => {
    expect(await answerTo(assertionBody(await signed(), others), headers)).toEqual(invalidRequest(reason));
  });

  it('I16 two assertions: invalid_request', async () => {
    const body = `${assertionBody(await signed())}&client_assertion=${await signed()}`;
    expect(await answerTo(body)).toEqual(invalidRequest('parameters'));
  });

  it.each([
    ['no type', 'client_assertion=a'],
    ['no assertion', `client_assertion_type=${encodeURIComponent(ASSERTION_TYPE)}`],
  ])('I16 %s: invalid_request', async (_what, parameters) => {
    expect(await answerTo(`${GRANT}&${parameters}`)).toEqual(invalidRequest('assertion_type'));
  });

  it('refuses assertions if private_key_jwt is not allowed, and omits it in the metadata', async () => {
    const secretsOnly = await tokenService({ clientAuthentication: ['client_secret_basic'] });
    const response = await secretsOnly.post(assertionBody(await signAssertion(pair('ES256'), secretsOnly.url)));
    const metadata = await (await fetch(`${secretsOnly.url}/.well-known/oauth-authorization-server`)).json();
    expect([response.status, await response.json()]).toEqual([401, { error: 'invalid_client' }]);
    expect(events.heard('keyward:token')).toMatchObject([{ outcome: 'refused', reason: 'assertion_not_taken' }]);
    expect(metadata).toMatchObject({ token_endpoint_auth_methods_supported: ['client_secret_basic'] });
    expect(metadata).not.toHaveProperty('token_endpoint_auth_signing_alg_values_supported');
    await secretsOnly.close();
  });
});
