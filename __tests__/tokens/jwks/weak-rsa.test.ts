import { createPublicKey, createSecretKey, type JsonWebKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { isSlowRsa, isWeakRsa } from '../../../lib/tokens/jwks/weak-rsa.js';
import { createKey } from '../../support/token-forge.js';
import { modulusOf, rocaModulus, rsaJwk } from '../../support/weak-keys.js';

const isWeak = (n: string, e?: bigint) => isWeakRsa(keyOf(n, e));

function keyOf(n: string, e?: bigint) {
  const exponent = e === undefined ? undefined : Buffer.from(hexOf(e), 'hex').toString('base64url');
  return createPublicKey({ key: rsaJwk(n, exponent) as JsonWebKey, format: 'jwk' });
}

function hexOf(value: bigint): string {
  const hex = value.toString(16);
  return hex.length % 2 === 0 ? hex : `0${hex}`;
}

it('accepts a usual key of today', () => {
  expect(isWeakRsa(createKey('RS256').publicKey)).toBe(false);
});

it.each([
  [1_024, true],
  [2_047, true],
  [2_048, false],
  [4_096, false],
  [8_192, false],
  [8_193, true],
])('a modulus of %d bits: weak is %s', (bits, expected) => {
  expect(isWeak(modulusOf(bits))).toBe(expected);
});

it.each([
  [1n, true],
  [2n, true],
  [3n, false],
  [4n, true],
  [65_536n, true],
  [65_537n, false],
  [2n ** 64n - 1n, false],
  [2n ** 64n + 1n, true],
])('an exponent of %d: weak is %s', (exponent, expected) => {
  expect(isWeak(modulusOf(2_048), exponent)).toBe(expected);
});

it.each([
  ['modulus', { n: 'A'.repeat(1_367), e: 'AQAB' }],
  ['exponent', { n: modulusOf(2_048), e: 'A'.repeat(12) }],
])('the details of a key with a long %s are not read, because that is slow', (_what, jwk) => {
  const key = {
    export: () => ({ kty: 'RSA', ...jwk }),
    get asymmetricKeyDetails(): never {
      throw new Error('read');
    },
  };
  expect(isWeakRsa(key as never)).toBe(true);
});

it.each([
  ['an EC key', createKey('ES256').publicKey],
  ['a secret key', createSecretKey(Buffer.alloc(256))],
])('a key that is not RSA is weak: %s', (_name, key) => {
  expect(isWeakRsa(key)).toBe(true);
});

it.each([
  [2_048, 65_537n, false],
  [4_096, 3n, false],
  [4_096, 65_537n, false],
  [4_096, 65_539n, true],
  [4_097, 65_537n, true],
  [8_192, 3n, true],
])('%d bits with the exponent %d: slow is %s', (bits, exponent, expected) => {
  expect(isSlowRsa(keyOf(modulusOf(bits), exponent))).toBe(expected);
});

it.each([
  ['an EC key', createKey('ES256').publicKey],
  ['a secret key', createSecretKey(Buffer.alloc(256))],
])('a key that is not RSA is not slow: %s', (_name, key) => {
  expect(isSlowRsa(key)).toBe(false);
});

describe('CVE-2017-15361', () => {
  it.each([5n, 77n, 991n])('detects a modulus that is 65537 to the %d, modulo every small prime', (exponent) => {
    expect(isWeak(rocaModulus(exponent))).toBe(true);
  });

  // Modulo the other small primes every number is such a power.
  it.each([11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157])(
    'accepts a modulus that is not such a power modulo %d',
    (prime) => {
      expect(isWeak(rocaModulus(5n, prime))).toBe(false);
    },
  );
});
