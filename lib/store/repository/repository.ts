/** The interface by which management reads and writes accounts, keys, secrets, the audit log and the change feed. */
import type { Change } from '../../contracts/change-feed.js';
import type { AccountRow, AuditRow, CreationRow, KeyRow, PublicKeyRow, SecretRow, UsageRow } from '../tables.js';
import type { CountedKeys, UsageTotal } from '../usage/usage-queries.js';

/** The columns that an edit may change. Each edit increases the column `version` automatically. */
export type Edit<Row> = Partial<
  Omit<Row, 'id' | 'version' | 'account' | 'kind' | 'environment' | 'created_at' | 'used_at'>
>;

/** Reads the tables of the store, and writes to them in transactions. `keyward/management` uses it. */
export interface Repository {
  /**
   * Runs work in one transaction. If the transaction conflicts with another one, the work runs again from the start, so
   * it must have no side effects outside the transaction. When the promise resolves, the transaction is committed, and
   * the caches of this process are invalidated.
   *
   * @throws StoreError `store_conflict` if conflicts continue or a constraint is violated; `store_unavailable` if the
   *   database does not answer.
   */
  transact<T>(work: (tx: RepositoryTransaction) => Promise<T>): Promise<T>;
  /** Updates the statistics of the query planner. Call it after many rows were inserted. */
  analyze(): Promise<void>;
  account(id: string): Promise<AccountRow | undefined>;
  /** Lists accounts, ordered by id. */
  accounts(filter: AccountFilter): Promise<readonly AccountRow[]>;
  /** Returns one key with its secrets and public keys, oldest first. */
  key(id: string): Promise<KeyWithSecrets | undefined>;
  /** Returns the id of the key that the secret with this digest belongs to, even if the secret was ended or deleted. */
  keyOfDigest(digest: string): Promise<string | undefined>;
  /** Lists keys of one account. */
  keys(filter: KeyFilter): Promise<readonly ListedKey[]>;
  /** Returns the names of keys by their ids. Keys of other accounts are left out. */
  keyNames(account: string, ids: readonly string[]): Promise<readonly KeyNameRow[]>;
  /** Lists entries of the audit log, newest first. */
  audit(filter: AuditFilter): Promise<readonly ListedAuditRow[]>;
  /**
   * Returns the numbers of requests of a key on each day of a period, oldest day first. Days without requests are left
   * out. `from` and `to` are days since 1970, and both are included.
   */
  usage(key: string, from: number, to: number): Promise<readonly UsageRow[]>;
  /** Returns the number of requests of each key since the day `from`. Keys without requests are left out. */
  usageTotals(keys: CountedKeys, from: number): Promise<readonly UsageTotal[]>;
}

/** The id and name of a key. Pages that know only the id, such as the audit log, show the name. */
export type KeyNameRow = Pick<KeyRow, 'id' | 'name'>;

/** A key with its secrets and public keys. */
export interface KeyWithSecrets {
  readonly key: KeyRow;
  readonly secrets: readonly SecretRow[];
  /** The public keys, oldest first; an API key has none. */
  readonly publicKeys: readonly PublicKeyRow[];
}

/** A key in a list, and its place in the list, from which the next page can continue. */
export interface ListedKey extends KeyWithSecrets {
  readonly place: KeyPlace;
}

/** A place in a list of keys: the id, and the time or name that the list is sorted by. */
export interface KeyPlace {
  readonly value: number | string;
  readonly id: string;
}

/** What a list of keys is sorted by. */
export interface KeySort {
  readonly by: 'created' | 'name' | 'used';
  readonly isDescending: boolean;
}

/** A place in the audit log, which is listed newest first: the time and the id of an entry. */
export interface ListPlace {
  readonly time: number;
  readonly id: string;
}

/** Selects the accounts to list. */
export interface AccountFilter {
  /** The last id of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Selects the keys to list. If a filter other than `state` is absent, it excludes no keys. */
export interface KeyFilter {
  readonly account: string;
  readonly kinds: readonly KeyRow['kind'][];
  readonly environment?: KeyRow['environment'] | undefined;
  /** Selects keys that have this API, by name or because they have all APIs. */
  readonly api?: string | undefined;
  /**
   * The state of the keys; if absent, all keys that are not revoked. A revoked key is in no other state, and an expired
   * key is neither active nor disabled. A key of a disabled account can be active.
   */
  readonly state?: 'active' | 'disabled' | 'expired' | 'revoked' | undefined;
  /** Selects keys that have this text in their name, id or hint, in upper or lower case. */
  readonly text?: string | undefined;
  /** Selects keys that were created before this time, in milliseconds since 1970, and were not used since. */
  readonly unusedSince?: number | undefined;
  /** The time at which expiry is checked, in milliseconds since 1970. */
  readonly now: number;
  readonly sort: KeySort;
  readonly after?: KeyPlace | undefined;
  readonly limit: number;
}

/** An audit log entry, and the number of equal refusals that share it; `null` for a successful operation. */
export interface ListedAuditRow extends AuditRow {
  readonly refusals: number | null;
}

/** A refused operation for the audit log. */
export type Refusal = Omit<AuditRow, 'id' | 'outcome' | 'before' | 'after'> & {
  /** Why the operation was refused, for example `not_found`. */
  readonly code: string;
};

/** Selects the entries of the audit log to list. If a filter is absent, it excludes no entries. */
export interface AuditFilter {
  /** The account. If absent, the entries of all accounts are listed. */
  readonly account?: string | undefined;
  readonly subject?: string | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** The start of the period in milliseconds since 1970, included. */
  readonly from?: number | undefined;
  /** The end of the period in milliseconds since 1970, not included. */
  readonly to?: number | undefined;
  readonly after?: ListPlace | undefined;
  readonly limit: number;
}

/** Reads and writes in one transaction. Rows contain times in milliseconds since 1970, and lists as JSON. */
export interface RepositoryTransaction {
  /** Returns the time of the database's clock, in milliseconds since 1970. */
  now(): Promise<number>;
  /** Adds a change to the change feed. It is written at the end of the transaction. */
  notify(change: Change): void;
  /**
   * Invalidates the caches of this process after the transaction, even if it changes nothing or fails: another process
   * may have made the change a moment ago, and this process may not have read it from the feed yet.
   */
  invalidateLocally(change: Change): void;
  account(id: string): Promise<AccountRow | undefined>;
  /** Reads an account and locks it until the transaction ends, so that its version cannot change. */
  lockAccount(id: string): Promise<AccountRow | undefined>;
  insertAccount(row: AccountRow): Promise<void>;
  /**
   * Updates an account, unless its version has changed since it was read.
   *
   * @returns `false` if the account has another version; nothing is changed then.
   */
  updateAccount(id: string, version: number, edit: Edit<AccountRow>): Promise<boolean>;
  key(id: string): Promise<KeyRow | undefined>;
  /** Reads a key and locks it until the transaction ends, so that its version cannot change. */
  lockKey(id: string): Promise<KeyRow | undefined>;
  insertKey(row: KeyRow, secrets: readonly SecretRow[]): Promise<void>;
  /** Inserts many keys with one secret each. */
  insertKeys(rows: readonly KeyRow[], secrets: readonly SecretRow[]): Promise<void>;
  /** Returns those digests that are already stored, even for a deleted secret, with the account and kind of the key. */
  knownDigests(digests: readonly string[]): Promise<ReadonlyMap<string, Pick<KeyRow, 'account' | 'kind'>>>;
  /**
   * Updates a key, unless its version has changed since it was read.
   *
   * @returns `false` if the key has another version; nothing is changed then.
   */
  updateKey(id: string, version: number, edit: Edit<KeyRow>): Promise<boolean>;
  /** Returns the secrets of a key, oldest first. */
  secrets(key: string): Promise<readonly SecretRow[]>;
  insertSecret(row: SecretRow): Promise<void>;
  /** Starts the grace period of a secret. Each process accepts the secret until `at`, by its own clock. */
  acceptSecretUntil(digest: string, at: number): Promise<void>;
  /** Ends a secret now: every process refuses it, whatever the clock of the process says. `at` is only for display. */
  endSecret(digest: string, at: number): Promise<void>;
  deleteSecret(digest: string): Promise<void>;
  /** Returns the public keys of an access key, oldest first. */
  publicKeys(key: string): Promise<readonly PublicKeyRow[]>;
  insertPublicKey(row: PublicKeyRow): Promise<void>;
  deletePublicKey(digest: string): Promise<void>;
  /** Returns the request that was stored with this idempotency key. */
  creation(account: string, idempotencyKey: string): Promise<CreationRow | undefined>;
  /** Stores a request with its idempotency key, and deletes some of the stored requests from before `since`. */
  insertCreation(row: CreationRow, since: number): Promise<void>;
  /** Writes an entry to the audit log. The database refuses to change or delete the entry afterwards. */
  audit(entry: Omit<AuditRow, 'id'>): Promise<void>;
  /**
   * Writes a refused operation to the audit log. Refusals of one minute with the same account, actor, action, code and
   * key are counted in one entry, so that nobody can flood the audit log.
   */
  auditRefusal(refusal: Refusal): Promise<void>;
}
