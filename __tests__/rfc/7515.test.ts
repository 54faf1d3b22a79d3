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
  jwkOf,
  jwksOf,
  type Members,
  NOW,
  signedBy,
  signInput,
  unsigned,
} from '../support/token-forge.js';

const key = createKey('ES256', 'Key-1');
const stranger = createKey('ES256', 'Key-1');
const clock = createTestClock(NOW * 1_000);
const tokens = accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(key), clock });
const good = forge(key);
const [header = '', payload = '', signature = ''] = good.split('.');

let api: TokenApi;
beforeAll(async () => {
  api = await serveTokenApi([tokens]);
});
afterAll(() => api.close());

const MALFORMED = refusal(T1, 'jws_malformed');
const HEADER_MEMBER = refusal(T1, 'token_header_member');

/** A token whose header is this very text, well signed. */
const withHeader = (text: string | Buffer) => assemble(text, claimsOf(), signedBy(key));
const headerText = (more: string) => JSON.stringify(headerOf(key)).replace('}', `,${more}}`);

describe('RFC 7515 section 4, the header', () => {
  it.each([
    ['alg', '"alg":"ES256"'],
    ['kid, spelt with an escape', '"k\\u0069d":"Key-1"'],
    ['a member that nobody knows', '"x":1,"x":1'],
  ])('4 names are unique: a header that repeats %s is rejected', async (_name, more) => {
    expect(await api.judge(withHeader(headerText(more)))).toEqual(MALFORMED);
  });

  it.each<Members>([
    { x5t: 'dGh1bWI' },
    { 'x5t#S256': 'dGh1bWI' },
    { 'https://example.com/claim': { nested: true } },
    { toString: 'x', constructor: null },
  ])('4 a member that is not understood, and not critical, is ignored: %j', async (members) => {
    expect(await api.judge(forge(key, {}, members))).toEqual(ACCEPTED);
  });

  it('4.1.1 alg is present', async () => {
    expect(await api.judge(forge(key, {}, { alg: undefined }))).toEqual(refusal(T1, 'token_alg'));
  });

  it.each(['es256', 'ES257', '', ['ES256'], { alg: 'ES256' }, null, 1])(
    '4.1.1 alg is understood and processed: %j is no algorithm',
    async (alg) => {
      expect(await api.judge(forge(key, {}, { alg }))).toEqual(refusal(T1, 'token_alg'));
    },
  );

  it('4.1.1 there is a key for the algorithm, of the party that signed', async () => {
    const rs256 = assemble({ ...headerOf(key), alg: 'RS256' }, claimsOf(), unsigned);
    expect(await api.judge(rs256)).toEqual(refusal(T1, 'token_signature'));
  });

  it.each(['key-1', 'KEY-1', 'Key-1 ', 'Key-'])('4.1.4 kid is case-sensitive and whole: %j is another', async (kid) => {
    expect(await api.judge(forge(key, {}, { kid }))).toEqual(refusal(T1, 'token_kid'));
  });

  it.each([1, {}, [], null, true])('4.1.4 kid is a string: %j is none', async (kid) => {
    expect(await api.judge(forge(key, {}, { kid }))).toEqual(refusal(T1, 'token_kid'));
  });

  it.each([
    ['4.1.2 jku', { jku: 'https://issuer.test/jwks' }],
    ['4.1.3 jwk', { jwk: jwkOf(key) }],
    ['4.1.5 x5u', { x5u: 'https://issuer.test/cert' }],
    ['4.1.6 x5c', { x5c: ['MIIB'] }],
  ])('%s names a key of its own: nothing to validate, since the token is rejected', async (_name, members) => {
    expect(await api.judge(forge(key, {}, members))).toEqual(HEADER_MEMBER);
  });

  it.each(['at+jwt', 'application/at+jwt'])('4.1.9 typ without a slash stands for application/: %j', async (typ) => {
    expect(await api.judge(forge(key, {}, { typ }))).toEqual(ACCEPTED);
  });

  it('4.1.9 typ with a slash stands for itself', async () => {
    expect(await api.judge(forge(key, {}, { typ: 'text/at+jwt' }))).toEqual(refusal(T1, 'token_typ'));
  });

  it.each(['JWT', 'jwt', 'application/jwt'])('4.1.10 cty without a slash stands for application/: %j', async (cty) => {
    expect(await api.judge(forge(key, {}, { cty }))).toEqual(refusal(T1, 'token_cty'));
  });

  it.each([['exp'], ['https://example.com/ext'], ['b64'], ['x', 'exp']])(
    '4.1.11 crit is understood: an extension that is not makes the token invalid: %s',
    async (...crit) => {
      const members = Object.fromEntries(crit.map((name) => [name, true]));
      expect(await api.judge(forge(key, {}, { ...members, crit }))).toEqual(HEADER_MEMBER);
    },
  );

  it.each([
    ['names of the specification', ['alg']],
    ['a name twice', ['x', 'x']],
    ['a name that the header does not have', ['absent']],
    ['no name', []],
    ['no list', 'x'],
  ])('4.1.11 crit that no producer may write makes the token invalid: %s', async (_name, crit) => {
    expect(await api.judge(forge(key, {}, { x: 1, crit }))).toEqual(HEADER_MEMBER);
  });
});

describe('RFC 7515 section 5.2, validation', () => {
  it.each([
    ['two parts', `${header}.${payload}`],
    ['four parts', `${good}.${signature}`],
    ['one part', header],
  ])('5.2 step 1 a compact serialisation is header, payload and signature: not %s', async (_name, token) => {
    expect(await api.judge(token)).toMatchObject(T1);
  });

  it('5.2 step 1 the parts stand in that order', async () => {
    expect(await api.judge(`${payload}.${header}.${signature}`)).toMatchObject(T1);
  });

  it.each([
    ['2 the header', (text: string) => `${text}.${payload}`],
    ['6 the payload', (text: string) => `${header}.${text}`],
  ])('5.2 step %s is base64url without padding and without unused bits', async (_name, inputOf) => {
    for (const text of ['e30=', 'e3', 'e31', 'e']) {
      expect(await api.judge(signInput(inputOf(text), signedBy(key)))).toMatchObject({ handled: false });
    }
  });

  it.each(['\t', ' ', '"', '!', ',', ':', '\u00a0'])(
    '5.2 steps 2, 6 and 7 no part has white space or another character: %j',
    async (character) => {
      const inserted = [header, payload, signature].map((part) => `${part.slice(0, 5)}${character}${part.slice(5)}`);
      const texts = [
        `${inserted[0]}.${payload}.${signature}`,
        `${header}.${inserted[1]}.${signature}`,
        `${header}.${payload}.${inserted[2]}`,
      ];
      for (const text of texts) expect(await api.judge(text)).toEqual(refusal(R4, 'malformed'));
    },
  );

  it.each([
    ['no JSON', '{"alg":"ES256",}'],
    ['a list', '["ES256"]'],
    ['null', 'null'],
    ['a text', '"ES256"'],
    ['something behind it', `${JSON.stringify(headerOf(key))}x`],
    ['an unescaped control character', headerText('"x":"\u0001"')],
    ['bytes that are not UTF-8', Buffer.from(headerText('"x":"\u00e9"'), 'latin1')],
  ])('5.2 step 3 the header is one JSON object in UTF-8: not %s', async (_name, text) => {
    expect(await api.judge(withHeader(text))).toEqual(MALFORMED);
  });

  it('5.2 step 4 the header has no name twice', async () => {
    expect(await api.judge(withHeader(headerText('"typ":"at+jwt"')))).toEqual(MALFORMED);
  });

  it('5.2 step 5 what the specification requires is understood, or the token is rejected', async () => {
    expect(await api.judge(forge(key, {}, { crit: ['x'], x: 1 }))).toEqual(HEADER_MEMBER);
  });

  it('5.2 step 7 the signature is decoded as it stands: one with unused bits set is rejected', async () => {
    const last = signature.at(-1) ?? '';
    const twin = String.fromCharCode(last.charCodeAt(0) + 1);
    expect(Buffer.from(signature.slice(0, -1) + twin, 'base64url')).toEqual(Buffer.from(signature, 'base64url'));
    expect(await api.judge(good.slice(0, -1) + twin)).toEqual(MALFORMED);
  });

  it('5.2 step 8 the signature is over header and payload: neither may change', async () => {
    const otherClaims = base64url({ ...claimsOf(), scope: 'payments disputes' });
    const otherHeader = base64url({ ...headerOf(key), x: 1 });
    expect(await api.judge(`${header}.${otherClaims}.${signature}`)).toEqual(refusal(T1, 'token_signature'));
    expect(await api.judge(`${otherHeader}.${payload}.${signature}`)).toEqual(refusal(T1, 'token_signature'));
  });

  it('5.2 step 8 the signature is over the text as it came, not over the same JSON written anew', async () => {
    const spaced = base64url(JSON.stringify(claimsOf(), undefined, 1));
    expect(await api.judge(`${header}.${spaced}.${signature}`)).toEqual(refusal(T1, 'token_signature'));
  });

  it('5.2 step 8 the signature is that of the key', async () => {
    expect(await api.judge(forge(stranger))).toEqual(refusal(T1, 'token_signature'));
  });

  it('5.2 an algorithm that the application does not take is rejected, however good the signature', async () => {
    const rsa = createKey('RS256');
    const jwks = jwksOf(key, rsa);
    const only = await serveTokenApi([
      accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks, clock, algorithms: ['ES256'] }),
    ]);
    const judgement = await only.judge(forge(rsa));
    await only.close();
    expect(judgement).toEqual(refusal(T1, 'token_alg'));
  });
});

describe('RFC 7515 section 7.1, the compact serialisation', () => {
  it('7.1 header, payload and signature, a period apart', async () => {
    expect(await api.judge(good)).toEqual(ACCEPTED);
  });

  it.each([
    ['flattened', JSON.stringify({ protected: header, payload, signature })],
    ['general', JSON.stringify({ payload, signatures: [{ protected: header, signature }] })],
  ])('7.1 no JSON serialization is accepted in its place: %s', async (_name, text) => {
    expect(await api.judge(text)).toEqual(refusal(R4, 'malformed'));
  });
});
