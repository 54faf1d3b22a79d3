/** Implements `RepositoryTransaction` in SQL. */
import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Change } from '../../contracts/change-feed.js';
import { databaseTime } from '../database-clock.js';
import type { Engine } from '../engine.js';
import type { AccountRow, AuditRow, CreationRow, KeyRow, PublicKeyRow, SecretRow, Tables } from '../tables.js';
import { accountRow, KEY_COLUMNS, secretsOf } from './account-and-key-queries.js';
import type { Edit, Refusal, RepositoryTransaction } from './repository.js';
import { searchTextOf, sortNameOf } from './search-text.js';

/**
 * Maximum number of outdated rows that are deleted when a request is stored with its idempotency key. It is more than
 * one so that the table shrinks, and small so that SQLite does not block the event loop.
 */
const CREATIONS_TO_DELETE = 100;

export class SqlTransaction implements RepositoryTransaction {
  readonly #engine: Engine;
  readonly #tx: Transaction<Tables>;
  readonly #changes: Change[] = [];
  readonly #outdated: Change[];
  /** Ids of keys that were written. Their `search_text` and `sort_name` are updated at the end of the transaction. */
  readonly #written = new Set<string>();

  /** @param outdated - Gets the changes of `invalidateLocally`. */
  constructor(engine: Engine, tx: Transaction<Tables>, outdated: Change[]) {
    this.#engine = engine;
    this.#tx = tx;
    this.#outdated = outdated;
  }

  /** Returns the changes that must be written to the change feed at the end of the transaction. */
  get changes(): readonly Change[] {
    return this.#changes;
  }

  async writeSearchTexts(): Promise<void> {
    for (const id of this.#written) {
      const key = await this.#tx.selectFrom('keys').select(['id', 'name']).where('id', '=', id).executeTakeFirst();
      if (key === undefined) continue;
      const hints = (await this.secrets(id)).map(({ hint }) => hint);
      await this.#tx
        .updateTable('keys')
        .set({ search_text: searchTextOf(key, hints), sort_name: sortNameOf(key) })
        .where('id', '=', id)
        .execute();
    }
  }

  notify(change: Change): void {
    this.#changes.push(change);
  }

  invalidateLocally(change: Change): void {
    this.#outdated.push(change);
  }

  async now(): Promise<number> {
    return await databaseTime(this.#engine, this.#tx);
  }

  async account(id: string): Promise<AccountRow | undefined> {
    return await accountRow(this.#tx, id);
  }

  async lockAccount(id: string): Promise<AccountRow | undefined> {
    const query = this.#tx.selectFrom('accounts').selectAll().where('id', '=', id);
    return await (this.#engine.locksRows ? query.forNoKeyUpdate() : query).executeTakeFirst();
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
    return await this.#tx.selectFrom('keys').select(KEY_COLUMNS).where('id', '=', id).executeTakeFirst();
  }

  async lockKey(id: string): Promise<KeyRow | undefined> {
    const query = this.#tx.selectFrom('keys').select(KEY_COLUMNS).where('id', '=', id);
    return await (this.#engine.locksRows ? query.forNoKeyUpdate() : query).executeTakeFirst();
  }

  async insertKey(row: KeyRow, secrets: readonly SecretRow[]): Promise<void> {
    await this.#tx.insertInto('keys').values(row).execute();
    this.#written.add(row.id);
    for (const secret of secrets) await this.insertSecret(secret);
  }

  async insertKeys(rows: readonly KeyRow[], secrets: readonly SecretRow[]): Promise<void> {
    if (rows.length === 0) return;
    const hintOf = new Map(secrets.map(({ key_id, hint }) => [key_id, hint]));
    const stored = rows.map((row) => ({
      ...row,
      search_text: searchTextOf(row, [hintOf.get(row.id) ?? '']),
      sort_name: sortNameOf(row),
    }));
    await this.#tx.insertInto('keys').values(stored).execute();
    await this.#tx.insertInto('secrets').values(secrets).execute();
  }

  async knownDigests(digests: readonly string[]): Promise<ReadonlyMap<string, Pick<KeyRow, 'account' | 'kind'>>> {
    if (digests.length === 0) return new Map();
    const known = new Map<string, Pick<KeyRow, 'account' | 'kind'>>();
    // The table `secrets` is read first. In the other order, a digest that another transaction moves to `ended_digests`
    // between the two statements would be found in neither table.
    for (const table of ['secrets', 'ended_digests'] as const) {
      const found = await this.#tx
        .selectFrom(table)
        .innerJoin('keys', 'keys.id', 'key_id')
        .select(['digest', 'account', 'kind'])
        .where('digest', 'in', digests)
        .execute();
      for (const { digest, account, kind } of found) known.set(digest, { account, kind });
    }
    return known;
  }

  async updateKey(id: string, version: number, edit: Edit<KeyRow>): Promise<boolean> {
    this.#written.add(id);
    const { numUpdatedRows } = await this.#tx
      .updateTable('keys')
      .set({ ...edit, version: version + 1 })
      .$if(typeof edit.tokens_not_before === 'number', (query) =>
        query.set(({ eb, ref }) => ({
          tokens_superseded: eb
            .case()
            .when(eb.fn.coalesce('tokens_not_before', eb.lit(0)), '=', edit.tokens_not_before ?? 0)
            .then(ref('tokens_superseded'))
            .else(ref('tokens_revoked'))
            .end(),
        })),
      )
      .where('id', '=', id)
      .where('version', '=', version)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async secrets(key: string): Promise<readonly SecretRow[]> {
    return await secretsOf(this.#tx, [key]);
  }

  async insertSecret(row: SecretRow): Promise<void> {
    await this.#tx.insertInto('secrets').values(row).execute();
  }

  async acceptSecretUntil(digest: string, at: number): Promise<void> {
    await this.#tx.updateTable('secrets').set({ retires_at: at }).where('digest', '=', digest).execute();
  }

  async endSecret(digest: string, at: number): Promise<void> {
    await this.#tx.updateTable('secrets').set({ ended_at: at }).where('digest', '=', digest).execute();
  }

  async deleteSecret(digest: string): Promise<void> {
    await this.#tx
      .insertInto('ended_digests')
      .columns(['digest', 'key_id'])
      .expression(({ selectFrom }) => selectFrom('secrets').select(['digest', 'key_id']).where('digest', '=', digest))
      // The digest may already be stored: an earlier version of keyward could import a deleted secret again.
      .onConflict((conflict) => conflict.column('digest').doNothing())
      .execute();
    await this.#tx.deleteFrom('secrets').where('digest', '=', digest).execute();
  }

  async publicKeys(key: string): Promise<readonly PublicKeyRow[]> {
    const query = this.#tx.selectFrom('public_keys').selectAll().where('key_id', '=', key);
    return await query.orderBy('created_at').execute();
  }

  async insertPublicKey(row: PublicKeyRow): Promise<void> {
    await this.#tx.insertInto('public_keys').values(row).execute();
  }

  async deletePublicKey(digest: string): Promise<void> {
    await this.#tx.deleteFrom('public_keys').where('digest', '=', digest).execute();
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
    const { account, idempotency_key } = row;
    const old = this.#tx.selectFrom('creations').select('idempotency_key').where('account', '=', account);
    const some = old.where('at', '<', since).orderBy('at').limit(CREATIONS_TO_DELETE);
    // An outdated row with the same idempotency key is always deleted. A row that is not outdated stays, and the insert
    // below fails with a conflict.
    await this.#tx
      .deleteFrom('creations')
      .where('account', '=', account)
      .where('at', '<', since)
      .where(({ eb, or }) => or([eb('idempotency_key', 'in', some), eb('idempotency_key', '=', idempotency_key)]))
      .execute();
    await this.#tx.insertInto('creations').values(row).execute();
  }

  async audit(entry: Omit<AuditRow, 'id'>): Promise<void> {
    await this.#tx
      .insertInto('audit')
      .values({ id: randomUUID(), ...entry })
      .execute();
  }

  async auditRefusal({ code, ...refusal }: Refusal): Promise<void> {
    const { at, account, actor, action, subject } = refusal;
    const key = subject === null ? undefined : await this.key(subject);
    const key_id = key?.account === account ? key.id : '';
    const id = randomUUID();
    const { count } = await this.#tx
      .insertInto('refusals')
      .values({ account, actor, action, code, key_id, minute: Math.floor(at / 60_000), entry: id, count: 1 })
      .onConflict((conflict) =>
        conflict
          .columns(['account', 'actor', 'action', 'code', 'key_id', 'minute'])
          .doUpdateSet(({ eb, ref }) => ({ count: eb(ref('refusals.count'), '+', 1) })),
      )
      .returning('count')
      .executeTakeFirstOrThrow();
    if (count > 1) return;
    const entry = { id, ...refusal, outcome: 'refused', before: null, after: JSON.stringify({ refused: code }) };
    await this.#tx.insertInto('audit').values(entry).execute();
  }
}
