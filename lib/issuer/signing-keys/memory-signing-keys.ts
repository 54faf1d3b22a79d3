import type { SigningKeyRecord, SigningKeyStore } from '../../contracts/signing-key-store.js';

/**
 * Creates a store of signing keys in memory, for tests or a single instance. Keys are lost when the process ends.
 *
 * @example
 * ```ts
 * import { memorySigningKeys } from 'keyward/issuer';
 *
 * const signingKeys = memorySigningKeys();
 * ```
 */
export function memorySigningKeys(): SigningKeyStore {
  let keys: readonly SigningKeyRecord[] = [];
  return Object.freeze({
    listSigningKeys: () => keys,
    addSigningKey(key: SigningKeyRecord, newest: string | undefined) {
      if (keys.at(-1)?.kid !== newest) return false;
      keys = [...keys, key];
      return true;
    },
    retireSigningKey(kid: string) {
      keys = keys.map((key) => (key.kid === kid ? { ...key, retiredAt: key.retiredAt ?? new Date() } : key));
    },
    removeSigningKey(kid: string) {
      keys = keys.filter((key) => key.kid !== kid);
    },
  });
}
