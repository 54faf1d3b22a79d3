import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Engine } from '../../lib/store/engine.js';
import { CHECK_KID, checkBeforeWrite, checkEncryptionKey } from '../../lib/store/signing-keys/check-encryption-key.js';
import { createSigningKeyCipher } from '../../lib/store/signing-keys/signing-key-cipher.js';
import { openSqlite } from '../../lib/store/sqlite/engine.js';

const OWN = createSigningKeyCipher(Buffer.alloc(32, 1));
const OTHER = createSigningKeyCipher(Buffer.alloc(32, 2));

describe('the check of the encryption key', () => {
  let engine: Engine;

  beforeEach(async () => {
    engine = await openSqlite(':memory:');
    await engine.migrate();
  });
  afterEach(() => engine.close());

  it('does not wait for writers if it has a row', async () => {
    await checkEncryptionKey(engine, OWN);
    const locked: Engine = { ...engine, transact: () => Promise.reject(new Error('the database is locked')) };
    await expect(checkEncryptionKey(locked, OWN)).resolves.toBeUndefined();
    await expect(checkEncryptionKey(locked, OTHER)).rejects.toMatchObject({ code: 'encryption_key' });
  });

  it('adds a row that every version of keyward decrypts by the same name', async () => {
    await checkEncryptionKey(engine, OWN);
    const rows = await engine.lookups.selectFrom('encryption_check').selectAll().execute();
    expect(rows).toEqual([{ one: 1, jwe: expect.any(String) }]);
    expect(await OWN.decrypt('encryption_check', rows[0]?.jwe ?? '')).toEqual({});
  });

  it('fails if an instance with another key has added its row at the same time', async () => {
    const jwe = await OTHER.encrypt(CHECK_KID, {});
    const checked = engine.transact((tx) =>
      checkBeforeWrite(tx, {
        ...OWN,
        async encrypt(kid, jwk) {
          await tx.insertInto('encryption_check').values({ one: 1, jwe }).execute();
          return await OWN.encrypt(kid, jwk);
        },
      }),
    );
    await expect(checked).rejects.toMatchObject({ name: 'StoreError', code: 'encryption_key' });
  });
});
