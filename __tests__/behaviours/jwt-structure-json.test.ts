import nodeCrypto from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { accessTokens } from 'keyward';
import { T1 } from '../support/answers.js';
import { cachedPrincipal } from '../support/cached-principal.js';
import { createManualClock } from '../support/manual-clock.js';
import { ACCEPTED, refusal, serveTokenApi, type TokenApi } from '../support/token-api.js';
import {
  AUDIENCE,
  assemble,
  claimsOf,
  createKey,
  forge,
  headerOf,
  ISSUER,
  jwksOf,
  type Members,
  NOW,
  type Part,
  signedBy,
} from '../support/token-forge.js';

const key = createKey('ES256');
const clock = createManualClock();
const tokens = accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(key), clock });
const verifySpy = jest.spyOn(nodeCrypto, 'verify');

let api: TokenApi;
beforeAll(async () => {
  api = await serveTokenApi([tokens]);
});
afterAll(() => api.close());
beforeEach(() => {
  jest.clearAllMocks();
});

const MALFORMED_JWS = refusal(T1, 'jws_malformed');

const withHeader = (header: Part) => assemble(header, claimsOf(), signedBy(key));
const withPayload = (payload: Part) => assemble(headerOf(key), payload, signedBy(key));

const withoutMeaning = (members: Members): [string, Part][] => {
  const text = JSON.stringify(members);
  return [
    ['not JSON', text.slice(0, -1)],
    ['null', 'null'],
    ['[]', '[]'],
    ['"x"', '"x"'],
    ['1', '1'],
    ['a byte-order mark', `\uFEFF${text}`],
    [
      'invalid UTF-8',
      Buffer.concat([Buffer.from(text.slice(0, -2)), Buffer.from([0xff]), Buffer.from(text.slice(-2))]),
    ],
  ];
};

describe('signed content that is not a JSON object', () => {
  it.each(withoutMeaning(headerOf(key)))('J08 header: %s', async (_name, header) => {
    expect(await api.judge(withHeader(header))).toEqual(MALFORMED_JWS);
    expect(verifySpy).not.toHaveBeenCalled();
  });

  it.each([...withoutMeaning(claimsOf()), ['""', '""'], ['0', '0'], ['true', 'true']] as [string, Part][])(
    'J09 payload: %s',
    async (_name, payload) => {
      const token = withPayload(payload);
      expect(await api.judge(token)).toEqual(MALFORMED_JWS);
      expect(cachedPrincipal(tokens, token)).toBeUndefined();
    },
  );
});

describe('a duplicate name', () => {
  const first = (members: Members, member: string) => `{${member},${JSON.stringify(members).slice(1)}`;
  const last = (members: Members, member: string) => `${JSON.stringify(members).slice(0, -1)},${member}}`;
  const claims = [
    ['exp', `"exp":${NOW - 1}`],
    ['aud', '"aud":"https://other.test"'],
    ['scope', '"scope":"disputes"'],
    ['iss', '"iss":"https://other.test"'],
  ] as const;

  it.each([
    ['good last', first(headerOf(key), '"alg":"none"')],
    ['good first', last(headerOf(key), '"alg":"none"')],
  ])('J10 header alg, the %s', async (_order, header) => {
    expect(await api.judge(withHeader(header))).toEqual(MALFORMED_JWS);
    expect(verifySpy).not.toHaveBeenCalled();
  });

  it.each([
    ...claims.map(([name, bad]) => [name, 'good last', first(claimsOf(), bad)]),
    ...claims.map(([name, bad]) => [name, 'good first', last(claimsOf(), bad)]),
  ])('J10 payload %s, the %s', async (_name, _order, payload = '') => {
    expect(await api.judge(withPayload(payload))).toEqual(MALFORMED_JWS);
  });

  it.each([
    ['escaped first', first(headerOf(key), '"\\u0061lg":"none"')],
    ['escaped last', last(headerOf(key), '"\\u0061lg":"none"')],
  ])('J11 header alg, one of them written with an escape: %s', async (_order, header) => {
    expect(await api.judge(withHeader(header))).toEqual(MALFORMED_JWS);
    expect(verifySpy).not.toHaveBeenCalled();
  });
});

describe('size', () => {
  /** The claims, and one more that makes the payload so deep. */
  const deep = (depth: number) =>
    JSON.stringify(claimsOf()).replace(/\}$/, `,"x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`);
  const wide = (members: number) => {
    const more = Array.from({ length: members - Object.keys(claimsOf()).length }, (_, i) => `"${i}":1`);
    return JSON.stringify(claimsOf()).replace(/\}$/, `,${more.join()}}`);
  };

  it.each([33, 3_000])('J12 %d levels deep', async (depth) => {
    expect(await api.judge(withPayload(deep(depth)))).toEqual(MALFORMED_JWS);
  });

  it('J12 1,001 members', async () => {
    expect(await api.judge(withPayload(wide(1_001)))).toEqual(MALFORMED_JWS);
  });

  it.each([
    ['32 levels deep', deep(32)],
    ['1,000 members', wide(1_000)],
  ])('J12 accepted up to the limit: %s', async (_name, payload) => {
    expect(await api.judge(withPayload(payload))).toEqual(ACCEPTED);
  });
});

describe('names that every object inherits', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];

  it.each(names)('J15 a claim named %s is an ordinary claim', async (name) => {
    const response = await api.present(forge(key, { [name]: { x: 'polluted' } }));
    expect(response.status).toBe(200);
    expect(response.body).toContain(`"${name}":{"x":"polluted"}`);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it.each([
    ['exp', { exp: undefined, ['__proto__']: { exp: NOW + 60 } }],
    ['iss', { iss: undefined, ['__proto__']: { iss: ISSUER } }],
    ['scope', { scope: 1, ['__proto__']: { scope: 'payments' } }],
  ])('J15 a claim is never read from a prototype: %s', async (_name, claims) => {
    expect(await api.judge(forge(key, claims))).toMatchObject(T1);
  });

  it('J15 a header parameter is never read from a prototype', async () => {
    const token = forge(key, {}, { kid: undefined, ['__proto__']: { kid: key.kid } });
    expect(await api.judge(token)).toEqual(refusal(T1, 'token_kid'));
  });
});
