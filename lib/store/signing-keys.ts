/** The issuer's signing keys, in the database. */
import type { SigningKeyRecord, SigningKeyStore } from '../contracts/signing-key-store.js';
import type { Engine } from './engine.js';
import type { SigningKeyVault } from './signing-key-vault.js';
import { StoreError } from './store-error.js';

export function storedSigningKeys(engine: Engine, vault: SigningKeyVault): SigningKeyStore {
  async function listSigningKeys(): Promise<readonly SigningKeyRecord[]> {
    const rows = await engine.reader.selectFrom('signing_keys').selectAll().orderBy('number').execute();
    return await Promise.all(
      rows.map(async ({ kid, alg, created_at, jwe }) => ({
        kid,
        alg,
        createdAt: new Date(created_at),
        jwk: await vault.open(kid, jwe),
      })),
    );
  }

  async function addSigningKey(key: SigningKeyRecord, newest: string | undefined): Promise<boolean> {
    const jwe = await vault.seal(key.kid, key.jwk);
    try {
      return await engine.transact(async (tx) => {
        const last = await tx
          .selectFrom('signing_keys')
          .select(['number', 'kid'])
          .orderBy('number', 'desc')
          .limit(1)
          .executeTakeFirst();
        if (last?.kid !== newest) return false;
        const number = (last?.number ?? 0) + 1;
        const row = { number, kid: key.kid, alg: key.alg, created_at: key.createdAt.getTime(), jwe };
        await tx.insertInto('signing_keys').values(row).execute();
        return true;
      });
    } catch (error) {
      // Somebody else took the number.
      if (error instanceof StoreError && error.code === 'store_conflict') return false;
      throw error;
    }
  }

  async function removeSigningKey(kid: string): Promise<void> {
    await engine.transact((tx) => tx.deleteFrom('signing_keys').where('kid', '=', kid).execute());
  }

  return { checkSigningKeys: vault.check, listSigningKeys, addSigningKey, removeSigningKey };
}
