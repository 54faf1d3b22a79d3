/** The ledger in SQL. */
import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Change } from '../contracts/change-feed.js';
import type { Engine } from './engine.js';
import { appendChange, type Feed } from './feed.js';
import type { AuditFilter, Edit, KeyFilter, Ledger, LedgerTransaction } from './ledger.js';
import { accountRow, keyWithSecrets, listAudit, listKeys } from './listings.js';
import type { AccountRow, AuditRow, CreationRow, KeyRow, SecretRow, Tables } from './tables.js';

export function sqlLedger(engine: Engine, feed: Feed): Ledger {
  return Object.freeze({
    async transact<T>(work: (tx: LedgerTransaction) => Promise<T>): Promise<T> {
      const { result, changes } = await engine.transact(async (tx) => {
        const entry = new SqlLedgerTransaction(tx);
        const done = await work(entry);
        for (const change of entry.changes) await appendChange(engine, tx, change);
        return { result: done, changes: entry.changes };
      });
      for (const change of changes) feed.tell(change);
      return result;
    },
    analyze: () => engine.analyze(),
    account: (id: string) => accountRow(engine.reader, id),
    accounts: () => engine.reader.selectFrom('accounts').selectAll().orderBy('id').execute(),
    key: (id: string) => keyWithSecrets(engine.reader, id),
    keys: (filter: KeyFilter) => listKeys(engine.reader, filter),
    audit: (filter: AuditFilter) => listAudit(engine.reader, filter),
  });
}

class SqlLedgerTransaction implements LedgerTransaction {
  readonly #tx: Transaction<Tables>;
  readonly #changes: Change[] = [];

  constructor(tx: Transaction<Tables>) {
    this.#tx = tx;
  }

  /** The changes told so far. */
  get changes(): readonly Change[] {
    return this.#changes;
  }

  tell(change: Change): void {
    this.#changes.push(change);
  }

  async account(id: string): Promise<AccountRow | undefined> {
    return await accountRow(this.#tx, id);
  }

  async insertAccount(row: AccountRow): Promise<void> {
    await this.#tx.insertInto('accounts').values(row).execute();
  }

  async updateAccount(id: string, version: number, edit: Edit<AccountRow>): Promise<boolean> {
    const { numUpdatedRows } = await this.#tx
      .updateTable('accounts')
      .set({ ...edit, version: version + 1 })
      .where('id', '=', id)
      .where('version', '=', version)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async key(id: string): Promise<KeyRow | undefined> {
    return await this.#tx.selectFrom('keys').selectAll().where('id', '=', id).executeTakeFirst();
  }

  async insertKey(row: KeyRow, secrets: readonly SecretRow[]): Promise<void> {
    await this.#tx.insertInto('keys').values(row).execute();
    for (const secret of secrets) await this.insertSecret(secret);
  }

  async insertKeys(rows: readonly KeyRow[], secrets: readonly SecretRow[]): Promise<void> {
    if (rows.length === 0) return;
    await this.#tx.insertInto('keys').values(rows).execute();
    await this.#tx.insertInto('secrets').values(secrets).execute();
  }

  async knownDigests(digests: readonly string[]): Promise<ReadonlySet<string>> {
    if (digests.length === 0) return new Set();
    const found = await this.#tx.selectFrom('secrets').select('digest').where('digest', 'in', digests).execute();
    return new Set(found.map(({ digest }) => digest));
  }

  async updateKey(id: string, version: number, edit: Edit<KeyRow>): Promise<boolean> {
    const { numUpdatedRows } = await this.#tx
      .updateTable('keys')
      .set({ ...edit, version: version + 1 })
      .where('id', '=', id)
      .where('version', '=', version)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async secrets(key: string): Promise<readonly SecretRow[]> {
    return await this.#tx.selectFrom('secrets').selectAll().where('key_id', '=', key).orderBy('created_at').execute();
  }

  async insertSecret(row: SecretRow): Promise<void> {
    await this.#tx.insertInto('secrets').values(row).execute();
  }

  async retireSecret(digest: string, at: number): Promise<void> {
    await this.#tx.updateTable('secrets').set({ retires_at: at }).where('digest', '=', digest).execute();
  }

  async deleteSecret(digest: string): Promise<void> {
    await this.#tx.deleteFrom('secrets').where('digest', '=', digest).execute();
  }

  async creation(account: string, idempotencyKey: string): Promise<CreationRow | undefined> {
    return await this.#tx
      .selectFrom('creations')
      .selectAll()
      .where('account', '=', account)
      .where('idempotency_key', '=', idempotencyKey)
      .executeTakeFirst();
  }

  async insertCreation(row: CreationRow, since: number): Promise<void> {
    await this.#tx.deleteFrom('creations').where('account', '=', row.account).where('at', '<', since).execute();
    await this.#tx.insertInto('creations').values(row).execute();
  }

  async audit(entry: Omit<AuditRow, 'id'>): Promise<void> {
    await this.#tx
      .insertInto('audit')
      .values({ id: randomUUID(), ...entry })
      .execute();
  }
}
