import { describe, expect, it } from '@jest/globals';
import { ALGORITHMS } from '../../lib/tokens/algorithms.js';
import { readTokenHeader, type TokenProfile } from '../../lib/tokens/header.js';
import type { Members } from '../support/token-forge.js';

const algorithms = new Set(['RS256', 'ES256']);
const good = { alg: 'ES256', typ: 'at+jwt', kid: 'key-1' };

const read = (members: Members, profile: TokenProfile = 'rfc9068') =>
  readTokenHeader(JSON.parse(JSON.stringify({ ...good, ...members })), algorithms, profile);

it('finds the algorithm and the key', () => {
  expect(read({ x5t: 'thumbprint' })).toEqual({ alg: 'ES256', kid: 'key-1' });
});

describe('alg', () => {
  const others = [...ALGORITHMS.keys()].filter((alg) => !algorithms.has(alg));

  it.each(others)('refuses %s, which is not configured', (alg) => {
    expect(read({ alg })).toBe('alg');
  });

  it.each([undefined, null, 1, true, {}, ['ES256'], 'none', 'es256'])('refuses %j', (alg) => {
    expect(read({ alg })).toBe('alg');
  });
});

describe('header parameters that are not supported', () => {
  it.each(['crit', 'b64', 'zip', 'jku', 'x5u', 'jwk', 'x5c'])('refuses %s, whatever its value', (name) => {
    for (const value of [null, '', true, [], {}]) expect(read({ [name]: value })).toBe('header_member');
    expect(read({ [name]: null }, 'jwt')).toBe('header_member');
  });
});

describe('typ', () => {
  it.each(['at+jwt', 'AT+JWT', 'application/at+jwt', 'Application/AT+JWT'])('accepts %s', (typ) => {
    expect(read({ typ })).toMatchObject({ kid: 'key-1' });
    expect(read({ typ }, 'jwt')).toMatchObject({ kid: 'key-1' });
  });

  it.each([undefined, 'JWT', 'application/jwt'])('accepts %j only in the profile jwt', (typ) => {
    expect(read({ typ }, 'jwt')).toMatchObject({ kid: 'key-1' });
    expect(read({ typ })).toBe('typ');
  });

  it.each([
    null,
    '',
    1,
    ['at+jwt'],
    'at+jwt ',
    'text/at+jwt',
    'x/application/at+jwt',
    'at+application/jwt',
    'application/application/at+jwt',
  ])('refuses %j', (typ) => {
    expect([read({ typ }), read({ typ }, 'jwt')]).toEqual(['typ', 'typ']);
  });
});

describe('cty', () => {
  it.each(['JWT', 'jwt', 'application/JWT'])('refuses a token within a token: %s', (cty) => {
    expect([read({ cty }), read({ cty }, 'jwt')]).toEqual(['cty', 'cty']);
  });

  it('ignores any other value', () => {
    expect(read({ cty: 'json' })).toMatchObject({ kid: 'key-1' });
  });
});

describe('kid', () => {
  it('is optional in the profile jwt', () => {
    expect(read({ kid: undefined }, 'jwt')).toEqual({ alg: 'ES256', kid: undefined });
    expect(read({ kid: undefined })).toBe('kid');
  });

  it.each([null, '', 1, true, {}, ['key-1']])('refuses %j', (kid) => {
    expect([read({ kid }), read({ kid }, 'jwt')]).toEqual(['kid', 'kid']);
  });
});
