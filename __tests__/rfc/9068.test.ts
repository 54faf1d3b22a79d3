import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accessTokens, requireBearer } from 'keyward';
import { createTestClock } from '../../lib/testing/test-clock.js';
import { T1 } from '../support/answers.js';
import { getRaw, serve } from '../support/raw-http.js';
import { ACCEPTED, refusal, serveTokenApi, type TokenApi } from '../support/token-api.js';
import {
  AUDIENCE,
  assemble,
  claimsOf,
  createKey,
  forge,
  headerOf,
  ISSUER,
  jwkOf,
  jwksOf,
  type Members,
  NOW,
  signedBy,
  unsigned,
} from '../support/token-forge.js';

const key = createKey('RS256');
const stranger = createKey('RS256', key.kid);
const clock = createTestClock(NOW * 1_000);
const tokens = accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(key), clock });

let api: TokenApi;
beforeAll(async () => {
  api = await serveTokenApi([tokens]);
});
afterAll(() => api.close());

describe('RFC 9068 section 2, what a JWT access token says', () => {
  it('2.1 a token is signed: one without a signature is refused', async () => {
    const [header, payload] = forge(key).split('.');
    expect(await api.judge(`${header}.${payload}.`)).toEqual(refusal(T1, 'jws_malformed'));
  });

  it.each(['none', 'None', 'NONE'])('2.1 the algorithm is not "none": %j', async (alg) => {
    expect(await api.judge(assemble({ ...headerOf(key), alg }, claimsOf(), unsigned))).toEqual(
      refusal(T1, 'token_alg'),
    );
  });

  it('2.1 a resource server supports RS256, without an option', async () => {
    expect(await api.judge(forge(key))).toEqual(ACCEPTED);
  });

  it('2.1 the header names the media type: a token without typ is refused', async () => {
    expect(await api.judge(forge(key, {}, { typ: undefined }))).toEqual(refusal(T1, 'token_typ'));
  });

  it.each(['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'])('2.2 %s is required', async (claim) => {
    expect(await api.judge(forge(key, { [claim]: undefined }))).toEqual(refusal(T1, `token_${claim}`));
  });

  it.each([
    ['auth_time, acr and amr (2.2.1)', { auth_time: NOW - 60, acr: 'urn:acr:gold', amr: ['pwd', 'otp'] }],
    ['identity claims (2.2.2)', { email: 'jo@example.com', name: 'Jo' }],
    ['roles, groups and entitlements (2.2.3.1)', { roles: ['owner'], groups: ['g'], entitlements: ['e'] }],
  ])('2.2 optional claims do not stand in the way, and grant nothing: %s', async (_name, claims) => {
    const principal = JSON.parse((await api.present(forge(key, { ...claims, scope: undefined }))).body);
    expect(principal).toMatchObject({ scopes: [], apis: [], payload: claims });
  });

  it('2.2.3 scope is one text of scope-tokens, a space apart', async () => {
    const principal = JSON.parse((await api.present(forge(key, { scope: 'payments:refund disputes' }))).body);
    expect(principal).toMatchObject({ scopes: ['payments:refund', 'disputes'], apis: ['payments', 'disputes'] });
  });
});

describe('RFC 9068 section 4, validation', () => {
  it.each(['at+jwt', 'application/at+jwt', 'AT+JWT', 'Application/AT+JWT'])('4 typ %j is accepted', async (typ) => {
    expect(await api.judge(forge(key, {}, { typ }))).toEqual(ACCEPTED);
  });

  it.each([
    ...['JWT', 'jwt', '', 'id_token', 'logout+jwt', 'secevent+jwt', 'at+jwt ', 'text/at+jwt'],
    ...['application/application/at+jwt', ['at+jwt'], null, 1],
  ])('4 a token that carries any other typ is rejected: %j', async (typ) => {
    expect(await api.judge(forge(key, {}, { typ }))).toEqual(refusal(T1, 'token_typ'));
  });

  it('4 encryption was never negotiated: an encrypted token is rejected', async () => {
    const encrypted = assemble({ alg: 'dir', enc: 'A128GCM', typ: 'at+jwt' }, '', unsigned).split('.');
    expect(await api.judge([encrypted[0], '', 'aXY', 'Y2lwaGVy', 'dGFn'].join('.'))).toEqual(refusal(T1, 'unclaimed'));
  });

  it.each([`${ISSUER}/`, 'https://ISSUER.test', 'http://issuer.test', `${ISSUER}.evil`, 'https://issuer.tes'])(
    '4 iss is the issuer exactly: %j is not',
    async (iss) => {
      expect(await api.judge(forge(key, { iss }))).toEqual(refusal(T1, 'token_iss'));
    },
  );

  it.each([
    ['a text', AUDIENCE],
    ['a list of one', [AUDIENCE]],
    ['a list with others', ['https://other.test', AUDIENCE]],
  ])('4 aud names this resource: %s', async (_name, aud) => {
    expect(await api.judge(forge(key, { aud }))).toEqual(ACCEPTED);
  });

  it('4 the signature is validated', async () => {
    expect(await api.judge(assemble(headerOf(key), claimsOf(), signedBy(stranger)))).toEqual(
      refusal(T1, 'token_signature'),
    );
  });

  it('4 the signature is validated by the algorithm that alg names', async () => {
    const withoutAlg = { keys: [jwkOf(key, { alg: undefined })] };
    const any = accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: withoutAlg, clock });
    const other = await serveTokenApi([any]);
    try {
      const mislabelled = assemble({ ...headerOf(key), alg: 'RS512' }, claimsOf(), signedBy(key, 'RS256'));
      expect(await other.judge(mislabelled)).toEqual(refusal(T1, 'token_signature'));
    } finally {
      await other.close();
    }
  });

  it.each<Members>([{ jwk: jwkOf(stranger) }, { jku: 'https://evil.test/jwks' }, { x5u: 'https://evil.test/x' }])(
    '4 the keys are those of the authorization server, never those that a token names: %j',
    async (members) => {
      const own = { ...stranger, kid: 'own' };
      expect(await api.judge(forge(own, {}, members))).toEqual(refusal(T1, 'token_header_member'));
    },
  );

  it.each([NOW, NOW - 1])('4 the time is before exp: at %i it is not', async (exp) => {
    expect(await api.judge(forge(key, { iat: NOW - 3_600, exp }))).toEqual(refusal(T1, 'expired'));
  });

  it('4 the time is before exp: a second before, it is', async () => {
    expect(await api.judge(forge(key, { exp: NOW + 1 }))).toEqual(ACCEPTED);
  });

  it.each([
    ['typ', forge(key, {}, { typ: 'JWT' })],
    ['iss', forge(key, { iss: 'https://other.test' })],
    ['aud', forge(key, { aud: 'https://other.test' })],
    ['signature', assemble(headerOf(key), claimsOf(), signedBy(stranger))],
    ['alg', assemble({ ...headerOf(key), alg: 'none' }, claimsOf(), unsigned)],
    ['kid', forge({ ...key, kid: 'another' })],
    ['exp', forge(key, { iat: NOW - 3_600, exp: NOW })],
  ])('4 an error says invalid_token as RFC 6750 3.1 has it: %s', async (_name, token) => {
    expect(await api.judge(token)).toMatchObject(T1);
  });

  it('4 the error says so without bearerErrors too', async () => {
    const gate = requireBearer({ accept: [tokens] });
    const { port, close } = await serve((req, res) =>
      gate(req, res, (error) => res.writeHead(error === undefined ? 200 : 401).end()),
    );
    const { headers } = await getRaw(port, [`Authorization: Bearer ${forge(key, { exp: NOW })}`]);
    await close();
    expect(headers['www-authenticate']).toBe(T1.challenge);
  });
});
