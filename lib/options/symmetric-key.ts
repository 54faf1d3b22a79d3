/** Parses symmetric keys of 32 bytes, such as the encryption key of a store. */

/** The length of a key in bytes. */
export const SYMMETRIC_KEY_BYTES = 32;

/**
 * Parses a key, which is 32 bytes, or 32 bytes as a base64url string.
 *
 * @returns A copy, because the caller may overwrite its array later; `undefined` if the value is not a key.
 */
export function parseSymmetricKey(value: unknown): Uint8Array | undefined {
  const bytes = typeof value === 'string' && /^[\w-]{43}=?$/.test(value) ? Buffer.from(value, 'base64url') : value;
  return bytes instanceof Uint8Array && bytes.byteLength === SYMMETRIC_KEY_BYTES ? Uint8Array.from(bytes) : undefined;
}
