import { hash, timingSafeEqual } from 'node:crypto';

/**
 * Returns the SHA-256 of a credential. Store this digest instead of the key, and search your table for
 * `PresentedKey.digest`, which is the same value.
 *
 * A fast hash is safe here: a key has at least 128 random bits, so it cannot be guessed. A slow password hash on every
 * request would make it easy to overload the service.
 *
 * @param credential - The whole key, or the secret of an access key.
 * @returns 64 characters of lowercase hex.
 * @example
 * ```ts
 * import { createKeyText, digestOf } from 'keyward';
 *
 * const key = createKeyText({ kind: 'secret', environment: 'live' });
 * const row = { id: 'key_1', digest: digestOf(key) };
 * ```
 */
export function digestOf(credential: string): string {
  return hash('sha256', credential);
}

/** Compares two digests in constant time, so that the response time does not show how many characters are equal. */
export function digestsEqual(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
