import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { jwtVerify } from 'jose';
import { type ClientPrivateKey, readPrivateKey, signJwt } from '../../lib/http/client-private-key.js';
import { createKey } from '../support/token-forge.js';

const { privateKey, publicKey } = createKey('ES256');
const RSA = createKey('RS256').privateKey;
const jwk = (key: KeyObject) => key.export({ format: 'jwk' });
const pem = (key: KeyObject, type: 'pkcs8' | 'sec1' | 'pkcs1' = 'pkcs8') => String(key.export({ format: 'pem', type }));

function read(input: unknown, keyId?: string): ClientPrivateKey {
  const found = readPrivateKey(input, keyId);
  if (found === undefined) throw new Error('refused');
  return found;
}

describe('a private key', () => {
  it.each<[string, unknown]>([
    ['a KeyObject', privateKey],
    ['a JWK', jwk(privateKey)],
    ['PEM of PKCS #8', pem(privateKey)],
    ['PEM of SEC 1', pem(privateKey, 'sec1')],
  ])('is read: %s', (_name, input) => {
    const { key, alg, kid } = read(input);
    expect([key.equals(privateKey), alg, kid]).toEqual([true, 'ES256', undefined]);
  });

  it('of RSA is read from PEM of PKCS #1', () => {
    expect(read(pem(RSA, 'pkcs1')).key.equals(RSA)).toBe(true);
  });

  it.each([
    ['ES256', 'ES256'],
    ['ES384', 'ES384'],
    ['ES512', 'ES512'],
    ['EdDSA', 'EdDSA'],
    ['RS256', 'RS256'],
  ])('of %s signs with %s, unless its JWK says otherwise', (made, alg) => {
    expect(read(createKey(made).privateKey).alg).toBe(alg);
  });

  it.each(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'])('of RSA may say %s', (alg) => {
    expect(read({ ...jwk(RSA), alg }).alg).toBe(alg);
  });

  it('of Ed25519 may say Ed25519', () => {
    expect(read({ ...jwk(createKey('EdDSA').privateKey), alg: 'Ed25519' }).alg).toBe('Ed25519');
  });

  it('has the kid of the option, or that of its JWK', () => {
    const withKid = { ...jwk(privateKey), kid: 'mine' };
    expect([read(withKid).kid, read(withKid, 'given').kid, read(privateKey, 'given').kid]).toEqual([
      ...['mine', 'given', 'given'],
    ]);
  });
});

it('only a JWK is asked for alg and kid: members added to a KeyObject have no effect', () => {
  const { privateKey: key } = createKey('ES256');
  const { alg, kid } = read(Object.assign(key, { alg: 'ES384', kid: 'added' }));
  expect([alg, kid]).toEqual(['ES256', undefined]);
});

describe('no private key that can sign', () => {
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a number', 7],
    ['a text', 'secret'],
    ['an empty object', {}],
    ['a public KeyObject', publicKey],
    ['a public JWK', jwk(publicKey)],
    ['another algorithm', { ...jwk(privateKey), alg: 'ES384' }],
    ['an algorithm of another type', { ...jwk(RSA), alg: 'ES256' }],
    ['a short RSA key', generateKeyPairSync('rsa', { modulusLength: 1_024 }).privateKey],
    ['a key for agreement', generateKeyPairSync('x25519').privateKey],
    ['a curve without an algorithm', generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey],
  ])('%s', (_name, input) => {
    expect(readPrivateKey(input, undefined)).toBeUndefined();
  });
});

it('signs a JWT with the algorithm of the key', async () => {
  const token = await signJwt(read(privateKey), { typ: 'JWT', kid: 'k', alg: 'none' }, { iss: 'us' });
  const { payload, protectedHeader } = await jwtVerify(token, publicKey);
  expect([payload, protectedHeader]).toEqual([{ iss: 'us' }, { typ: 'JWT', kid: 'k', alg: 'ES256' }]);
});
