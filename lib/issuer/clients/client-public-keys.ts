/** Imports and caches the public keys of clients, and finds the key that verifies a signature. */

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { PublicJwk } from '../../credentials/records/public-jwk.js';
import { readKeySet, type VerificationKey } from '../../tokens/jwks/verification-key.js';
import { isSlowRsa } from '../../tokens/jwks/weak-rsa.js';
import { verifySignature } from '../../tokens/signature.js';
import type { Assertion } from './read-assertion.js';

/** Maximum number of clients whose imported keys are cached. */
const MAX_CLIENTS = 1_000;
/**
 * Maximum number of keys that are tried for one assertion. If more keys could verify it, the assertion is refused
 * without trying any, because each try costs CPU time.
 */
const MAX_TRIES = 2;

/**
 * The result of verifying the signature of an assertion. If the signature is valid, `reason` is `undefined` and `kid`
 * names the key. `assertion_key`: there is no key to try, or there are too many. `assertion_signature`: the signature
 * is wrong for each key that was tried.
 */
export interface Signer {
  readonly kid: string | undefined;
  readonly reason: 'assertion_key' | 'assertion_signature' | undefined;
}

export class ClientKeys {
  /**
   * The imported public keys. The cache key consists of the client ID and the JWKs, so changed JWKs are imported again.
   */
  readonly #imported = new LRUCache<string, readonly VerificationKey[]>({ max: MAX_CLIENTS });
  #dummyKeys: readonly VerificationKey[] | undefined;

  /**
   * Finds the public key of the client that verifies an assertion: the key with the `kid` of the assertion. Without a
   * `kid`, every key for the algorithm of the assertion is tried, unless there are more than two.
   *
   * If there is no key to try, or there are too many, the signature is verified with a dummy key. Otherwise response
   * times would show which clients exist.
   *
   * @param jwks - The public keys of the client; empty if there is no such client.
   */
  async signerOf(assertion: Assertion, jwks: readonly PublicJwk[]): Promise<Signer> {
    const { alg, kid, jws, clientId } = assertion;
    const fitting = this.#keysOf(clientId, jwks).filter(
      (key) => (kid === undefined || key.kid === kid) && key.fits(alg),
    );
    if (fitting.length === 0 || fitting.length > MAX_TRIES) {
      await this.#verifyWithDummy(assertion);
      return { kid, reason: 'assertion_key' };
    }
    for (const key of fitting) {
      if (await verifySignature(jws, key, alg)) return { kid: key.kid, reason: undefined };
    }
    return { kid, reason: 'assertion_signature' };
  }

  #keysOf(clientId: string, jwks: readonly PublicJwk[]): readonly VerificationKey[] {
    if (jwks.length === 0) return [];
    const name = JSON.stringify([clientId, jwks]);
    const known = this.#imported.get(name);
    if (known !== undefined) return known;
    const keys = readKeySet({ keys: jwks }).filter(({ key }) => !isSlowRsa(key));
    this.#imported.set(name, keys);
    return keys;
  }

  async #verifyWithDummy({ jws, alg }: Assertion): Promise<void> {
    this.#dummyKeys ??= readKeySet({ keys: createDummyKeys() });
    const dummyKey = this.#dummyKeys.find((key) => key.fits(alg));
    if (dummyKey !== undefined) await verifySignature(jws, dummyKey, alg);
  }
}

/** Creates a dummy public key of each type. The private keys are discarded. */
function createDummyKeys(): readonly PublicJwk[] {
  const curves = ['P-256', 'P-384', 'P-521'].map((namedCurve) => generateKeyPairSync('ec', { namedCurve }));
  const pairs = [...curves, generateKeyPairSync('ed25519')];
  // The dummy modulus is a random odd number of 2,048 bits: verifying with it takes as long as with a real RSA modulus,
  // and it is created much faster. Only its first and its last bit matter; setting them in each byte is shorter.
  const modulus = randomBytes(256).map((byte) => byte | 0x81);
  const rsa = { kty: 'RSA', e: 'AQAB', n: Buffer.from(modulus).toString('base64url') };
  return [rsa, ...pairs.map(({ publicKey }) => ({ ...publicKey.export({ format: 'jwk' }) }))];
}
