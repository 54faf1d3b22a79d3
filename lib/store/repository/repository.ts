/** The interface by which management reads and writes accounts, keys, secrets, the audit log and the change feed. */
import type { Change } from '../../contracts/change-feed.js';
import type { AccountRow, AuditRow, CreationRow, KeyRow, PublicKeyRow, SecretRow, UsageRow } from '../tables.js';
import type { CountedKeys, UsageTotal } from '../usage/usage-queries.js';

/** The columns that an edit may change. The version is increased automatically. */
export type Edit<Row> = Partial<
  Omit<Row, 'id' | 'version' | 'account' | 'kind' | 'environment' | 'created_at' | 'used_at'>
>;

/** Reads the store, and writes to it in transactions. `keyward/management` uses it. */
export interface Repository {
  /**
   * Runs work in one transaction. If the work conflicts with another writer, it runs again from the start, so it must
   * have no side effects outside the transaction. When the promise resolves, the changes are committed, and the caches
   * of this process are invalidated.
   *
   * @throws StoreError `store_conflict`, `store_unavailable`.
   */
  transact<T>(work: (tx: RepositoryTransaction) => Promise<T>): Promise<T>;
  /** Updates the statistics of the query planner. Call it after many rows were inserted. */
  analyze(): Promise<void>;
  account(id: string): Promise<AccountRow | undefined>;
  /** Lists accounts, ordered by id. */
  accounts(filter: AccountFilter): Promise<readonly AccountRow[]>;
  /** Returns one key with its secrets, oldest first. */
  key(id: string): Promise<KeyWithSecrets | undefined>;
  /** Returns the id of the key that a secret belongs to, also if the secret has ended or was deleted. */
  keyOfDigest(digest: string): Promise<string | undefined>;
  /** Lists keys of one account. */
  keys(filter: KeyFilter): Promise<readonly ListedKey[]>;
  /** Returns the names of keys of one account. Keys of other accounts are left out. */
  keyNames(account: string, ids: readonly string[]): Promise<readonly KeyNameRow[]>;
  /** Lists entries of the audit log, newest first. */
  audit(filter: AuditFilter): Promise<readonly ListedAuditRow[]>;
  /**
   * Returns the days of a period on which a key has requests, oldest first. `from` and `to` are days since 1970, both
   * included.
   */
  usage(key: string, from: number, to: number): Promise<readonly UsageRow[]>;
  /** Returns the number of requests of keys since a day. Keys without requests are left out. */
  usageTotals(keys: CountedKeys, from: number): Promise<readonly UsageTotal[]>;
}

/** The name of a key, for pages that know only its id, such as the audit log. */
export type KeyNameRow = Pick<KeyRow, 'id' | 'name'>;

/** A key with its secrets and public keys. */
export interface KeyWithSecrets {
  readonly key: KeyRow;
  readonly secrets: readonly SecretRow[];
  /** The public keys, oldest first; an API key has none. */
  readonly publicKeys: readonly PublicKeyRow[];
}

/** A key in a list, and its place in that list. */
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

/** A place in a list that is ordered by time and id, newest first. */
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
  /** Selects keys that can use this API, because they have it by name or have all APIs. */
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
  /** The reason, such as `not_found`. */
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

/** One transaction. Rows contain times in milliseconds since 1970, and lists as JSON. */
export interface RepositoryTransaction {
  /** Returns the time of the database's clock, in milliseconds since 1970. */
  now(): Promise<number>;
  /** Adds a change to the feed. It is written at the end of the transaction. */
  notify(change: Change): void;
  account(id: string): Promise<AccountRow | undefined>;
  /** Reads an account and locks it until the transaction ends, so that its version cannot change. */
  lockAccount(id: string): Promise<AccountRow | undefined>;
  insertAccount(row: AccountRow): Promise<void>;
  /**
   * Updates an account if it still has this version.
   *
   * @returns Whether it had the version; if not, nothing is changed.
   */
  updateAccount(id: string, version: number, edit: Edit<AccountRow>): Promise<boolean>;
  key(id: string): Promise<KeyRow | undefined>;
  /** Reads a key and locks it until the transaction ends, so that its version cannot change. */
  lockKey(id: string): Promise<KeyRow | undefined>;
  insertKey(row: KeyRow, secrets: readonly SecretRow[]): Promise<void>;
  /** Inserts many keys with one secret each. */
  insertKeys(rows: readonly KeyRow[], secrets: readonly SecretRow[]): Promise<void>;
  /** Returns the digests that are already stored, also of deleted secrets, with the account and kind of their keys. */
  knownDigests(digests: readonly string[]): Promise<ReadonlyMap<string, Pick<KeyRow, 'account' | 'kind'>>>;
  /**
   * Updates a key if it still has this version.
   *
   * @returns Whether it had the version; if not, nothing is changed.
   */
  updateKey(id: string, version: number, edit: Edit<KeyRow>): Promise<boolean>;
  /** Returns the secrets of a key, oldest first. */
  secrets(key: string): Promise<readonly SecretRow[]>;
  insertSecret(row: SecretRow): Promise<void>;
  /** Starts the grace period of a secret. Each process accepts the secret until `at`, by its own clock. */
  acceptSecretUntil(digest: string, at: number): Promise<void>;
  /** Ends a secret now. Every process refuses it, whatever its clock says; `at` is only for display. */
  endSecret(digest: string, at: number): Promise<void>;
  deleteSecret(digest: string): Promise<void>;
  /** Returns the public keys of an access key, oldest first. */
  publicKeys(key: string): Promise<readonly PublicKeyRow[]>;
  insertPublicKey(row: PublicKeyRow): Promise<void>;
  deletePublicKey(digest: string): Promise<void>;
  /** Returns the request that was stored with this idempotency key. */
  creation(account: string, idempotencyKey: string): Promise<CreationRow | undefined>;
  /** Stores a request with its idempotency key, and deletes some of the requests from before `since`. */
  insertCreation(row: CreationRow, since: number): Promise<void>;
  /** Writes an entry to the audit log. Afterwards it cannot be changed or deleted. */
  audit(entry: Omit<AuditRow, 'id'>): Promise<void>;
  /**
   * Writes a refusal to the audit log. Refusals in one minute with the same account, actor, action, code and key share
   * one entry and are only counted, so that nobody can flood the audit log.
   */
  auditRefusal(refusal: Refusal): Promise<void>;
}
