import { hash, timingSafeEqual } from 'node:crypto';

/**
 * Returns the SHA-256 of a credential, the lookup key of a table of keys. It is the same as `PresentedKey.digest`.
 *
 * A fast hash is right here: a key has at least 128 random bits and cannot be guessed, and a slow password hash on
 * every request would make it easy to overload the service.
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

/** Compares two digests in constant time. */
export function digestsEqual(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
