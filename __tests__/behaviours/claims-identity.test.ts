import nodeCrypto from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type AccessKeyRecord, type AccessTokensOptions, accessTokens } from 'keyward';
import { T1 } from '../support/answers.js';
import { type IssuerServer, serveIssuer } from '../support/issuer-server.js';
import { createManualClock } from '../support/manual-clock.js';
import { ACCEPTED, refusal, serveTokenApi, type TokenApi } from '../support/token-api.js';
import { AUDIENCE, createKey, forge, ISSUER, jwkOf, jwksOf, type Members, NOW } from '../support/token-forge.js';

const key = createKey('ES256');
const stranger = createKey('ES256', key.kid);
const clock = createManualClock();
const verifySpy = jest.spyOn(nodeCrypto, 'verify');

let issuer: IssuerServer;
let api: TokenApi;
beforeAll(async () => {
  issuer = await serveIssuer(jwkOf(key));
  api = await serveTokenApi([accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: issuer.jwksUri, clock })]);
});
afterAll(() => Promise.all([api.close(), issuer.close()]));
beforeEach(() => {
  jest.clearAllMocks();
});

const refusedFor = (claim: string) => refusal(T1, `token_${claim}`);

const verifierOf = (options: Partial<AccessTokensOptions>) =>
  accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(key), clock, ...options });

async function judge(token: string, options: Partial<AccessTokensOptions>) {
  const other = await serveTokenApi([verifierOf(options)]);
  try {
    return await other.judge(token);
  } finally {
    await other.close();
  }
}

describe('iss and aud', () => {
  // These come first: nothing has made the verifier fetch its keys yet.
  it.each<[string, unknown]>([
    ['missing', undefined],
    ['other', 'https://other.test'],
    ['with a trailing slash', `${ISSUER}/`],
    ['in another case', 'https://Issuer.test'],
    ['a prefix', ISSUER.slice(0, -1)],
    ['a suffix', ISSUER.slice(1)],
    ['a substring', ISSUER.slice(1, -1)],
    ['a list', [ISSUER]],
    ['null', null],
    ['with a NUL', `${ISSUER}\u0000`],
  ])('C08 iss %s', async (_name, iss) => {
    expect(await api.judge(forge(key, { iss }))).toEqual(refusedFor('iss'));
    expect([issuer.asked, verifySpy.mock.calls.length]).toEqual([[], 0]);
  });

  it.each<[string, unknown]>([
    ['missing', undefined],
    ['""', ''],
    ['[]', []],
    ['null', null],
    ['1', 1],
    ['an object', { 0: AUDIENCE }],
    ['a list in a list', [[AUDIENCE]]],
    ['a list with a number', [1, AUDIENCE]],
    ['longer', `${AUDIENCE}2`],
    ['shorter', AUDIENCE.slice(0, -1)],
    ['in another case', AUDIENCE.toUpperCase()],
  ])('C09 aud %s', async (_name, aud) => {
    expect(await api.judge(forge(key, { aud }))).toEqual(refusedFor('aud'));
  });

  it.each<[string, unknown]>([
    ['a text', AUDIENCE],
    ['one of a list', ['https://other.test', AUDIENCE]],
  ])('C10 aud %s', async (_name, aud) => {
    expect(await api.judge(forge(key, { aud }))).toEqual(ACCEPTED);
  });

  it.each<[string, unknown, string]>([
    ['undefined', undefined, 'option "issuer" must be a non-empty string, got undefined'],
    ['""', '', 'option "issuer" must be a non-empty string, got an empty string'],
    ['[]', [], 'option "issuer" must be a non-empty string, got an empty array'],
  ])('C11 the configured issuer is %s: the app does not start', (_name, value, message) => {
    expect(() => verifierOf({ issuer: value as string })).toThrow(new TypeError(`accessTokens: ${message}`));
  });

  it.each<[string, unknown, string]>([
    ['undefined', undefined, 'option "audience" must be a string or a list of strings, got undefined'],
    ['""', '', 'option "audience": each value must be a non-empty string, got an empty string'],
    ['[]', [], 'option "audience": expected one or more values'],
  ])('C11 the configured audience is %s: the app does not start', (_name, value, message) => {
    expect(() => verifierOf({ audience: value as string })).toThrow(new TypeError(`accessTokens: ${message}`));
  });
});

describe('sub, client_id and jti', () => {
  const bad: [string, unknown][] = [
    ['missing', undefined],
    ['1', 1],
    ['{}', {}],
    ['""', ''],
    ['4 KiB', 's'.repeat(4_096)],
  ];

  it.each(bad)('C12 sub %s', async (_name, sub) => {
    expect(await api.judge(forge(key, { sub }))).toEqual(refusedFor('sub'));
  });

  it.each(bad)('C13 client_id %s', async (_name, client_id) => {
    expect(await api.judge(forge(key, { client_id }))).toEqual(refusedFor('client_id'));
  });

  it('C13 client_id is not sub, at our own issuer', async () => {
    const record: AccessKeyRecord = {
      ...{ id: 'ack_forged', account: 'acc_1', environment: 'live' },
      ...{ secrets: [], scopes: ['payments'], defaultScopes: [] },
    };
    const accessKeys = { resolveAccessKey: jest.fn(() => record) };
    expect(await judge(forge(key, { sub: 'ack_other' }), { accessKeys })).toEqual(refusedFor('client_id'));
    expect(accessKeys.resolveAccessKey).not.toHaveBeenCalled();
    expect(await judge(forge(key), { accessKeys })).toEqual(ACCEPTED);
  });

  it('C13 client_id is not sub, at another issuer: it is the client', async () => {
    const response = await api.present(forge(key, { sub: 'somebody' }));
    expect(JSON.parse(response.body)).toMatchObject({ clientId: 'ack_forged', keyId: 'ack_forged' });
  });

  it.each(bad)('C14 jti %s', async (_name, jti) => {
    expect(await api.judge(forge(key, { jti }))).toEqual(refusedFor('jti'));
  });
});

describe('the same signing key', () => {
  it.each<[string, Members, string]>([
    ['another audience', { aud: 'https://sandbox.api.test' }, 'aud'],
    ['the issuer of another environment', { iss: 'https://sandbox.issuer.test' }, 'iss'],
  ])('C25 %s', async (_name, claims, claim) => {
    expect(await api.judge(forge(key, claims))).toEqual(refusedFor(claim));
  });
});

describe('several faults at once', () => {
  const everything = { iss: 'x', aud: 'x', exp: NOW - 1, nbf: NOW + 60, iat: 'x', sub: 1, jti: 1, scope: 1 };
  const bytes = async (token: string) => {
    const { status, headers, body } = await api.present(token);
    return { status, headers: { ...headers, date: undefined }, body };
  };

  it('C26 all checks fail: the same bytes as for each single fault', async () => {
    const all = await bytes(forge(stranger, everything, { typ: 'JWT', kid: 'unknown', crit: ['x'], alg: 'none' }));
    const one = Object.entries(everything).map(([name, value]) => forge(key, { [name]: value }));
    const header = [{ typ: 'JWT' }, { kid: 'unknown' }, { crit: ['x'] }, { alg: 'none' }];
    const singles = [...one, ...header.map((members) => forge(key, {}, members)), forge(stranger)];
    for (const single of singles) expect(await bytes(single)).toEqual(all);
    expect(all.body).toBe(
      '{"error":"invalid_token","error_description":"The credential is invalid, expired or revoked"}',
    );
  });

  it('C27 wrong claims and wrong signature: nothing is cached', async () => {
    const token = forge(stranger, everything);
    expect(await api.judge(token)).toEqual(refusedFor('iss'));
    const [header, payload] = token.split('.');
    const [, , signature] = forge(key).split('.');
    expect(await api.judge(`${header}.${payload}.${signature}`)).toEqual(refusedFor('iss'));
    expect(verifySpy).not.toHaveBeenCalled();
  });

  it('C27 valid claims and wrong signature: refused', async () => {
    expect(await api.judge(forge(stranger))).toEqual(refusedFor('signature'));
    expect(await api.judge(forge(key))).toEqual(ACCEPTED);
    expect(await api.judge(forge(stranger))).toEqual(refusedFor('signature'));
  });
});
