/** Signing keys at rest: each private key is a JWE of its own, under a key that the database never sees. */
import { CompactEncrypt, compactDecrypt } from 'jose';
import { StoreError } from './store-error.js';

const KEY_BYTES = 32;
const EXPECTED = `openStore: option "encryptionKey" must be ${KEY_BYTES} bytes, or their base64url text (43 characters)`;

/** What encrypts and opens signing keys. */
export interface SigningKeyVault {
  /** @throws TypeError without a key. */
  check(): void;
  seal(kid: string, jwk: Readonly<Record<string, unknown>>): Promise<string>;
  /** @throws StoreError `encryption_key` where it was sealed by another key, for another `kid`, or was changed. */
  open(kid: string, jwe: string): Promise<Readonly<Record<string, unknown>>>;
}

/**
 * Makes a vault; without a key one that refuses to seal and to open.
 *
 * @throws TypeError for a key that is none. It never prints it.
 */
export function signingKeyVault(given: unknown): SigningKeyVault {
  if (given === undefined) return { check: demandKey, seal: missing, open: missing };
  const key = readKey(given);
  return {
    check: () => undefined,
    seal: (kid, jwk) =>
      new CompactEncrypt(new TextEncoder().encode(JSON.stringify(jwk)))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid })
        .encrypt(key),
    async open(kid, jwe) {
      try {
        const { plaintext, protectedHeader } = await compactDecrypt(jwe, key, {
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
        });
        if (protectedHeader.kid === kid) return JSON.parse(new TextDecoder().decode(plaintext));
      } catch {
        // Told below, alike for every cause.
      }
      throw new StoreError(
        'encryption_key',
        'a stored signing key cannot be opened: is encryptionKey the one it was stored with?',
      );
    },
  };
}

const MISSING = 'signing keys are stored encrypted: openStore needs the option "encryptionKey"';

function demandKey(): never {
  throw new TypeError(MISSING);
}

async function missing(): Promise<never> {
  throw new StoreError('encryption_key', MISSING);
}

function readKey(given: unknown): Uint8Array {
  const bytes = typeof given === 'string' && /^[\w-]{43}=?$/.test(given) ? Buffer.from(given, 'base64url') : given;
  if (!(bytes instanceof Uint8Array) || bytes.byteLength !== KEY_BYTES) throw new TypeError(EXPECTED);
  // A copy: the caller may wipe its own.
  return Uint8Array.from(bytes);
}
