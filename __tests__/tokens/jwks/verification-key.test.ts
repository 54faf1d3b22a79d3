import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { JWK } from 'jose';
import { ALGORITHMS } from '../../../lib/tokens/algorithms.js';
import {
  holdsSymmetricKey,
  KeySetError,
  readKeySet,
  VerificationKey,
} from '../../../lib/tokens/jwks/verification-key.js';
import { createKey, jwkOf, type Members } from '../../support/token-forge.js';
import { weakKeys } from '../../support/weak-keys.js';

const rsa = createKey('RS256');
const p384 = createKey('ES384');
const p521 = createKey('ES512');
const okp = createKey('EdDSA');
const key = createKey('ES256', 'key-1');

const read = (...keys: readonly unknown[]) => readKeySet({ keys });

function readOne(jwk: JWK): VerificationKey {
  const [only, ...more] = read(jwk);
  if (only === undefined || more.length > 0) throw new Error('not one key');
  return only;
}

describe('a set', () => {
  it.each([undefined, null, 'x', 1, [], [[]], {}, { keys: null }, { keys: {} }, { keys: 'x' }])(
    'is invalid, and throws: %j',
    (value) => {
      expect(() => readKeySet(value)).toThrow(
        new KeySetError('the key set is not a JWK Set; expected an object whose "keys" is an array'),
      );
    },
  );

  it('may be empty', () => {
    expect(read()).toEqual([]);
  });

  it('has at most 100 keys, usable or not', () => {
    expect(read(...Array(100).fill({}))).toEqual([]);
    expect(() => read(...Array(101).fill({}))).toThrow(new KeySetError('the key set has more than 100 keys'));
  });

  it('has no kid twice among usable keys', () => {
    expect(() => read(jwkOf(key), jwkOf(createKey('ES256', 'key-1')))).toThrow(
      new KeySetError('the key set has two keys with the same kid; each key must have its own kid'),
    );
    expect(read(jwkOf(key), jwkOf(key, { use: 'enc' })).length).toBe(1);
  });

  it('may have several keys without a kid', () => {
    const bare = [key, createKey('ES256')].map((one) => jwkOf(one, { kid: undefined }));
    expect(read(...bare).map(({ kid }) => kid)).toEqual([undefined, undefined]);
  });

  it.each(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth'])('has no key with %s, usable or not', (member) => {
    for (const jwk of [jwkOf(key), { kty: 'unknown' }]) {
      expect(() => read({ ...jwk, [member]: null })).toThrow(
        new KeySetError('the key set contains a private key; it may contain only public keys'),
      );
    }
  });

  it.each([null, 1, 'x', []])('leaves out invalid keys: %j', (member) => {
    expect(read(member, jwkOf(key)).map(({ kid }) => kid)).toEqual(['key-1']);
  });

  it('reports symmetric keys, and never accepts one', () => {
    const oct = { kty: 'oct', k: 'c2VjcmV0', kid: 'oct', d: 'x' };
    expect(read(oct)).toEqual([]);
    expect([holdsSymmetricKey({ keys: [jwkOf(key), oct] }), holdsSymmetricKey({ keys: [null, jwkOf(key)] })]).toEqual([
      true,
      false,
    ]);
  });
});

it('KeySetError has its own name and code', () => {
  expect(new KeySetError('x')).toMatchObject({ name: 'KeySetError', code: 'key_set_invalid' });
});

describe('a key', () => {
  it.each<[string, Members]>([
    ['use enc', { use: 'enc' }],
    ['use null', { use: null }],
    ['key_ops that is no list', { key_ops: 'verify' }],
    ['key_ops without verify', { key_ops: ['sign'] }],
    ['key_ops with a repeat', { key_ops: ['verify', 'verify'] }],
    ['kid that is no text', { kid: 1 }],
    ['kid that is empty', { kid: '' }],
    ['alg that is no text', { alg: 1 }],
    ['alg that is empty', { alg: '' }],
    ['alg of another type of key', { alg: 'RS256' }],
    ['alg of another curve', { alg: 'ES384' }],
    ['alg that is symmetric', { alg: 'HS256' }],
    ['alg for encryption', { alg: 'ECDH-ES' }],
    ['no kty', { kty: undefined }],
    ['kty that is no text', { kty: 1 }],
    ['a curve that no algorithm uses', { crv: 'secp256k1' }],
    ['no curve', { crv: undefined }],
    ['no y', { y: undefined }],
    ['a point off the curve', { y: jwkOf(key).x }],
  ])('is left out: %s', (_name, members) => {
    expect(read(jwkOf(key, members))).toEqual([]);
  });

  it.each(weakKeys)('is left out: %s', (_name, jwk) => {
    expect(read(jwk)).toEqual([]);
  });

  it.each<[string, JWK]>([
    ['an X25519 key', { kty: 'OKP', crv: 'X25519', x: String(jwkOf(okp).x) }],
    ['an RSA key for encryption', jwkOf(rsa, { alg: 'RSA-OAEP-256' })],
  ])('is left out: %s', (_name, jwk) => {
    expect(read(jwk)).toEqual([]);
  });

  it('is accepted: an RSA key with a superfluous curve', () => {
    expect(read(jwkOf(rsa, { crv: 'P-256' })).length).toBe(1);
  });

  it('is not withdrawn when it is read', () => {
    expect(readOne(jwkOf(key)).withdrawn).toBe(false);
  });

  it.each<[string, Members]>([
    ['use sig', { use: 'sig' }],
    ['no use', { use: undefined }],
    ['key_ops with verify', { key_ops: ['sign', 'verify'] }],
    ['no alg', { alg: undefined }],
    ['no kid', { kid: undefined }],
    ['members that are not known', { x5c: ['x'], x5t: 'y', iat: 1 }],
  ])('is accepted: %s', (_name, members) => {
    expect(read(jwkOf(key, members)).length).toBe(1);
  });
});

describe('fits', () => {
  const byType: [string, typeof rsa, string[]][] = [
    ['RSA', rsa, ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']],
    ['P-256', key, ['ES256']],
    ['P-384', p384, ['ES384']],
    ['P-521', p521, ['ES512']],
    ['Ed25519', okp, ['EdDSA', 'Ed25519']],
  ];

  it.each(byType)('an %s key that names no algorithm: those of its type', (_name, pair, algs) => {
    const one = readOne(jwkOf(pair, { alg: undefined }));
    expect([...ALGORITHMS.keys(), 'HS256', 'none', 'x'].filter((alg) => one.fits(alg))).toEqual(algs);
  });

  it.each(byType)('an %s key that names one: that one', (_name, pair, algs) => {
    for (const alg of algs) {
      const one = readOne(jwkOf(pair, { alg }));
      // EdDSA and Ed25519 are two names of one algorithm.
      const names = pair === okp ? algs : [alg];
      expect([...ALGORITHMS.keys()].filter((candidate) => one.fits(candidate))).toEqual(names);
    }
  });
});

describe('pinAlgorithm', () => {
  it.each([
    ['that names no algorithm', undefined],
    ['that names it', 'RS256'],
  ])('pins a key %s to one algorithm', (_name, alg) => {
    const one = readOne(jwkOf(rsa, { alg }));
    expect([one.pinAlgorithm('RS256'), one.pinAlgorithm('PS256')]).toEqual([true, false]);
    expect([one.fits('RS256'), one.fits('PS256')]).toEqual([true, false]);
  });

  it.each(['EdDSA', 'Ed25519'])('treats both names of Ed25519 as the same: %s first', (alg) => {
    const one = readOne(jwkOf(okp, { alg: undefined }));
    expect([one.pinAlgorithm(alg), one.pinAlgorithm('EdDSA'), one.pinAlgorithm('Ed25519')]).toEqual([true, true, true]);
    expect([one.fits('EdDSA'), one.fits('Ed25519'), one.fits('ES256')]).toEqual([true, true, false]);
  });
});

describe('signatureLength', () => {
  it.each([
    ['RS256', rsa, 256],
    ['PS512', rsa, 256],
    ['ES256', key, 64],
    ['ES384', p384, 96],
    ['ES512', p521, 132],
    ['EdDSA', okp, 64],
    ['Ed25519', okp, 64],
  ])('%s', (alg, pair, bytes) => {
    expect(readOne(jwkOf(pair, { alg })).signatureLength(alg)).toBe(bytes);
  });

  it('is undefined if the key does not fit the algorithm', () => {
    expect(readOne(jwkOf(key)).signatureLength('RS256')).toBe(0);
    expect(readOne(jwkOf(key)).signatureLength('none')).toBe(0);
  });

  it('is undefined for a key without details', () => {
    const jwk = { kty: 'oct', crv: undefined, kid: undefined, alg: undefined };
    expect(new VerificationKey(jwk, createSecretKey(Buffer.alloc(256))).signatureLength('RS256')).toBe(0);
  });
});

describe('equals', () => {
  const one = readOne(jwkOf(key));

  it.each<[string, JWK, boolean]>([
    ['the same', jwkOf(key), true],
    ['another kid', jwkOf(key, { kid: 'key-2' }), false],
    ['another alg', jwkOf(key, { alg: undefined }), false],
    ['other material', jwkOf(createKey('ES256', 'key-1')), false],
  ])('%s', (_name, jwk, expected) => {
    expect(one.equals(readOne(jwk))).toBe(expected);
  });
});
