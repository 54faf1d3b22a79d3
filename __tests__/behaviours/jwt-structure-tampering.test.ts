import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { accessTokens, apiKeys } from 'keyward';
import { T1 } from '../support/answers.js';
import { createManualClock } from '../support/manual-clock.js';
import { ACCEPTED, refusal, serveTokenApi, type TokenApi } from '../support/token-api.js';
import {
  AUDIENCE,
  base64url,
  claimsOf,
  createKey,
  forge,
  headerOf,
  ISSUER,
  jwksOf,
  NOW,
} from '../support/token-forge.js';

const key = createKey('ES256');
const clock = createManualClock();
const tokens = accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(key), clock });
const resolver = jest.fn(() => undefined);
const keys = apiKeys({ resolver, kinds: ['secret', 'public'], environment: 'live', clock });
const good = forge(key);
const [header = '', payload = '', signature = ''] = good.split('.');

let api: TokenApi;
beforeAll(async () => {
  api = await serveTokenApi([tokens, keys]);
});
afterAll(() => api.close());
beforeEach(() => {
  jest.clearAllMocks();
});

const BAD_SIGNATURE = refusal(T1, 'token_signature');

describe('a text that looks like a token is only treated as a token', () => {
  it.each([
    ['three words', 'not.a.token', 'jws_malformed'],
    ['three parts that begin like a key', 'sk_not.a.token', 'jws_malformed'],
    ['another issuer', forge(key, { iss: 'https://other.test' }), 'token_iss'],
    ['a token that has expired', forge(key, { exp: NOW }), 'expired'],
    ['a token that another key signed', forge(createKey('ES256')), 'token_signature'],
  ])('J16 it is never looked up as a key: %s', async (_name, credential, reason) => {
    expect(await api.judge(credential)).toEqual(refusal(T1, reason));
    expect(resolver).not.toHaveBeenCalled();
  });

  it.each([
    ['wrong check character', 'sk_wlj3nsyprj5ipdr2b4nkxzepnma'],
    ['wrong length', 'sk_wlj3'],
    ['a header in base64url after the prefix', `sk_${header}`],
  ])('J17 a malformed key is never parsed as a token: %s', async (_name, credential) => {
    const parse = jest.spyOn(JSON, 'parse');
    const judgement = await api.judge(credential);
    const parsed = parse.mock.calls.length;
    parse.mockRestore();
    expect(judgement).toEqual(refusal(T1, 'key_malformed'));
    expect([parsed, resolver.mock.calls.length]).toEqual([0, 0]);
  });
});

describe('changed after signing', () => {
  const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  /** Flips one of the six bits that a character stands for; a dot becomes a letter. */
  const flipped = (position: number) => {
    const bit = 1 << (position % 6);
    const index = ALPHABET.indexOf(good.charAt(position));
    const other = index === -1 ? 'A' : ALPHABET.charAt(index ^ bit);
    return good.slice(0, position) + other + good.slice(position + 1);
  };

  it.each([
    ['never seen before', async () => {}],
    ['after the good one was cached', () => api.judge(good)],
  ])('J18 one flipped bit at each of its positions, %s', async (_name, before) => {
    await before();
    const accepted: number[] = [];
    for (let position = 0; position < good.length; position += 1) {
      const { status, challenge, handled } = await api.judge(flipped(position));
      if (status !== T1.status || challenge !== T1.challenge || handled) accepted.push(position);
    }
    expect(accepted).toEqual([]);
    expect(await api.judge(good)).toEqual(ACCEPTED);
  });

  it.each([
    ['header re-ordered', `${base64url(Object.fromEntries(Object.entries(headerOf(key)).reverse()))}.${payload}`],
    ['header re-spaced', `${base64url(JSON.stringify(headerOf(key), null, 1))}.${payload}`],
    ['payload re-ordered', `${header}.${base64url(Object.fromEntries(Object.entries(claimsOf()).reverse()))}`],
    ['payload re-spaced', `${header}.${base64url(JSON.stringify(claimsOf(), null, 1))}`],
  ])('J19 %s', async (_name, input) => {
    expect(await api.judge(`${input}.${signature}`)).toEqual(BAD_SIGNATURE);
  });

  it('J20 header and payload of one valid token, signature of another', async () => {
    const other = forge(key, { jti: 'token-2', scope: 'disputes' });
    const [otherHeader, otherPayload, otherSignature] = other.split('.');
    expect(await api.judge(good)).toEqual(ACCEPTED);
    expect(await api.judge(`${header}.${payload}.${otherSignature}`)).toEqual(BAD_SIGNATURE);
    expect(await api.judge(`${otherHeader}.${otherPayload}.${signature}`)).toEqual(BAD_SIGNATURE);
    expect(await api.judge(other)).toEqual(ACCEPTED);
  });
});
