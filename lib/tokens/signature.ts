/** Verifies the signature of a JWS (RFC 7515 §5.2): of an access token, a DPoP proof or a client assertion. */
import crypto from 'node:crypto';
import type { CompactJws } from '../protocol/compact-jws.js';
import { ALGORITHMS } from './algorithms.js';
import type { VerificationKey } from './jwks/verification-key.js';

/**
 * Verifies the signature of a JWS: synchronously, or in the thread pool for P-384 and P-521.
 *
 * @param jws - A JWS that was parsed strictly.
 * @param alg - The `alg` of its header. The caller must have checked that this algorithm is allowed.
 * @returns Whether the key made the signature over exactly this header and payload. If the JWK of the key has no `alg`,
 *   the first valid signature pins the key to its algorithm (RFC 8725 section 3.1).
 */
export function verifySignature(
  { compact, signature }: CompactJws,
  key: VerificationKey,
  alg: string,
): boolean | Promise<boolean> {
  const algorithm = ALGORITHMS.get(alg);
  if (algorithm === undefined || !key.fits(alg) || signature.length !== key.signatureLength(alg)) return false;
  const { hash, options, isSlow } = algorithm;
  const input = Buffer.from(compact.slice(0, compact.lastIndexOf('.')), 'latin1');
  const keyInput = { key: key.key, ...options };
  if (!isSlow) return crypto.verify(hash, input, keyInput, signature) && key.pinAlgorithm(alg);
  return new Promise((resolve, reject) => {
    crypto.verify(hash, input, keyInput, signature, (error, isValid) => {
      if (error) reject(error);
      else resolve(isValid && key.pinAlgorithm(alg));
    });
  });
}
