import { hash, timingSafeEqual } from 'node:crypto';

/**
 * SHA-256 of a credential, in lower-case hex.
 *
 * Fast on purpose: keys are drawn at random, 128 bits and more, so that there is nothing to guess, and a password hash
 * on every request would be a free denial of service.
 */
export function digestOf(credential: string): string {
  return hash('sha256', credential);
}

/** Whether two digests are equal, in a time that does not tell where they differ. */
export function digestsEqual(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
