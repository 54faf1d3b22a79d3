/** Checks that all instances of a database encrypt signing keys with the same key. */
import type { Transaction } from 'kysely';
import type { Engine } from '../engine.js';
import type { Tables } from '../tables.js';
import type { SigningKeyCipher } from './signing-key-cipher.js';

/** The `kid` of the row that only our encryption key decrypts. */
export const CHECK_KID = 'encryption_check';

/**
 * Checks that this database uses our encryption key, even if it has no signing key yet. Without this check, two
 * instances with different keys would wait forever for signing keys that only the other can decrypt.
 *
 * @throws StoreError `encryption_key` if the database uses another key.
 */
export async function checkEncryptionKey(engine: Engine, cipher: SigningKeyCipher): Promise<void> {
  const jwes = await engine.lookups.selectFrom('signing_keys').select(['kid', 'jwe']).execute();
  for (const { kid, jwe } of jwes) await cipher.decrypt(kid, jwe);
  await cipher.decrypt(CHECK_KID, (await storedCheck(engine.lookups)) ?? (await addCheck(engine, cipher)));
}

/**
 * Adds the row that only our encryption key decrypts.
 *
 * @returns The stored row. If two instances start at the same time, it is the row of the first one.
 */
async function addCheck(engine: Engine, cipher: SigningKeyCipher): Promise<string> {
  const jwe = await cipher.encrypt(CHECK_KID, {});
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
