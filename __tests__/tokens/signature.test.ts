import nodeCrypto, { createSecretKey } from 'node:crypto';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readCompactJws } from '../../lib/protocol/compact-jws.js';
import { ALGORITHMS } from '../../lib/tokens/algorithms.js';
import { readKeySet, VerificationKey } from '../../lib/tokens/jwks/verification-key.js';
import { verifySignature } from '../../lib/tokens/signature.js';
import {
  assemble,
  claimsOf,
  createKey,
  type ForgeKey,
  forge,
  headerOf,
  jwkOf,
  type Signer,
  signedBy,
  unsigned,
} from '../support/token-forge.js';

const verifySpy = jest.spyOn(nodeCrypto, 'verify');
beforeEach(() => {
  jest.clearAllMocks();
});

const rsa = createKey('RS256', 'rsa');
const keyOf = (alg: string) => (/^[RP]S/.test(alg) ? { ...rsa, alg } : createKey(alg));

function jwsOf(compact: string) {
  const jws = readCompactJws(compact);
  if (jws === undefined) throw new Error('no JWS');
  return jws;
}

function publicOf(key: ForgeKey): VerificationKey {
  const [read] = readKeySet({ keys: [jwkOf(key, { alg: undefined })] });
  if (read === undefined) throw new Error('no usable key');
  return read;
}

const signed = (key: ForgeKey, alg: string, signer: Signer) =>
  jwsOf(assemble({ ...headerOf(key), alg }, claimsOf(), signer));

describe.each([...ALGORITHMS.keys()])('%s', (alg) => {
  const key = keyOf(alg);

  it('accepts the signature of the key', async () => {
    expect(await verifySignature(jwsOf(forge(key)), publicOf(key), alg)).toBe(true);
  });

  it('refuses the signature of another text', async () => {
    const signer: Signer = (input) => signedBy(key)(`${input} `);
    expect(await verifySignature(signed(key, alg, signer), publicOf(key), alg)).toBe(false);
    expect(verifySpy).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['a byte more', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from([0])])],
    ['a byte less', (bytes: Buffer) => bytes.subarray(0, -1)],
  ])('refuses a signature of %s without verifying it', async (_name, change) => {
    const signer: Signer = (input) => change(signedBy(key)(input));
    expect(await verifySignature(signed(key, alg, signer), publicOf(key), alg)).toBe(false);
    expect(verifySpy).not.toHaveBeenCalled();
  });
});

it('accepts the signature of an RSA key whose length is not a whole number of bytes', async () => {
  const odd = createKey('RS256', 'odd', 2_050);
  expect(odd.publicKey.asymmetricKeyDetails?.modulusLength).toBe(2_050);
  expect(await verifySignature(jwsOf(forge(odd)), publicOf(odd), 'RS256')).toBe(true);
});

it.each([
  ['ES256', 'ES384'],
  ['ES256', 'RS256'],
  ['RS256', 'EdDSA'],
])('does not use a key that does not fit the algorithm: %s for %s', async (own, alg) => {
  const key = keyOf(own);
  expect(await verifySignature(signed(key, alg, signedBy(key)), publicOf(key), alg)).toBe(false);
  expect(verifySpy).not.toHaveBeenCalled();
});

it.each([
  ['Ed25519', 'ES256'],
  ['ES256', 'Ed25519'],
])('does not use a key that only has the signature length of the algorithm: %s for %s', async (own, alg) => {
  const key = createKey(own);
  expect(publicOf(key).signatureLength(alg)).toBe(publicOf(key).signatureLength(own));
  expect(await verifySignature(signed(key, alg, signedBy(key)), publicOf(key), alg)).toBe(false);
  expect(verifySpy).not.toHaveBeenCalled();
});

it.each([
  ['RS256', 'PS256'],
  ['PS512', 'RS512'],
])('uses the algorithm of the header: %s is refused in a token with %s', async (asked, said) => {
  const key = keyOf(said);
  const jws = signed(key, said, signedBy(key));
  expect(await verifySignature(jws, publicOf(key), asked)).toBe(false);
  expect(await verifySignature(jws, publicOf(key), said)).toBe(true);
});

describe('a key that names no algorithm', () => {
  it('is pinned to the first one that it verified', async () => {
    const key = publicOf(rsa);
    const attempt = (alg: string, signer = signedBy(rsa, alg)) => verifySignature(signed(rsa, alg, signer), key, alg);
    expect(await attempt('PS256', unsigned)).toBe(false);
    expect([await attempt('RS512'), await attempt('PS256'), await attempt('RS512')]).toEqual([true, false, true]);
  });

  it('is pinned to one if two are verified concurrently', async () => {
    const key = publicOf(rsa);
    const algs = ['RS256', 'PS256'];
    const found = algs.map((alg) => verifySignature(signed(rsa, alg, signedBy(rsa, alg)), key, alg));
    expect((await Promise.all(found)).filter(Boolean).length).toBe(1);
  });
});

it('does not treat an unexpected error as an invalid signature', async () => {
  const key = createKey('ES256');
  const broken = new VerificationKey(
    { kty: 'EC', crv: 'P-256', kid: undefined, alg: undefined },
    createSecretKey('x', 'utf8'),
  );
  expect(() => verifySignature(jwsOf(forge(key)), broken, 'ES256')).toThrow('Invalid key object type secret');
});

it('does not treat an unexpected error in the thread pool as an invalid signature', async () => {
  const key = createKey('ES384');
  const fault = new Error('no thread');
  verifySpy.mockImplementationOnce((...[, , , , callback]: unknown[]) => {
    (callback as (error: Error) => void)(fault);
    return false;
  });
  await expect(verifySignature(jwsOf(forge(key)), publicOf(key), 'ES384')).rejects.toBe(fault);
});
