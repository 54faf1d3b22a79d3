import { afterEach, describe, expect, it } from '@jest/globals';
import { type AccessTokensOptions, accessTokens } from 'keyward';
import { T1 } from '../support/answers.js';
import { createManualClock } from '../support/manual-clock.js';
import { ACCEPTED, type Judgement, refusal, serveTokenApi, type TokenApi } from '../support/token-api.js';
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
  signedBy,
} from '../support/token-forge.js';

const key = createKey('ES256');
const clock = createManualClock();
const verifierOf = (options: Partial<AccessTokensOptions>) =>
  accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(key), clock, ...options });

let api: TokenApi | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

async function judge(token: string, options: Partial<AccessTokensOptions> = {}): Promise<Judgement> {
  api ??= await serveTokenApi([verifierOf(options)]);
  return api.judge(token);
}

const refusedFor = (claim: string) => refusal(T1, `token_${claim}`);
const EXPIRED = refusal(T1, 'expired');

/** The claims as text, with a number that `JSON.stringify` would not write. */
const claimingText = (name: string, number: string) =>
  assemble(headerOf(key), JSON.stringify({ ...claimsOf(), [name]: '@' }).replace('"@"', number), signedBy(key));

describe('exp', () => {
  it.each<[string, unknown]>([
    ['missing', undefined],
    ['null', null],
    ['"9999999999"', '9999999999'],
    ['true', true],
    ['[n]', [NOW + 60]],
    ['{}', {}],
  ])('C01 exp %s', async (_name, exp) => {
    expect(await judge(forge(key, { exp }))).toEqual(refusedFor('exp'));
  });

  it.each([
    ['1e400', claimingText('exp', '1e400'), refusedFor('exp')],
    ['-1', forge(key, { exp: -1 }), refusedFor('exp')],
    ['0', forge(key, { exp: 0 }), EXPIRED],
    ['2^53+1', claimingText('exp', '9007199254740993'), refusedFor('exp')],
    ['now-1', forge(key, { exp: NOW - 1 }), EXPIRED],
    ['now', forge(key, { exp: NOW }), EXPIRED],
  ])('C02 exp %s', async (_name, token, expected) => {
    expect(await judge(token)).toEqual(expected);
  });

  it('C03 exp half a second from now: accepted until then', async () => {
    const moving = createManualClock();
    const token = forge(key, { exp: NOW + 0.5 });
    expect(await judge(token, { clock: moving })).toEqual(ACCEPTED);
    moving.advance(499);
    expect(await judge(token)).toEqual(ACCEPTED);
    moving.advance(1);
    expect(await judge(token)).toEqual(EXPIRED);
  });
});

describe('lifetime', () => {
  it.each([
    ['as long as it may be', { exp: NOW + 605 }, ACCEPTED],
    ['longer by a second', { exp: NOW + 606 }, refusedFor('lifetime')],
  ])('C04 exp - iat over maxLifetime and tolerance: %s', async (_name, claims, expected) => {
    expect(await judge(forge(key, claims), { maxLifetime: 600 })).toEqual(expected);
  });

  it('C04 no limit by default', async () => {
    expect(await judge(forge(key, { iat: 0, exp: 99_999_999_999 }))).toEqual(ACCEPTED);
  });

  it.each([1e11, (NOW + 60) * 1_000])('C04 exp %d in milliseconds', async (exp) => {
    expect(await judge(forge(key, { exp }))).toEqual(refusedFor('exp'));
  });

  it('C04 a foreign token without iat is refused if there is a limit', async () => {
    const token = forge(key, { iat: undefined });
    expect(await judge(token, { profile: 'jwt', maxLifetime: 86_400 })).toEqual(refusedFor('lifetime'));
  });
});

describe('tolerance', () => {
  it.each([
    ['iat ahead by the tolerance', { iat: NOW + 5 }, ACCEPTED],
    ['iat ahead by a second more', { iat: NOW + 6 }, refusedFor('iat')],
    ['nbf ahead by the tolerance', { nbf: NOW + 5 }, ACCEPTED],
    ['nbf ahead by a second more', { nbf: NOW + 6 }, refusedFor('nbf')],
    ['exp a second ago', { exp: NOW - 1 }, EXPIRED],
    ['exp now', { exp: NOW }, EXPIRED],
    ['exp in a second', { exp: NOW + 1 }, ACCEPTED],
  ])('C05 %s', async (_name, claims, expected) => {
    expect(await judge(forge(key, claims))).toEqual(expected);
  });

  it.each([
    ['none', 0, { iat: NOW + 1 }, refusedFor('iat')],
    ['300 s', 300, { iat: NOW + 300 }, ACCEPTED],
  ])('C05 a custom tolerance: %s', async (_name, clockTolerance, claims, expected) => {
    expect(await judge(forge(key, claims), { clockTolerance })).toEqual(expected);
  });

  it.each<[unknown, string]>([
    [Number.NaN, 'NaN'],
    [-1, '-1'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    ['60', 'a string'],
    [301, '301'],
  ])('C05 clockTolerance %p: the app does not start', (clockTolerance, got) => {
    expect(() => verifierOf({ clockTolerance: clockTolerance as number })).toThrow(
      new TypeError(`accessTokens: option "clockTolerance" must be a number from 0 to 300, got ${got}`),
    );
  });
});

describe('nbf and iat', () => {
  it.each<[string, unknown, object]>([
    ['now + tolerance + 1', NOW + 6, refusedFor('nbf')],
    ['now', NOW, ACCEPTED],
    ['"x"', 'x', refusedFor('nbf')],
    ['null', null, refusedFor('nbf')],
  ])('C06 nbf %s', async (_name, nbf, expected) => {
    expect(await judge(forge(key, { nbf }))).toEqual(expected);
  });

  it.each<[string, Members]>([
    ['missing', { iat: undefined }],
    ['a string', { iat: String(NOW) }],
    ['over now + tolerance', { iat: NOW + 6 }],
    ['over exp', { iat: NOW + 3, exp: NOW + 2 }],
  ])('C07 iat %s', async (_name, claims) => {
    expect(await judge(forge(key, claims))).toEqual(refusedFor('iat'));
  });
});
