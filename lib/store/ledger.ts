/** What can be written in one transaction: accounts, keys, their secrets, the audit, and the change that they make. */
import type { Change } from '../contracts/change-feed.js';
import type { AccountRow, AuditRow, CreationRow, KeyRow, SecretRow } from './tables.js';

/** Columns of a row that an edit gives anew; its version rises by itself. */
export type Edit<Row> = Partial<Omit<Row, 'id' | 'version' | 'account' | 'kind' | 'environment' | 'created_at'>>;

/** Writes to the store in transactions: what `keyward/management` stands on. */
export interface Ledger {
  /**
   * Runs work in one transaction; where another writer was in the way it is run again from the start, so it has no
   * effect beside what it asks of the transaction. When it resolves, the changes that it told are committed, and the
   * caches of this process have heard of them.
   *
   * @throws StoreError `store_conflict`, `store_unavailable`.
   */
  transact<T>(work: (tx: LedgerTransaction) => Promise<T>): Promise<T>;
  /** Has the database look at its tables anew. Call it after many rows came at once. */
  analyze(): Promise<void>;
  account(id: string): Promise<AccountRow | undefined>;
  /** Every account, by id. */
  accounts(): Promise<readonly AccountRow[]>;
  /** One key with its secrets, oldest first. */
  key(id: string): Promise<KeyWithSecrets | undefined>;
  /** Keys of one account, the newest first. */
  keys(filter: KeyFilter): Promise<readonly KeyWithSecrets[]>;
  /** Entries of the audit of one account, the newest first. */
  audit(filter: AuditFilter): Promise<readonly AuditRow[]>;
}

/** A row, with those of its secrets. */
export interface KeyWithSecrets {
  readonly key: KeyRow;
  readonly secrets: readonly SecretRow[];
}

/** A place in a list that is ordered by time, then id: what comes after it is older. */
export interface ListPlace {
  readonly time: number;
  readonly id: string;
}

/** Which keys to list. Absent: all. */
export interface KeyFilter {
  readonly account: string;
  readonly kinds: readonly KeyRow['kind'][];
  /** Keys that reach this API, by name or by reaching all. */
  readonly api?: string | undefined;
  /** Absent: all but the revoked. */
  readonly state?: 'active' | 'disabled' | 'expired' | 'revoked' | undefined;
  /** Part of a name, an id or a hint; case does not matter. */
  readonly text?: string | undefined;
  /** Milliseconds: what expiry is judged by. */
  readonly now: number;
  readonly after?: ListPlace | undefined;
  readonly limit: number;
}

/** Which entries of the audit to list. Absent: all. */
export interface AuditFilter {
  readonly account: string;
  readonly subject?: string | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly after?: ListPlace | undefined;
  readonly limit: number;
}

/** One transaction. Rows hold times in milliseconds since 1970, and lists as JSON texts. */
export interface LedgerTransaction {
  /** Tells of a change. It is written down when the work is done, as the last statement. */
  tell(change: Change): void;
  account(id: string): Promise<AccountRow | undefined>;
  insertAccount(row: AccountRow): Promise<void>;
  /** @returns Whether the account was still at that version; if not, nothing was changed. */
  updateAccount(id: string, version: number, edit: Edit<AccountRow>): Promise<boolean>;
  key(id: string): Promise<KeyRow | undefined>;
  insertKey(row: KeyRow, secrets: readonly SecretRow[]): Promise<void>;
  /** Many keys with one secret each. */
  insertKeys(rows: readonly KeyRow[], secrets: readonly SecretRow[]): Promise<void>;
  /** Those of some digests that are stored. */
  knownDigests(digests: readonly string[]): Promise<ReadonlySet<string>>;
  /** @returns Whether the key was still at that version; if not, nothing was changed. */
  updateKey(id: string, version: number, edit: Edit<KeyRow>): Promise<boolean>;
  /** The secrets of a key, oldest first. */
  secrets(key: string): Promise<readonly SecretRow[]>;
  insertSecret(row: SecretRow): Promise<void>;
  retireSecret(digest: string, at: number): Promise<void>;
  deleteSecret(digest: string): Promise<void>;
  /** A creation by its idempotency key. */
  creation(account: string, idempotencyKey: string): Promise<CreationRow | undefined>;
  /** Remembers a creation, and forgets those from before `since`. */
  insertCreation(row: CreationRow, since: number): Promise<void>;
  /** Writes down who did what. Nothing can change or delete it afterwards. */
  audit(entry: Omit<AuditRow, 'id'>): Promise<void>;
}
