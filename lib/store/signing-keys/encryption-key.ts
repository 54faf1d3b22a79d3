/** Checks and rotates the key that encrypts signing keys. All instances of a database must use the same key. */
import type { Transaction } from 'kysely';
import type { Engine } from '../engine.js';
import type { Tables } from '../tables.js';
import { auditPlatform } from './platform-audit.js';
import type { SigningKeyCipher } from './signing-key-cipher.js';

const CHECK = 'encryption_check';

/**
 * Checks that this database uses our encryption key, even if it has no signing key yet. Without this check, two
 * instances with different keys would wait forever for signing keys that only the other can decrypt.
 *
 * @throws StoreError `encryption_key` if the database uses another key.
 */
export async function checkEncryptionKey(engine: Engine, cipher: SigningKeyCipher): Promise<void> {
  const jwes = await engine.lookups.selectFrom('signing_keys').select(['kid', 'jwe']).execute();
  for (const { kid, jwe } of jwes) await cipher.decrypt(kid, jwe);
  await cipher.decrypt(CHECK, (await storedCheck(engine.lookups)) ?? (await addCheck(engine, cipher)));
}

/**
 * Adds the row that only our encryption key decrypts.
 *
 * @returns The stored row. If two instances start at the same time, it is the row of the first one.
 */
async function addCheck(engine: Engine, cipher: SigningKeyCipher): Promise<string> {
  const jwe = await cipher.encrypt(CHECK, {});
  return await engine.transact(async (tx) => {
    await tx
      .insertInto('encryption_check')
      .values({ one: 1, jwe })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return (await storedCheck(tx)) ?? jwe;
  });
}

async function storedCheck(db: Pick<Transaction<Tables>, 'selectFrom'>): Promise<string | undefined> {
  return (await db.selectFrom('encryption_check').select('jwe').executeTakeFirst())?.jwe;
}

/**
 * Encrypts every signing key with the first encryption key, so that the other encryption keys can be removed.
 *
 * @returns The number of signing keys.
 */
export async function reencrypt(engine: Engine, cipher: SigningKeyCipher, actor: string): Promise<number> {
  return await engine.transact(async (tx) => {
    const rows = await tx.selectFrom('signing_keys').select(['kid', 'jwe']).execute();
    for (const { kid, jwe } of rows) {
      const again = await cipher.encrypt(kid, await cipher.decrypt(kid, jwe));
      await tx.updateTable('signing_keys').set({ jwe: again }).where('kid', '=', kid).execute();
    }
    await tx
      .updateTable('encryption_check')
      .set({ jwe: await cipher.encrypt(CHECK, {}) })
      .execute();
    await auditPlatform(engine, tx, {
      ...{ action: 'encryption_key.rotate', subject: null, actor },
      after: { signingKeys: rows.length },
    });
    return rows.length;
  });
}
