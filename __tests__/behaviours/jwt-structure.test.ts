import nodeCrypto from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { accessTokens } from 'keyward';
import { PresentedCredential } from '../../lib/http/presented-credential.js';
import { R4, T1 } from '../support/answers.js';
import { cachedPrincipal } from '../support/cached-principal.js';
import { createManualClock } from '../support/manual-clock.js';
import { getRaw } from '../support/raw-http.js';
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
  signedBy,
  signInput,
} from '../support/token-forge.js';

const key = createKey('ES256');
const clock = createManualClock();
const tokens = accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(key), clock });
const good = forge(key);
const [header = '', payload = '', signature = ''] = good.split('.');

const used = [
  ...(['verify', 'createVerify', 'createDecipheriv', 'privateDecrypt', 'pbkdf2'] as const).map((method) =>
    jest.spyOn(nodeCrypto, method),
  ),
  ...(['verify', 'importKey', 'deriveBits', 'deriveKey', 'decrypt', 'unwrapKey'] as const).map((method) =>
    jest.spyOn(crypto.subtle, method),
  ),
];
const cryptoUsed = () => used.reduce((sum, spy) => sum + spy.mock.calls.length, 0);

let api: TokenApi;
beforeAll(async () => {
  api = await serveTokenApi([tokens]);
});
afterAll(() => api.close());
beforeEach(() => {
  jest.clearAllMocks();
});

const UNCLAIMED = refusal(T1, 'unclaimed');
const MALFORMED_JWS = refusal(T1, 'jws_malformed');
const BAD_REQUEST = refusal(R4, 'malformed');

/** The text of a segment, with a character put in its middle. */
const within = (segment: string, character: string) => `${segment.slice(0, 9)}${character}${segment.slice(9)}`;

const withinEach = (name: string, character: string): [string, string][] => [
  [`${name} in the header`, `${within(header, character)}.${payload}.${signature}`],
  [`${name} in the payload`, `${header}.${within(payload, character)}.${signature}`],
  [`${name} in the signature`, `${header}.${payload}.${within(signature, character)}`],
];

describe('segments', () => {
  it('accepts the unchanged token', async () => {
    expect(await api.judge(good)).toEqual(ACCEPTED);
    expect(cryptoUsed()).toBeGreaterThan(0);
  });

  it.each([
    ['one segment', header, UNCLAIMED],
    ['two segments', `${header}.${payload}`, UNCLAIMED],
    ['four segments', `${good}.${signature}`, UNCLAIMED],
    ['leading dot', `.${good}`, UNCLAIMED],
    ['trailing dot', `${good}.`, UNCLAIMED],
    ['two dots alone', '..', MALFORMED_JWS],
    ['empty header', `.${payload}.${signature}`, MALFORMED_JWS],
    ['empty payload', `${header}..${signature}`, MALFORMED_JWS],
    ['empty signature', `${header}.${payload}.`, MALFORMED_JWS],
  ])('J01 %s', async (_name, credential, expected) => {
    expect(await api.judge(credential)).toEqual(expected);
    expect(cryptoUsed()).toBe(0);
  });

  const jwe = (members: Members) =>
    [{ enc: 'A256GCM', kid: key.kid, ...members }, 'key', 'iv', 'text', 'tag'].map(base64url).join('.');

  it.each([
    ['dir', jwe({ alg: 'dir' })],
    ['RSA1_5', jwe({ alg: 'RSA1_5' })],
    ['PBES2 of 2^31 rounds', jwe({ alg: 'PBES2-HS256+A128KW', p2s: 'c2FsdA', p2c: 2 ** 31 })],
    ['compressed', jwe({ alg: 'dir', zip: 'DEF' })],
  ])('J02 a JWE is refused, and nothing is derived or decrypted: %s', async (_name, credential) => {
    expect(await api.judge(credential)).toEqual(UNCLAIMED);
    expect(cryptoUsed()).toBe(0);
  });

  it.each([
    ['8,000 dots', '.'.repeat(8_000)],
    ['one segment of 8,000 characters', 'A'.repeat(8_000)],
  ])('J03 %s: refused without being parsed as a JWS', async (_name, credential) => {
    const decode = jest.spyOn(Buffer, 'from');
    expect(await api.judge(credential)).toEqual(UNCLAIMED);
    const decoded = decode.mock.calls.filter((call: readonly unknown[]) => call[1] === 'base64url');
    decode.mockRestore();
    expect(decoded).toEqual([]);
  });

  it.each([
    ['8 KiB', 8_192, refusal(T1, 'token_signature')],
    ['12 KiB: the credential is longer than one may be', 12_288, BAD_REQUEST],
    ['16 KiB: the field is longer than Node takes', 16_384, { status: 431, challenge: undefined, handled: false }],
  ])('J13 ES256 signature of %s', async (_name, length, expected) => {
    expect(await api.judge(`${header}.${payload}.${'A'.repeat(length)}`)).toEqual(expected);
    expect(cryptoUsed()).toBe(0);
  });

  it.each([
    ['flattened', JSON.stringify({ protected: header, payload, signature })],
    ['general', JSON.stringify({ payload, signatures: [{ protected: header, signature }] })],
  ])('J14 JSON serialization: %s', async (_name, credential) => {
    expect(await api.judge(credential)).toEqual(BAD_REQUEST);
    expect(cryptoUsed()).toBe(0);
  });
});

describe('base64url', () => {
  const padded: [string, string, object][] = [
    ['header', `${header}=.${payload}.${signature}`, BAD_REQUEST],
    ['payload', `${header}.${payload}=.${signature}`, BAD_REQUEST],
    ['signature', `${good}==`, MALFORMED_JWS],
  ];

  it.each(padded)('J04 padding after the %s', async (_segment, credential, expected) => {
    expect(await api.judge(credential)).toEqual(expected);
    expect(cryptoUsed()).toBe(0);
  });

  it.each(padded)('J04 padding after the %s, only at the verifier', (_segment, credential) => {
    expect(tokens.verify(new PresentedCredential(credential))).toEqual({
      outcome: 'declined',
      reason: 'jws_malformed',
    });
    expect(cryptoUsed()).toBe(0);
  });

  const spaces = withinEach('a space', ' ');
  const newlines = withinEach('a newline', '\n');

  it.each(spaces)('J05 %s', async (_name, credential) => {
    expect(await api.judge(credential)).toEqual(BAD_REQUEST);
  });

  it.each(newlines)('J05 %s: refused by the parser of Node, and the server continues', async (_name, credential) => {
    const response = await getRaw(api.port, [`Authorization: Bearer ${credential}`]);
    expect([response.status, response.headers['www-authenticate']]).toEqual([400, undefined]);
    expect(await api.judge(good)).toEqual(ACCEPTED);
  });

  it.each([...spaces, ...newlines])('J05 %s, only at the verifier', (_name, credential) => {
    expect(tokens.verify(new PresentedCredential(credential))).toEqual({
      outcome: 'declined',
      reason: 'jws_malformed',
    });
  });

  it.each([...withinEach('+', '+'), ...withinEach('/', '/')])('J06 %s', async (_name, credential) => {
    expect(await api.judge(credential)).toEqual(MALFORMED_JWS);
    expect(cryptoUsed()).toBe(0);
  });

  it.each([...withinEach('?', '?'), ...withinEach('#', '#')])('J06 %s', async (_name, credential) => {
    expect(await api.judge(credential)).toEqual(BAD_REQUEST);
    expect(cryptoUsed()).toBe(0);
  });
});

describe('unused bits', () => {
  const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  /** The same bytes in another text: the lowest bit of the last character is not part of them. */
  const respelt = (segment: string) => segment.slice(0, -1) + ALPHABET.charAt(ALPHABET.indexOf(segment.slice(-1)) ^ 1);
  /** JSON that leaves as many bytes in the last group of its base64url. */
  const leaving = (bytes: 1 | 2, members: Members) => {
    const text = JSON.stringify(members);
    return text + ' '.repeat((bytes - (text.length % 3) + 3) % 3);
  };
  const [header1, header2] = [leaving(1, headerOf(key)), leaving(2, headerOf(key))];
  const [payload1, payload2] = [leaving(1, claimsOf()), leaving(2, claimsOf())];

  it.each([
    ['header, 4 bits', `${respelt(base64url(header1))}.${payload}`],
    ['header, 2 bits', `${respelt(base64url(header2))}.${payload}`],
    ['payload, 4 bits', `${header}.${respelt(base64url(payload1))}`],
    ['payload, 2 bits', `${header}.${respelt(base64url(payload2))}`],
  ])('J07 the last character of the %s', async (_name, input) => {
    expect(await api.judge(signInput(input, signedBy(key)))).toEqual(MALFORMED_JWS);
    expect(cryptoUsed()).toBe(0);
  });

  it.each([
    ['header, 4 bits', header1, claimsOf()],
    ['header, 2 bits', header2, claimsOf()],
    ['payload, 4 bits', headerOf(key), payload1],
    ['payload, 2 bits', headerOf(key), payload2],
  ])('J07 the same text with zero unused bits is accepted: %s', async (_name, first, second) => {
    expect(await api.judge(assemble(first, second, signedBy(key)))).toEqual(ACCEPTED);
  });

  it('J07 the last character of the signature: no second cache entry for one token', async () => {
    expect(await api.judge(good)).toEqual(ACCEPTED);
    const second = `${header}.${payload}.${respelt(signature)}`;
    expect(Buffer.from(respelt(signature), 'base64url')).toEqual(Buffer.from(signature, 'base64url'));
    expect(await api.judge(second)).toEqual(MALFORMED_JWS);
    expect(cachedPrincipal(tokens, second)).toBeUndefined();
  });
});
