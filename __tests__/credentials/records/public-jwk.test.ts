import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { hasPrivateMember, publicJwks, publicKeyDigest } from '../../../lib/credentials/records/public-jwk.js';
import { RecordError } from '../../../lib/credentials/records/record-error.js';

const RSA = { kty: 'RSA', n: 'AQAB', e: 'AQAB', kid: '1' };
const EC = { kty: 'EC', crv: 'P-256', x: 'a', y: 'b', kid: '2' };
const OKP = { kty: 'OKP', crv: 'Ed25519', x: 'a' };
const read = (value: unknown) => publicJwks('publicKeys', value);
const refusal = (text: string) => new RecordError(`publicKeys: ${text}`);

describe('publicJwks', () => {
  it('reads a list of keys, and freezes it', () => {
    const keys = read([RSA, EC, OKP]);
    expect(keys).toEqual([RSA, EC, OKP]);
    expect(Object.isFrozen(keys)).toBe(true);
    expect(read([])).toEqual([]);
  });

  it('reads 10 keys, of which several have no kid', () => {
    expect(read(Array.from({ length: 10 }, () => OKP))).toHaveLength(10);
  });

  it.each([
    ['undefined', undefined],
    ['a single key', RSA],
    ['11 keys', Array.from({ length: 11 }, () => OKP)],
    ['null among the keys', [RSA, null]],
    ['a text among the keys', [RSA, 'RSA']],
    ['a function among the keys', [Object.assign(() => 1, RSA)]],
    ['a symmetric key', [RSA, { kty: 'oct' }]],
    ['a key without a type', [{ n: 'AQAB' }]],
  ])('refuses %s', (_name, value) => {
    expect(() => read(value)).toThrow(refusal('expected a list of at most 10 JWKs of type RSA, EC or OKP'));
  });

  it.each(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'])('refuses a key with the private member %s', (member) => {
    expect(hasPrivateMember({ ...RSA, [member]: 'x' })).toBe(true);
    expect(() => read([EC, { ...RSA, [member]: 'x' }])).toThrow(
      refusal('contains a private key; store only public keys'),
    );
  });

  it('finds no private member in a public key', () => {
    expect([RSA, EC, OKP].map(hasPrivateMember)).toEqual([false, false, false]);
  });

  it('refuses two keys with the same kid', () => {
    expect(() => read([RSA, OKP, { ...EC, kid: '1' }])).toThrow(
      refusal('contains two keys with the same kid; each key must have its own kid'),
    );
  });
});

describe('publicKeyDigest', () => {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

  it('is the SHA-256 of client ID, a space and the kid, which may be missing', () => {
    expect(publicKeyDigest('ack_1', 'key 1')).toBe(sha256('ack_1 key 1'));
    expect(publicKeyDigest('ack_1', undefined)).toBe(sha256('ack_1 '));
  });
});
