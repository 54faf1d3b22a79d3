import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createLocalJWKSet, jwtVerify } from 'jose';
import type { SigningKeyRecord } from '../../../lib/issuer/index.js';
import {
  makeSigningKey,
  readSigningKey,
  SIGNING_ALGORITHMS,
  SigningKeyError,
} from '../../../lib/issuer/signing-keys/signing-key.js';

const MADE_AT = 1_800_000_000_000;
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

describe.each(SIGNING_ALGORITHMS)('a key of %s', (algorithm) => {
  let record: SigningKeyRecord;
  beforeAll(async () => {
    record = await makeSigningKey(algorithm, MADE_AT);
  });

  it('signs claims that jose verifies with the published key', async () => {
    const { sign, publicJwk, kid } = await readSigningKey(record);
    const jws = await sign({ sub: 'ack_1', scope: 'é "\\' });
    const { payload, protectedHeader } = await jwtVerify(jws, createLocalJWKSet({ keys: [publicJwk] }));
    expect(payload).toEqual({ sub: 'ack_1', scope: 'é "\\' });
    expect(protectedHeader).toEqual({ alg: algorithm, typ: 'at+jwt', kid });
  });

  it('signs with RSA in the thread pool, and with an elliptic curve at once, which is faster', async () => {
    const { sign } = await readSigningKey(record);
    let isSigned = false;
    const signed = sign({}).then(() => {
      isSigned = true;
    });
    // The thread pool answers in a later turn of the event loop, after all promises of this turn.
    await Promise.resolve();
    expect(isSigned).toBe(algorithm !== 'RS256');
    await signed;
  });

  it('A22 is published without private members, with alg and use', async () => {
    const { publicJwk } = await readSigningKey(record);
    expect(publicJwk).toMatchObject({ kid: record.kid, alg: algorithm, use: 'sig' });
    expect(PRIVATE_MEMBERS.filter((name) => name in publicJwk)).toEqual([]);
  });

  it('is refused from a record with another algorithm', async () => {
    for (const other of SIGNING_ALGORITHMS.filter((name) => name !== algorithm)) {
      await expect(readSigningKey({ ...record, alg: other })).rejects.toThrow(SigningKeyError);
    }
  });
});

describe('a stored key that cannot sign', () => {
  let record: SigningKeyRecord;
  let other: SigningKeyRecord;
  beforeAll(async () => {
    [record, other] = await Promise.all([makeSigningKey('ES256', MADE_AT), makeSigningKey('ES256', MADE_AT)]);
  });
  const rsa = (bits: number) => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: bits });
    return { kid: 'weak', alg: 'RS256', jwk: privateKey.export({ format: 'jwk' }) };
  };

  const corruptRsa = () => {
    const { jwk, ...others } = rsa(2_048);
    return { ...others, jwk: { ...jwk, p: 'AA', q: 'AA', dp: 'AA', dq: 'AA', qi: 'AA' } };
  };

  it.each<[string, () => unknown, string]>([
    ['nothing', () => undefined, 'a signing key in the store has no kid'],
    ['an empty kid', () => ({ kid: '' }), 'a signing key in the store has no kid'],
    ['an unknown algorithm', () => ({ kid: 'k', alg: 'PS256' }), 'its alg must be RS256, ES256 or EdDSA'],
    ['an algorithm by inheritance', () => ({ kid: 'k', alg: 'toString' }), 'its alg must be RS256, ES256 or EdDSA'],
    ['an algorithm in a list', () => ({ kid: 'k', alg: ['ES256'] }), 'its alg must be RS256, ES256 or EdDSA'],
    ['no createdAt', () => ({ kid: 'k', createdAt: undefined }), 'its createdAt must be a valid Date'],
    ['createdAt as a text', () => ({ kid: 'k', createdAt: '2026-01-01' }), 'its createdAt must be a valid Date'],
    ['an invalid createdAt', () => ({ kid: 'k', createdAt: new Date('') }), 'its createdAt must be a valid Date'],
    ['no jwk', () => ({ kid: 'k', jwk: undefined }), 'its jwk must be a private key'],
    ['a public jwk', () => ({ kid: 'k', jwk: { ...record.jwk, d: undefined } }), 'its jwk must be a private key'],
    ['a jwk that is a text', () => ({ kid: 'k', jwk: 'sealed' }), 'its jwk must be a private key'],
    [
      'the public half of another key',
      () => ({ kid: 'k', jwk: { ...record.jwk, x: other.jwk.x, y: other.jwk.y } }),
      'a test signature (ES256) made with its private key cannot be verified with its public key',
    ],
    [
      'a key that signs nothing at all',
      () => ({ kid: 'k', alg: 'EdDSA', jwk: generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' }) }),
      'a test signature (EdDSA) made with its private key cannot be verified with its public key',
    ],
    [
      'an RSA key whose primes are none',
      () => corruptRsa(),
      'a test signature (RS256) made with its private key cannot be verified',
    ],
    [
      'an RSA key of 1,024 bits',
      () => rsa(1_024),
      'a test signature (RS256) made with its private key cannot be verified with its public key',
    ],
  ])('%s', async (_what, traits, message) => {
    const given = traits();
    const read = readSigningKey(given === undefined ? given : { ...record, ...(given as object) });
    await expect(read).rejects.toThrow(SigningKeyError);
    await expect(read).rejects.toThrow(message);
  });

  it('is reported by its kid, on one line, without key material', async () => {
    const read = readSigningKey({ ...record, kid: 'a\nb', jwk: { ...other.jwk, d: record.jwk.d ?? '' } });
    const { message } = (await read.catch((error) => error)) as Error;
    expect(message).toMatch(/^signing key "a\\nb": /);
    expect(message).not.toContain(record.jwk.d);
  });
});
