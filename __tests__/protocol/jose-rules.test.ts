import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  ASSERTION_TYPE,
  isNumericDate,
  mediaType,
  PRIVATE_JWK_MEMBERS,
  REFUSED_HEADER_MEMBERS,
  VSCHARS,
} from '../../lib/protocol/jose-rules.js';

describe('a media type', () => {
  it.each<[unknown, unknown]>([
    ['at+jwt', 'at+jwt'],
    ['AT+JWT', 'at+jwt'],
    ['application/at+jwt', 'at+jwt'],
    ['Application/At+Jwt', 'at+jwt'],
    ['application/application/jwt', 'application/jwt'],
    ['text/application/jwt', 'text/application/jwt'],
    ['', ''],
    [undefined, undefined],
    [7, 7],
  ])('%j is %j', (value, type) => {
    expect(mediaType(value)).toBe(type);
  });
});

describe('a NumericDate', () => {
  it.each([0, 1, 1_700_000_000, 1_700_000_000.5, 99_999_999_999])('is %d', (value) => {
    expect(isNumericDate(value)).toBe(true);
  });

  it.each([-1, 1e11, 1_700_000_000_000, Number.POSITIVE_INFINITY, Number.NaN, '1', null, undefined, [1]])(
    'is not %p',
    (value) => {
      expect(isNumericDate(value)).toBe(false);
    },
  );
});

it('the characters of a client ID are printable ASCII', () => {
  expect(VSCHARS.test(' ~client_1')).toBe(true);
  for (const text of ['', 'a\n', '\na', '\u007f', 'caf\u00e9']) expect(VSCHARS.test(text)).toBe(false);
});

it('the refused header parameters are those that name a key, or change how a JWT is parsed', () => {
  expect([...REFUSED_HEADER_MEMBERS].sort()).toEqual(['b64', 'crit', 'jku', 'jwk', 'x5c', 'x5u', 'zip']);
});

it('the private members of a JWK are those of RSA keys, and that of elliptic curves', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const { kty, n, e, ...hidden } = privateKey.export({ format: 'jwk' });
  expect([kty, n, e]).not.toContain(undefined);
  // `oth` is in a key of more than two primes.
  expect([...PRIVATE_JWK_MEMBERS].sort()).toEqual([...Object.keys(hidden), 'oth'].sort());
});

it('the type of a client assertion is the one that IANA lists', () => {
  expect(ASSERTION_TYPE).toBe('urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
});
