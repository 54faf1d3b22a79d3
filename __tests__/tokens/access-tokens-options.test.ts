import { describe, expect, it } from '@jest/globals';
import type { AccessTokensOptions } from 'keyward';
import { readAccessTokensOptions } from '../../lib/tokens/access-tokens-options.js';
import { createManualClock } from '../support/manual-clock.js';
import { AUDIENCE, createKey, ISSUER, jwksOf } from '../support/token-forge.js';

const jwks = jwksOf(createKey('ES256'));
const clock = createManualClock();
const resolveAccessKey = () => undefined;

const read = (options: object = {}) =>
  readAccessTokensOptions({ issuer: ISSUER, audience: AUDIENCE, jwks, clock, ...options } as AccessTokensOptions);

describe('the rules', () => {
  it('have defaults', () => {
    expect(read().rules).toEqual({
      ...{ issuer: ISSUER, audiences: [AUDIENCE], profile: 'rfc9068', isIntrospected: false, clockTolerance: 5 },
      ...{ maxLifetime: Number.POSITIVE_INFINITY, ownIssuer: false, ignoresAuthorizationDetails: false },
      confirmation: undefined,
    });
  });

  it('require a client that acts for itself if there are access keys', () => {
    expect(read({ accessKeys: { resolveAccessKey } }).rules).toMatchObject({ ownIssuer: true });
  });

  it.each(['rfc9068', 'jwt'])('accept the profile %s', (profile) => {
    expect(read({ profile }).rules).toMatchObject({ profile });
  });

  it.each([
    ['ignore', true],
    ['refuse', false],
  ])('authorizationDetails: %s', (authorizationDetails, ignoresAuthorizationDetails) => {
    expect(read({ authorizationDetails }).rules).toMatchObject({ ignoresAuthorizationDetails });
  });

  it('accept no other value of authorizationDetails', () => {
    expect(() => read({ authorizationDetails: 'accept' })).toThrow(
      new TypeError(`accessTokens: option "authorizationDetails" must be 'refuse' or 'ignore', got an invalid string`),
    );
  });
});

it.each([
  ['accessKeys', 'resolveAccessKey'],
  ['apis', 'apisOf'],
])('refuses an object without the method that %s needs', (name, method) => {
  expect(() => read({ [name]: {} })).toThrow(
    new TypeError(`accessTokens: option "${name}" must be an object with ${method}(), got an object`),
  );
});

describe('the cache', () => {
  it.each([
    ['without access keys', undefined, 10_000],
    ['of access keys', { resolveAccessKey }, 10_000],
    ['of access keys with a feed', { resolveAccessKey, watch: () => undefined }, 300_000],
  ])('%s', (_name, accessKeys, ttl) => {
    expect(read({ accessKeys }).bounds).toMatchObject({ max: 10_000, ttl });
  });

  it('refuses a wrong limit with a message that names accessTokens', () => {
    expect(() => read({ cache: { max: 0 } })).toThrow(
      new TypeError('accessTokens: option "cache": option "max" must be a whole number from 1 to 10000000, got 0'),
    );
  });
});
