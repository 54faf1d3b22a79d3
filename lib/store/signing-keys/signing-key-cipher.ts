/** Encrypts signing keys before they are stored, as JWEs. The encryption key itself is never in the database. */
import { parseSymmetricKey, SYMMETRIC_KEY_BYTES } from '../../options/symmetric-key.js';
import { StoreError } from '../store-error.js';

const EXPECTED = `openStore: option "encryptionKey" must be a key of ${SYMMETRIC_KEY_BYTES} bytes, as a Uint8Array or in base64url (43 characters), or a list of such keys`;

/** Encrypts and decrypts signing keys. */
export interface SigningKeyCipher {
  /**
   * Checks that there is an encryption key.
   *
   * @throws TypeError if there is none.
   */
  check(): void;
  encrypt(kid: string, jwk: Readonly<Record<string, unknown>>): Promise<string>;
  /**
   * Decrypts a signing key.
   *
   * @throws StoreError `encryption_key` if it was encrypted with another key, belongs to another `kid`, or was changed.
   */
  decrypt(kid: string, jwe: string): Promise<Readonly<Record<string, unknown>>>;
}

/**
 * Creates a cipher. A cipher without an encryption key throws when it is asked to encrypt or decrypt.
 *
 * @param given - An encryption key, or a list of keys: the first key encrypts, and every key decrypts.
 * @throws TypeError for an invalid key. The message never contains the key.
 */
export function createSigningKeyCipher(given: unknown): SigningKeyCipher {
  if (given === undefined) return { check: demandKey, encrypt: missing, decrypt: missing };
  const keys = Array.isArray(given) ? given.map(readKey) : [readKey(given)];
  const [first] = keys;
  if (first === undefined) throw new TypeError(EXPECTED);
  return {
    check: () => undefined,
    async encrypt(kid, jwk) {
      const { CompactEncrypt } = await import('jose');
      return await new CompactEncrypt(new TextEncoder().encode(JSON.stringify(jwk)))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid })
        .encrypt(first);
    },
    async decrypt(kid, jwe) {
      for (const key of keys) {
        const jwk = await decryptWith(key, kid, jwe);
        if (jwk !== undefined) return jwk;
      }
      throw new StoreError(
        'encryption_key',
        'no key in the option "encryptionKey" of openStore can decrypt the signing keys of this database; use the key that they were encrypted with',
      );
    },
  };
}

async function decryptWith(key: Uint8Array, kid: string, jwe: string): Promise<Record<string, unknown> | undefined> {
  const { compactDecrypt } = await import('jose');
  try {
    const { plaintext, protectedHeader } = await compactDecrypt(jwe, key, {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
    });
    return protectedHeader.kid === kid ? JSON.parse(new TextDecoder().decode(plaintext)) : undefined;
  } catch {
    // A wrong key and a damaged JWE cannot be distinguished: in both cases, the next key is tried.
    return undefined;
  }
}

const MISSING =
  'signing keys are stored encrypted, but there is no encryption key; set the option "encryptionKey" of openStore to 32 random bytes';

function demandKey(): never {
  throw new TypeError(MISSING);
}

async function missing(): Promise<never> {
  throw new StoreError('encryption_key', MISSING);
}

function readKey(given: unknown): Uint8Array {
  const key = parseSymmetricKey(given);
  if (key === undefined) throw new TypeError(EXPECTED);
  return key;
}
