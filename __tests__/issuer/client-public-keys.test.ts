import crypto, { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SignJWT } from 'jose';
import type { PublicJwk } from '../../lib/credentials/records/public-jwk.js';
import { ClientKeys } from '../../lib/issuer/clients/client-public-keys.js';
import type { Assertion } from '../../lib/issuer/clients/read-assertion.js';
import { type CompactJws, readCompactJws } from '../../lib/protocol/compact-jws.js';

afterEach(() => void jest.restoreAllMocks());

const assertionOf = (compact: string, alg: string, clientId = 'ack_1'): Assertion => ({
  ...{ jws: readCompactJws(compact) as CompactJws, alg, clientId },
  ...{ kid: undefined, jti: 'one', expiresAt: 0 },
});

/** An assertion whose signature has the right length, but was not made with any key. */
function forged(alg: string, signatureLength: number, clientId?: string): Assertion {
  const header = Buffer.from(JSON.stringify({ alg })).toString('base64url');
  return assertionOf(`${header}.e30.${randomBytes(signatureLength).toString('base64url')}`, alg, clientId);
}

describe('an assertion that no key of its client can verify', () => {
  it.each([
    ['RS256', 256, { kty: 'RSA', e: 'AQAB' }],
    ['PS512', 256, { kty: 'RSA', e: 'AQAB' }],
    ['ES256', 64, { kty: 'EC', crv: 'P-256' }],
    ['ES384', 96, { kty: 'EC', crv: 'P-384' }],
    ['ES512', 132, { kty: 'EC', crv: 'P-521' }],
    ['EdDSA', 64, { kty: 'OKP', crv: 'Ed25519' }],
  ])('is still verified, with a dummy key, so that it takes as long: %s', async (alg, length, jwk) => {
    const verify = jest.spyOn(crypto, 'verify');
    const signer = await new ClientKeys().signerOf(forged(alg, length), []);
    expect(signer).toEqual({ kid: undefined, reason: 'assertion_key' });
    const keys = verify.mock.calls.map(([, , input]) => (input as unknown as { readonly key: KeyObject }).key);
    expect(keys.map((key) => key.export({ format: 'jwk' }))).toMatchObject([jwk]);
  });

  it('is verified with a dummy RSA key of 2,048 bits, whose modulus is odd like a real one', async () => {
    const verify = jest.spyOn(crypto, 'verify');
    await new ClientKeys().signerOf(forged('RS256', 256), []);
    const [key] = verify.mock.calls.map(([, , input]) => (input as unknown as { readonly key: KeyObject }).key);
    const modulus = Buffer.from(String(key?.export({ format: 'jwk' }).n), 'base64url');
    const isOdd = Number(modulus.at(-1)) % 2 === 1;
    expect([key?.asymmetricKeyDetails?.modulusLength, isOdd]).toEqual([2_048, true]);
  });
});

describe('the imported keys of a client', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const jwks = [{ ...publicKey.export({ format: 'jwk' }), kid: 'one' } as unknown as PublicJwk];
  let byRs256: Assertion;
  let byPs256: Assertion;
  beforeAll(async () => {
    const signedBy = async (alg: string) =>
      assertionOf(await new SignJWT().setProtectedHeader({ alg }).sign(privateKey), alg);
    [byRs256, byPs256] = await Promise.all([signedBy('RS256'), signedBy('PS256')]);
  });
  const verified = { kid: 'one', reason: undefined };
  const refused = { kid: undefined, reason: 'assertion_key' };

  it('verify only the algorithm of their first signature (RFC 8725 §3.1)', async () => {
    const keys = new ClientKeys();
    expect(await keys.signerOf(byRs256, jwks)).toEqual(verified);
    expect(await keys.signerOf(byPs256, jwks)).toEqual(refused);
    expect(await keys.signerOf(byRs256, jwks)).toEqual(verified);
    expect(await new ClientKeys().signerOf(byPs256, jwks)).toEqual(verified);
  });

  it('stay imported while 1,000 clients without keys ask', async () => {
    const keys = new ClientKeys();
    await keys.signerOf(byRs256, jwks);
    for (let client = 1; client <= 1_000; client += 1)
      await keys.signerOf(forged('ES256', 64, `ack_other_${client}`), []);
    expect(await keys.signerOf(byPs256, jwks)).toEqual(refused);
  });
});
