import type { SigningKeyRecord, SigningKeyStore } from '../contracts/signing-key-store.js';

/** Makes a store of signing keys that lasts as long as the process: for tests, and for one instance. */
export function memorySigningKeys(): SigningKeyStore {
  let keys: readonly SigningKeyRecord[] = [];
  return Object.freeze({
    listSigningKeys: () => keys,
    addSigningKey(key: SigningKeyRecord, newest: string | undefined) {
      if (keys.at(-1)?.kid !== newest) return false;
      keys = [...keys, key];
      return true;
    },
    removeSigningKey(kid: string) {
      keys = keys.filter((key) => key.kid !== kid);
    },
  });
}
