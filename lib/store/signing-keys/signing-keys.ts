/**
 * Stores the signing keys of the issuer in the database. Each change is written to the audit log in the same
 * transaction.
 */
import type { SigningKeyRecord, SigningKeyStore } from '../../contracts/signing-key-store.js';
import type { Engine } from '../engine.js';
import { StoreError } from '../store-error.js';
import type { SigningKeyRow } from '../tables.js';
import { checkBeforeWrite } from './check-encryption-key.js';
import { auditPlatform, ISSUER } from './platform-audit.js';
import { reencryptSigningKeys } from './reencrypt-signing-keys.js';
import type { SigningKeyCipher } from './signing-key-cipher.js';

/** A signing key without its private key. */
export interface SigningKeySummary {
  readonly kid: string;
  readonly alg: string;
  readonly createdAt: Date;
  readonly retiredAt: Date | null;
}

/** Signing keys in a database. `actor` is who makes a change, for the audit log. Default: the issuer itself. */
export interface StoredSigningKeys extends SigningKeyStore {
  /** Lists the signing keys without their private keys, oldest first. It needs no encryption key. */
  describeSigningKeys(): Promise<readonly SigningKeySummary[]>;
  addSigningKey(key: SigningKeyRecord, newest: string | undefined, actor?: string): Promise<boolean>;
  retireSigningKey(kid: string, actor?: string): Promise<void>;
  removeSigningKey(kid: string, actor?: string): Promise<void>;
  /** Encrypts every signing key with the first encryption key of this store. Returns the number of signing keys. */
  reencryptSigningKeys(actor: string): Promise<number>;
}

export function storedSigningKeys(engine: Engine, cipher: SigningKeyCipher): StoredSigningKeys {
  async function rowsInOrder(): Promise<readonly SigningKeyRow[]> {
    return await engine.lookups.selectFrom('signing_keys').selectAll().orderBy('number').execute();
  }

  async function describeSigningKeys(): Promise<readonly SigningKeySummary[]> {
    return (await rowsInOrder()).map(summaryOf);
  }

  async function listSigningKeys(): Promise<readonly SigningKeyRecord[]> {
    const rows = await rowsInOrder();
    return await Promise.all(
      rows.map(async (row) => ({ ...summaryOf(row), jwk: await cipher.decrypt(row.kid, row.jwe) })),
    );
  }

  async function addSigningKey(key: SigningKeyRecord, newest: string | undefined, actor = ISSUER): Promise<boolean> {
    const jwe = await cipher.encrypt(key.kid, key.jwk);
    try {
      return await engine.transact(async (tx) => {
        await checkBeforeWrite(tx, cipher);
        const last = await tx
          .selectFrom('signing_keys')
          .select(['number', 'kid'])
          .orderBy('number', 'desc')
          .limit(1)
          .executeTakeFirst();
        if (last?.kid !== newest) return false;
        const number = (last?.number ?? 0) + 1;
        const { kid, alg, createdAt } = key;
        const row = { number, kid, alg, created_at: createdAt.getTime(), retired_at: null, jwe };
        await tx.insertInto('signing_keys').values(row).execute();
        await auditPlatform(engine, tx, {
          action: 'signing_key.create',
          subject: kid,
          actor,
          after: { algorithm: alg },
        });
        return true;
      });
    } catch (error) {
      // The number is the primary key: another instance has added a signing key with this number in the meantime.
      if (error instanceof StoreError && error.code === 'store_conflict') return false;
      throw error;
    }
  }

  async function retireSigningKey(kid: string, actor = ISSUER): Promise<void> {
    await engine.transact(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('signing_keys')
        .set({ retired_at: engine.now })
        .where('kid', '=', kid)
        .where('retired_at', 'is', null)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) await auditPlatform(engine, tx, { action: 'signing_key.retire', subject: kid, actor });
    });
  }

  async function removeSigningKey(kid: string, actor = ISSUER): Promise<void> {
    await engine.transact(async (tx) => {
      const { numDeletedRows } = await tx.deleteFrom('signing_keys').where('kid', '=', kid).executeTakeFirst();
      const action = actor === ISSUER ? 'signing_key.remove' : 'signing_key.revoke';
      if (numDeletedRows > 0n) await auditPlatform(engine, tx, { action, subject: kid, actor });
    });
  }

  return {
    checkSigningKeys: cipher.check,
    describeSigningKeys,
    listSigningKeys,
    addSigningKey,
    retireSigningKey,
    removeSigningKey,
    reencryptSigningKeys: (actor) => reencryptSigningKeys(engine, cipher, actor),
  };
}

function summaryOf({ kid, alg, created_at, retired_at }: SigningKeyRow): SigningKeySummary {
  const retiredAt = retired_at === null ? null : new Date(retired_at);
  return { kid, alg, createdAt: new Date(created_at), retiredAt };
}
