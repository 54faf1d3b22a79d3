import { describe, expect, it } from '@jest/globals';
import { type ClaimRules, readTokenClaims } from '../../lib/tokens/claims.js';
import { AUDIENCE, claimsOf, ISSUER, type Members, NOW } from '../support/token-forge.js';

const rules: ClaimRules = {
  issuer: ISSUER,
  audiences: [AUDIENCE, 'https://other.api.test'],
  profile: 'rfc9068',
  isIntrospected: false,
  clockTolerance: 5,
  maxLifetime: Number.POSITIVE_INFINITY,
  ownIssuer: false,
  ignoresAuthorizationDetails: false,
};

const read = (members: Members, changes: Partial<ClaimRules> = {}, now = NOW * 1_000) =>
  readTokenClaims(JSON.parse(JSON.stringify({ ...claimsOf(), ...members })), { ...rules, ...changes }, now);

const foreign = { profile: 'jwt' } as const;

it('returns the claims that other modules need', () => {
  expect(read({})).toEqual({
    clientId: 'ack_forged',
    scopes: ['payments'],
    expiresAt: NOW + 3_600,
    issuedAt: NOW,
    tokenId: 'token-1',
  });
});

describe('audience', () => {
  it.each([[AUDIENCE], ['https://other.api.test']])('accepts any configured audience: %s', (aud) => {
    expect(read({ aud })).toMatchObject({ clientId: 'ack_forged' });
    expect(read({ aud: ['x', aud] })).toMatchObject({ clientId: 'ack_forged' });
  });

  it.each([['x'], [['x', 'y']], [[AUDIENCE, 1]], [[AUDIENCE, null]]])('refuses %j', (aud) => {
    expect(read({ aud })).toBe('aud');
  });

  it.each([['x'], [['x', 1]], [undefined]])('accepts %j if no audience is configured', (aud) => {
    expect(read({ aud }, { audiences: undefined })).toMatchObject({ clientId: 'ack_forged' });
  });
});

describe('tokens_not_before', () => {
  it.each([
    [NOW + 0.25, NOW * 1_000 + 250],
    [1_799_999_999.001, 1_799_999_999_001],
    [0, 0],
    [-1, undefined],
    ['1', undefined],
    [null, undefined],
  ])('%j is read in milliseconds: %j', (time, expected) => {
    expect(read({ tokens_not_before: time })).toHaveProperty('tokensNotBefore', expected);
  });
});

describe('times', () => {
  it.each([
    ['exp just below the year 5138', { exp: 1e11 - 1 }],
    ['iat at 0', { iat: 0 }],
    ['iat equal to exp', { iat: NOW + 1, exp: NOW + 1 }],
    ['nbf at 0', { nbf: 0 }],
    ['fractions', { iat: NOW - 0.5, exp: NOW + 0.5, nbf: NOW + 4.5 }],
  ])('accepts %s', (_name, claims) => {
    expect(read(claims)).toMatchObject({ clientId: 'ack_forged' });
  });

  it.each([
    ['exp in the year 5138', { exp: 1e11 }, 'exp'],
    ['iat below 0', { iat: -1 }, 'iat'],
    ['iat after exp', { iat: NOW + 2, exp: NOW + 1 }, 'iat'],
    ['nbf below 0', { nbf: -1 }, 'nbf'],
    ['nbf in milliseconds', { nbf: NOW * 1_000 }, 'nbf'],
  ])('refuses %s', (_name, claims, claim) => {
    expect(read(claims)).toBe(claim);
  });

  it('checks exp to the millisecond', () => {
    expect(read({ exp: NOW }, {}, NOW * 1_000 - 1)).toMatchObject({ expiresAt: NOW });
    expect(read({ exp: NOW }, {}, NOW * 1_000)).toBe('expired');
  });

  it.each([
    [3_600, {}, undefined],
    [3_594, {}, 'lifetime'],
    [3_595, {}, undefined],
    [3_594, { clockTolerance: 6 }, undefined],
  ])('accepts a lifetime of %d seconds and the tolerance: %j', (maxLifetime, changes, claim) => {
    const found = read({}, { maxLifetime, ...changes });
    expect(typeof found === 'string' ? found : undefined).toBe(claim);
  });
});

describe('strings', () => {
  it.each(['sub', 'client_id', 'jti'])('%s has 1,024 characters at most', (name) => {
    expect(read({ [name]: 'x'.repeat(1_024) })).toMatchObject({ expiresAt: NOW + 3_600 });
    expect(read({ [name]: 'x'.repeat(1_025) })).toBe(name);
  });

  it.each(['sub', 'client_id', 'jti', 'iat'])('%s may not be left out', (name) => {
    expect(read({ [name]: undefined })).toBe(name);
  });
});

describe.each(['rfc9068', 'jwt'] as const)('what TokenPayload says of claims holds in the profile %s', (profile) => {
  const time = (value: unknown) => value === undefined || typeof value === 'number';
  const text = (value: unknown) => value === undefined || typeof value === 'string';
  const isTexts = (value: unknown) => Array.isArray(value) && value.every((member) => typeof member === 'string');
  const textOrList = (value: unknown) => text(value) || isTexts(value);
  const forms = { iss: text, sub: text, client_id: text, aud: textOrList, scope: textOrList };
  const values = [undefined, null, true, 1, '', 'x', ISSUER, AUDIENCE, [], [1], ['x', 1], [AUDIENCE], {}, [[AUDIENCE]]];

  it.each(Object.entries({ ...forms, exp: time, iat: time, nbf: time }))('%s', (name, hasForm) => {
    const accepted = values.filter((value) => typeof read({ [name]: value }, { profile }) !== 'string');
    expect(accepted.filter((value) => !hasForm(value))).toEqual([]);
  });
});

describe('own issuer', () => {
  it('has the client as its subject', () => {
    expect(read({}, { ownIssuer: true })).toMatchObject({ clientId: 'ack_forged' });
    expect(read({ sub: 'somebody' }, { ownIssuer: true })).toBe('client_id');
    expect(read({ sub: 'somebody' })).toMatchObject({ clientId: 'ack_forged' });
  });

  it('also in the profile jwt', () => {
    expect(read({ sub: undefined }, { ...foreign, ownIssuer: true })).toBe('client_id');
  });
});

describe('profile jwt', () => {
  const least = { sub: undefined, client_id: undefined, jti: undefined, iat: undefined, scope: undefined };

  it.each<[string, Members, Members]>([
    [
      'Auth0',
      { sub: 'abc@clients', azp: 'abc', scope: 'payments:read', gty: 'client-credentials' },
      { clientId: 'abc', scopes: ['payments:read'] },
    ],
    [
      'Entra, scp a text',
      { sub: 'subject', azp: 'app', scp: 'Files.Read User.Read' },
      { clientId: 'app', scopes: ['Files.Read', 'User.Read'] },
    ],
    [
      'Okta, scp a list',
      { sub: 'client', cid: 'client', scp: ['payments'] },
      { clientId: 'client', scopes: ['payments'] },
    ],
    [
      'Duende and Checkout.com, scope a list',
      { client_id: 'cli_1', scope: ['gateway', 'vault'] },
      { clientId: 'cli_1', scopes: ['gateway', 'vault'] },
    ],
    [
      'a client_id beside azp and sub',
      { client_id: 'first', azp: 'second', sub: 'third' },
      { clientId: 'first', scopes: [] },
    ],
    ['no azp, which is null', { azp: null, sub: 'third' }, { clientId: 'third', scopes: [] }],
  ])('reads %s', (_name, claims, expected) => {
    expect(read({ ...least, ...claims }, foreign)).toEqual({
      ...expected,
      expiresAt: NOW + 3_600,
      issuedAt: undefined,
    });
  });

  it.each<[string, Members, string]>([
    ['no client', {}, 'client_id'],
    ['client_id that is null', { client_id: null, azp: 'abc', sub: 'abc' }, 'client_id'],
    ['azp that is no text', { azp: 1, sub: 'abc' }, 'client_id'],
    ['sub that is no text', { azp: 'abc', sub: 1 }, 'sub'],
    ['iat that is no time', { azp: 'abc', iat: 'x' }, 'iat'],
    ['iat ahead', { azp: 'abc', iat: NOW + 6 }, 'iat'],
    ['no exp', { azp: 'abc', exp: undefined }, 'exp'],
    ['no aud', { azp: 'abc', aud: undefined }, 'aud'],
    ['no iss', { azp: 'abc', iss: undefined }, 'iss'],
    ['scp with a number', { azp: 'abc', scp: [1] }, 'scope'],
    ['scp that breaks the grammar', { azp: 'abc', scp: 'a  b' }, 'scope'],
  ])('refuses %s', (_name, claims, claim) => {
    expect(read({ ...least, ...claims }, foreign)).toBe(claim);
  });

  it('is the only one in which azp names a client', () => {
    expect(read({ client_id: undefined, azp: 'abc' })).toBe('client_id');
  });
});

describe('scope', () => {
  it.each([
    ['a text', { scope: 'a b a' }],
    ['a list', { scope: ['a', 'b', 'a'] }],
    ['scp', { scope: undefined, scp: ['a', 'b', 'b'] }],
  ])('has each scope once, in the given order: %s', (_name, claims) => {
    expect(read(claims)).toMatchObject({ scopes: ['a', 'b'] });
  });

  it('null is not the same as absent', () => {
    expect(read({ scope: null, scp: 'payments' })).toBe('scope');
  });
});
