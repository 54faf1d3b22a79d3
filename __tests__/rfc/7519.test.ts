import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accessTokens } from 'keyward';
import { createTestClock } from '../../lib/testing/test-clock.js';
import { R4, T1 } from '../support/answers.js';
import { ACCEPTED, refusal, serveTokenApi, type TokenApi } from '../support/token-api.js';
import {
  AUDIENCE,
  assemble,
  base64url,
  claimsOf,
  createKey,
  forge,
  headerOf,
  ISSUER,
  jwksOf,
  type Members,
  NOW,
  signedBy,
  signInput,
  unsigned,
} from '../support/token-forge.js';

const key = createKey('ES256');
const clock = createTestClock(NOW * 1_000);
const accepting = { issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(key), clock };
const tokens = accessTokens({ ...accepting, clockTolerance: 5 });
const anyJwt = accessTokens({ ...accepting, profile: 'jwt', clockTolerance: 0 });

let api: TokenApi;
let jwtApi: TokenApi;
beforeAll(async () => {
  api = await serveTokenApi([tokens]);
  jwtApi = await serveTokenApi([anyJwt]);
});
afterAll(() => Promise.all([api.close(), jwtApi.close()]));

const MALFORMED = refusal(T1, 'jws_malformed');
const [header = '', payload = '', signature = ''] = forge(key).split('.');

/** A token whose claims are this very text, well signed. */
const withClaims = (text: string | Buffer) => assemble(headerOf(key), text, signedBy(key));
const claimsText = (more: string) => JSON.stringify(claimsOf()).replace('}', `,${more}}`);

describe('RFC 7519 section 4, the claims', () => {
  it.each([
    ['exp', `"exp":${NOW + 7_200}`],
    ['aud', '"aud":"https://other.test"'],
    ['scope, spelt with an escape', '"sc\\u006fpe":"admin"'],
    ['a claim that nobody knows', '"x":1,"x":2'],
  ])('4 names are unique: claims that repeat %s are rejected', async (_name, more) => {
    expect(await api.judge(withClaims(claimsText(more)))).toEqual(MALFORMED);
  });

  it.each<Members>([
    { 'https://example.com/is_root': true },
    { roles: ['owner'], permissions: ['*'], is_admin: true },
    { toString: 'x', hasOwnProperty: 1 },
  ])('4 claims that are not understood are ignored: %j', async (claims) => {
    const principal = JSON.parse((await api.present(forge(key, claims))).body);
    expect(principal).toMatchObject({ kind: 'access', scopes: ['payments'], apis: ['payments'] });
  });

  it.each([`${ISSUER}/`, ISSUER.toUpperCase()])(
    '4.1.1 iss is compared by every character: %j is another',
    async (iss) => {
      expect(await api.judge(forge(key, { iss }))).toEqual(refusal(T1, 'token_iss'));
    },
  );

  it.each([[[ISSUER]], [{ iss: ISSUER }], [null], [1]])('4.1.1 iss is a string: %j is none', async (iss) => {
    expect(await api.judge(forge(key, { iss }))).toEqual(refusal(T1, 'token_iss'));
  });

  it.each([1, {}, [], null, true])('4.1.2 sub is a string: %j is none', async (sub) => {
    expect(await api.judge(forge(key, { sub }))).toEqual(refusal(T1, 'token_sub'));
  });

  it.each([
    ['is another', 'https://other.test'],
    ['are others', ['https://other.test', 'https://third.test']],
    ['is it in another case', AUDIENCE.toUpperCase()],
    ['is part of it', AUDIENCE.slice(0, -1)],
    ['is nobody', []],
  ])('4.1.3 a token is rejected whose audience %s', async (_name, aud) => {
    expect(await api.judge(forge(key, { aud }))).toEqual(refusal(T1, 'token_aud'));
  });

  it.each([[1], [null], [{ 0: AUDIENCE }], [[[AUDIENCE]]], [[AUDIENCE, 1]]])(
    '4.1.3 aud is a string or a list of strings: %j is neither',
    async (aud) => {
      expect(await api.judge(forge(key, { aud }))).toEqual(refusal(T1, 'token_aud'));
    },
  );

  it.each([[AUDIENCE], [['https://other.test', AUDIENCE]]])('4.1.3 aud %j names us', async (aud) => {
    expect(await api.judge(forge(key, { aud }))).toEqual(ACCEPTED);
  });

  it.each([
    ['at it', NOW],
    ['after it', NOW - 1],
    ['a fraction of a second after it', NOW - 0.5],
  ])('4.1.4 a token is not accepted on or after exp: %s', async (_name, exp) => {
    expect(await api.judge(forge(key, { iat: NOW - 60, exp }))).toEqual(refusal(T1, 'expired'));
  });

  it.each([NOW + 0.5, NOW + 1])('4.1.4 a token is accepted before exp: %d', async (exp) => {
    expect(await api.judge(forge(key, { exp }))).toEqual(ACCEPTED);
  });

  it.each(
    [
      ['4.1.4', 'exp'],
      ['4.1.5', 'nbf'],
      ['4.1.6', 'iat'],
    ].flatMap(([section, claim]) =>
      [`${NOW}`, [NOW], { value: NOW }, true, null].map((value) => [section, claim, value] as const),
    ),
  )('%s %s is a number: %j is none', async (_section, claim = '', value) => {
    expect(await api.judge(forge(key, { [claim]: value }))).toEqual(refusal(T1, `token_${claim}`));
  });

  it('4.1.5 a token is not accepted before nbf', async () => {
    expect(await jwtApi.judge(forge(key, { nbf: NOW + 1 }))).toEqual(refusal(T1, 'token_nbf'));
  });

  it('4.1.5 a leeway is small and documented: 5 seconds, and no more', async () => {
    expect(await api.judge(forge(key, { nbf: NOW + 5 }))).toEqual(ACCEPTED);
    expect(await api.judge(forge(key, { nbf: NOW + 6 }))).toEqual(refusal(T1, 'token_nbf'));
  });

  it.each([NOW, NOW - 1])('4.1.5 a token is accepted at nbf and after it: %i', async (nbf) => {
    expect(await jwtApi.judge(forge(key, { nbf }))).toEqual(ACCEPTED);
  });

  it.each([1, {}, [], null])('4.1.7 jti is a string: %j is none', async (jti) => {
    expect(await api.judge(forge(key, { jti }))).toEqual(refusal(T1, 'token_jti'));
  });
});

describe('RFC 7519 section 7.2, validation', () => {
  it('7.2 step 1 a text without a period is no JWT', async () => {
    expect(await api.judge(header + payload + signature)).toEqual(refusal(T1, 'unclaimed'));
  });

  it.each(['=', ' ', '\t', '+', '/'])(
    '7.2 step 3 nothing but base64url stands in the header: %j',
    async (character) => {
      const text = `${header.slice(0, 4)}${character}${header.slice(4)}`;
      expect(await api.judge(`${text}.${payload}.${signature}`)).toMatchObject({ handled: false });
    },
  );

  it.each(['{', '[]', 'null', '"at+jwt"', '1', '', '\uFEFF{}'])(
    '7.2 step 4 the header is one JSON object: not %j',
    async (text) => {
      expect(await api.judge(signInput(`${base64url(text)}.${payload}`, signedBy(key)))).toEqual(MALFORMED);
    },
  );

  it.each<Members>([{ crit: ['x'], x: 1 }, { b64: false }, { zip: 'DEF' }])(
    '7.2 step 5 the header has only what is understood, or may be ignored: not %j',
    async (members) => {
      expect(await api.judge(forge(key, {}, members))).toEqual(refusal(T1, 'token_header_member'));
    },
  );

  it('7.2 step 6 a JWE is distinguished from a JWS, and is rejected', async () => {
    const jwe = `${base64url({ alg: 'dir', enc: 'A256GCM', typ: 'at+jwt' })}..aXY.Y2lwaGVy.dGFn`;
    expect(await api.judge(jwe)).toEqual(refusal(T1, 'unclaimed'));
  });

  it('7.2 step 7 the steps of RFC 7515 are followed: a signature that does not hold is rejected', async () => {
    expect(await api.judge(assemble(headerOf(key), claimsOf(), unsigned))).toEqual(refusal(T1, 'token_signature'));
  });

  it.each(['JWT', 'jwt', 'application/jwt'])(
    '7.2 step 8 a nested JWT is rejected, not half validated: %j',
    async (cty) => {
      const nested = assemble({ ...headerOf(key), cty }, forge(key), signedBy(key));
      expect(await api.judge(nested)).toEqual(MALFORMED);
      expect(await api.judge(forge(key, {}, { cty }))).toEqual(refusal(T1, 'token_cty'));
    },
  );

  it.each(['=', ' ', '+', '/'])('7.2 step 9 nothing but base64url stands in the claims: %j', async (character) => {
    const text = `${payload.slice(0, 4)}${character}${payload.slice(4)}`;
    expect(await api.judge(signInput(`${header}.${text}`, signedBy(key)))).toMatchObject({ handled: false });
  });

  it.each([
    ['no JSON', '{"iss"'],
    ['a list', '[]'],
    ['null', 'null'],
    ['a text', '"claims"'],
    ['a number', '0'],
    ['bytes that are not UTF-8', Buffer.from(claimsText('"x":"\u00e9"'), 'latin1')],
    ['UTF-8 with a byte-order mark', `\uFEFF${JSON.stringify(claimsOf())}`],
  ])('7.2 step 10 the claims are one JSON object in UTF-8: not %s', async (_name, text) => {
    expect(await api.judge(withClaims(text))).toEqual(MALFORMED);
  });

  it.each([
    ['no part', '..'],
    ['no header', `.${payload}.${signature}`],
    ['no claims', `${header}..${signature}`],
    ['no signature', `${header}.${payload}.`],
  ])('7.2 a JWT that fails a step is rejected as invalid input: %s', async (_name, token) => {
    expect(await api.judge(token)).toEqual(MALFORMED);
  });

  it('7.2 what could not be a credential at all is a malformed request', async () => {
    expect(await api.judge(`${header}.${payload}.${signature}, x`)).toEqual(refusal(R4, 'malformed'));
  });

  it('7.2 an algorithm that is not acceptable is rejected', async () => {
    const mac = assemble({ ...headerOf(key), alg: 'HS256' }, claimsOf(), unsigned);
    expect(await api.judge(mac)).toEqual(refusal(T1, 'token_alg'));
  });
});
