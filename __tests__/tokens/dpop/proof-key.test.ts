import { describe, expect, it } from '@jest/globals';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { isThumbprint, type ProofJwk, ProofKeys, readProofJwk } from '../../../lib/tokens/dpop/proof-key.js';
import { createKey, jwkOf, type Members } from '../../support/token-forge.js';
import { modulusOf, weakKeys } from '../../support/weak-keys.js';

const bare = (alg: string) => jwkOf(createKey(alg), { kid: undefined, use: undefined, alg: undefined });
const [p256, p384, p521, okp, rsa] = ['ES256', 'ES384', 'ES512', 'EdDSA', 'RS256'].map(bare) as [
  JWK,
  JWK,
  JWK,
  JWK,
  JWK,
];

function read(jwk: unknown, alg: string): ProofJwk {
  const found = readProofJwk(jwk, alg);
  if (found === undefined) throw new Error('refused');
  return found;
}

it('takes no key of a polluted Object.prototype for an imported one', () => {
  Object.defineProperty(Object.prototype, 'key', { value: 'x', configurable: true, writable: true });
  try {
    expect(new ProofKeys().import(read(p256, 'ES256'))?.key.type).toBe('public');
  } finally {
    Reflect.deleteProperty(Object.prototype, 'key');
  }
});

describe('isThumbprint', () => {
  const good = 'A'.repeat(43);

  it.each([
    ['43 characters', good, true],
    ['each last character without unused bits', `${'_'.repeat(42)}8`, true],
    ['unused bits', `${'A'.repeat(42)}B`, false],
    ['42 characters', 'A'.repeat(42), false],
    ['44 characters', 'A'.repeat(44), false],
    ['a character before', `=${good}`, false],
    ['a character after', `${good}=`, false],
    ['an object that prints as one', { toString: () => good }, false],
    ['nothing', undefined, false],
  ])('%s', (_name, value, expected) => {
    expect(isThumbprint(value)).toBe(expected);
  });
});

describe('a public key', () => {
  it.each([
    ['ES256', p256, ['crv', 'kty', 'x', 'y']],
    ['ES384', p384, ['crv', 'kty', 'x', 'y']],
    ['EdDSA', okp, ['crv', 'kty', 'x']],
    ['Ed25519', okp, ['crv', 'kty', 'x']],
    ['RS256', rsa, ['e', 'kty', 'n']],
    ['PS256', rsa, ['e', 'kty', 'n']],
  ])('for %s is read, with its thumbprint', async (alg, jwk, names) => {
    const found = read({ ...jwk, other: 'ignored' }, alg);
    expect([found.alg, Object.keys(found.members)]).toEqual([alg, names]);
    expect(jwk).toMatchObject(found.members);
    expect(found.thumbprint).toBe(await calculateJwkThumbprint(jwk));
  });

  it.each<[string, Members]>([
    ['use', { use: 'sig' }],
    ['key_ops', { key_ops: ['sign', 'verify'] }],
    ['alg', { alg: 'ES256' }],
  ])('may say that it is for this signature: %s', (_name, members) => {
    expect(read({ ...p256, ...members }, 'ES256').alg).toBe('ES256');
  });
});

describe('no public key for the algorithm', () => {
  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'ES256'],
    ['null', null, 'ES256'],
    ['a string', JSON.stringify(p256), 'ES256'],
    ['a list with the members of a key', Object.assign([], p256), 'ES256'],
    ['a function with the members of a key', Object.assign(() => {}, p256), 'ES256'],
    ['an unknown algorithm', p256, 'none'],
    ['a curve that no proof may use', p521, 'ES512'],
    ['another type', okp, 'ES256'],
    ['another type, with the members of this one', { ...p256, kty: 'OKP' }, 'ES256'],
    ['another curve', p384, 'ES256'],
    ['the coordinates of P-384', { ...p384, crv: 'P-256' }, 'ES256'],
    ['the coordinates of P-256', { ...p256, crv: 'P-384' }, 'ES384'],
    ['no curve', { ...p256, crv: undefined }, 'ES256'],
    ['no x', { ...p256, x: undefined }, 'ES256'],
    ['no y', { ...p256, y: undefined }, 'ES256'],
    ['no x of Ed25519', { ...okp, x: undefined }, 'EdDSA'],
    ['x with unused bits', { ...p256, x: `${'A'.repeat(42)}B` }, 'ES256'],
    ['y that is too long', { ...p384, y: `${p384.y}A` }, 'ES384'],
    ['y that is too long at the start', { ...p384, y: `=${p384.y}` }, 'ES384'],
    ['no e', { ...rsa, e: undefined }, 'RS256'],
    ['no n', { ...rsa, n: undefined }, 'RS256'],
    ['e that is a list', { ...rsa, e: ['AQAB'] }, 'RS256'],
    ['e with a zero byte before', { ...rsa, e: 'AAEAAQ' }, 'RS256'],
    ['e with unused bits', { ...rsa, e: 'AR' }, 'RS256'],
    ['e with padding', { ...rsa, e: 'AQ==' }, 'RS256'],
    ['e with a space before', { ...rsa, e: ' AQAB' }, 'RS256'],
    ['n that is zero', { ...rsa, n: 'AA' }, 'RS256'],
    ['e that is empty', { ...rsa, e: '' }, 'RS256'],
    ['use: enc', { ...p256, use: 'enc' }, 'ES256'],
    ['use that is null', { ...p256, use: null }, 'ES256'],
    ['key_ops without verify', { ...p256, key_ops: ['sign'] }, 'ES256'],
    ['key_ops that is a string', { ...p256, key_ops: 'verify' }, 'ES256'],
    ['another alg', { ...p256, alg: 'ES384' }, 'ES256'],
    ['inherited members', Object.create(p256), 'ES256'],
  ])('%s', (_name, jwk, alg) => {
    const given = typeof jwk === 'object' && jwk !== null && !Array.isArray(jwk) ? withoutUndefined(jwk) : jwk;
    expect(readProofJwk(given, alg)).toBeUndefined();
  });

  it.each(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'kid'])('a key with %s', (name) => {
    expect(readProofJwk({ ...p256, [name]: undefined }, 'ES256')).toBeUndefined();
  });

  it('n of more than 2,048 characters', () => {
    const withLength = (length: number) => ({ ...rsa, n: `__${'A'.repeat(length - 2)}` });
    expect(read(withLength(2_048), 'RS256').members.n).toHaveLength(2_048);
    // No base64url has 2,049 characters.
    expect(readProofJwk(withLength(2_050), 'RS256')).toBeUndefined();
  });
});

describe('the import of a key', () => {
  it('is done once for each algorithm and key', () => {
    const keys = new ProofKeys();
    const [first, again] = [keys.import(read(okp, 'EdDSA')), keys.import(read({ ...okp }, 'EdDSA'))];
    expect(first).toBeDefined();
    expect(again).toBe(first);
    // A key is pinned to the first algorithm that it verifies.
    const other = keys.import(read(okp, 'Ed25519'));
    expect(other).toBeDefined();
    expect(other).not.toBe(first);
    expect(keys.import(read(bare('EdDSA'), 'EdDSA'))).not.toBe(first);
  });

  it.each([
    ['ES256', p256],
    ['ES384', p384],
    ['EdDSA', okp],
    ['RS256', rsa],
  ])('makes a key for %s alone', (alg, jwk) => {
    const key = new ProofKeys().import(read(jwk, alg));
    const fitting = ['ES256', 'ES384', 'EdDSA', 'RS256'].filter((name) => key?.fits(name));
    expect([key?.kid, fitting]).toEqual([undefined, [alg]]);
  });

  it('refuses a point that is not on the curve, each time', () => {
    const keys = new ProofKeys();
    const off = read({ ...p256, x: p256.y }, 'ES256');
    expect([keys.import(off), keys.import(off)]).toEqual([undefined, undefined]);
  });

  it.each(weakKeys.filter(([name]) => name !== 'n = 0'))('refuses an RSA key with %s', (_name, { n, e }) => {
    expect(new ProofKeys().import(read({ kty: 'RSA', n, e }, 'RS256'))).toBeUndefined();
  });

  it('refuses an RSA key that is slow', () => {
    const imported = (bits: number) =>
      new ProofKeys().import(read({ kty: 'RSA', n: modulusOf(bits), e: 'AQAB' }, 'RS256'));
    expect([imported(4_096) !== undefined, imported(4_104)]).toEqual([true, undefined]);
  });
});

/** JSON has no `undefined`; inherited members stay. */
function withoutUndefined(jwk: object): object {
  const copy = Object.create(Object.getPrototypeOf(jwk));
  return Object.assign(copy, JSON.parse(JSON.stringify(jwk)));
}
