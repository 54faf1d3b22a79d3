/** Checks that all instances with the same database encrypt its signing keys with the same key. */
import type { Transaction } from 'kysely';
import type { Engine } from '../engine.js';
import type { Tables } from '../tables.js';
import type { SigningKeyCipher } from './signing-key-cipher.js';

/** The `kid` in the header of the JWE that is stored in the table `encryption_check`. */
export const CHECK_KID = 'encryption_check';

/**
 * Checks that this instance can decrypt all signing keys of the database. A new database has no signing keys, so the
 * first instance adds a row to `encryption_check`, which every later instance must decrypt. Without this check, an
 * instance with another encryption key would start, but could not use the signing keys of the others.
 *
 * @throws StoreError `encryption_key` if it cannot decrypt a signing key or the row.
 */
export async function checkEncryptionKey(engine: Engine, cipher: SigningKeyCipher): Promise<void> {
  const jwes = await engine.lookups.selectFrom('signing_keys').select(['kid', 'jwe']).execute();
  for (const { kid, jwe } of jwes) await cipher.decrypt(kid, jwe);
  const jwe = await storedCheck(engine.lookups);
  if (jwe === undefined) await engine.transact((tx) => checkBeforeWrite(tx, cipher));
  else await cipher.decrypt(CHECK_KID, jwe);
}

/**
 * Checks the encryption key in a transaction that will encrypt signing keys. Without this check, an instance with
 * another encryption key could write a signing key that the others cannot decrypt: if the database was down when the
 * instance started, `checkEncryptionKey` may have failed later, or may not have run yet.
 *
 * @throws StoreError `encryption_key`
 */
export async function checkBeforeWrite(tx: Transaction<Tables>, cipher: SigningKeyCipher): Promise<void> {
  await cipher.decrypt(CHECK_KID, (await storedCheck(tx)) ?? (await addCheck(tx, cipher)));
}

/**
 * Adds the row of `encryption_check`, encrypted by this instance.
 *
 * @returns The stored row. If two instances start at the same time, it is the row of the first one.
 */
async function addCheck(tx: Transaction<Tables>, cipher: SigningKeyCipher): Promise<string> {
  const jwe = await cipher.encrypt(CHECK_KID, {});
  await tx
    .insertInto('encryption_check')
    .values({ one: 1, jwe })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await storedCheck(tx)) ?? jwe;
}

async function storedCheck(db: Pick<Transaction<Tables>, 'selectFrom'>): Promise<string | undefined> {
  return (await db.selectFrom('encryption_check').select('jwe').executeTakeFirst())?.jwe;
}
