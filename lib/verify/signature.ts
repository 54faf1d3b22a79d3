/** The signature of a JWS (RFC 7515 §5.2), by jose. */
import { compactVerify, errors } from 'jose';
import type { CompactJws } from '../protocol/compact-jws.js';
import type { VerificationKey } from './verification-key.js';

/**
 * Verifies the signature of a JWS.
 *
 * @param jws - A JWS that has kept the rules of its text: jose alone takes padding, white space and non-canonical bits.
 * @param alg - The "alg" of its header, one of those that are taken here.
 * @returns Whether the signature is the key's, over the header and the payload of this very text.
 */
export async function verifySignature(
  { compact, signature }: CompactJws,
  key: VerificationKey,
  alg: string,
): Promise<boolean> {
  if (!key.fits(alg) || signature.length !== key.signatureLength(alg)) return false;
  try {
    await compactVerify(compact, key.key, { algorithms: [alg] });
    return key.keepTo(alg);
  } catch (error) {
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
}
