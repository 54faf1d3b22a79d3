/** Encrypts all signing keys again, to rotate the encryption key. */
import type { Engine } from '../engine.js';
import { CHECK_KID, checkBeforeWrite } from './check-encryption-key.js';
import { auditPlatform } from './platform-audit.js';
import type { SigningKeyCipher } from './signing-key-cipher.js';

/**
 * Encrypts every signing key with the first encryption key, so that the other encryption keys can be removed.
 *
 * @returns The number of signing keys.
 */
export async function reencryptSigningKeys(engine: Engine, cipher: SigningKeyCipher, actor: string): Promise<number> {
  return await engine.transact(async (tx) => {
    await checkBeforeWrite(tx, cipher);
    const rows = await tx.selectFrom('signing_keys').select(['kid', 'jwe']).execute();
    for (const { kid, jwe } of rows) {
      const again = await cipher.encrypt(kid, await cipher.decrypt(kid, jwe));
      await tx.updateTable('signing_keys').set({ jwe: again }).where('kid', '=', kid).execute();
    }
    await tx
      .updateTable('encryption_check')
      .set({ jwe: await cipher.encrypt(CHECK_KID, {}) })
      .execute();
    await auditPlatform(engine, tx, {
      ...{ action: 'encryption_key.rotate', subject: null, actor },
      after: { signingKeys: rows.length },
    });
    return rows.length;
  });
}
