import type { FeedListener } from '../contracts/change-feed.js';
import type { AccessKeyResolver, KeyResolver, RecordUse } from '../contracts/key-resolver.js';
import type { SigningKeyStore } from '../contracts/signing-key-store.js';
import type { Ledger } from './ledger.js';

/** Accounts, keys, access keys, signing keys, the audit and the change feed, in one database. */
export interface CredentialStore extends KeyResolver, AccessKeyResolver, SigningKeyStore {
  /** Starts telling a listener of changes, this process's and others'; returns what ends it. */
  watch(feed: FeedListener): () => void;
  /** Notes when and from where a secret was used: at most one write a minute a secret, off the way of requests. */
  readonly recordUse: RecordUse;
  /** Whether the database answers, with its tables in place: for a readiness check. It never rejects. */
  ready(): Promise<boolean>;
  /** Ends polling and closes connections, when what is under way has ended. */
  close(): Promise<void>;
  /** Writes in transactions: for `keyward/management`, and for moving data. */
  readonly ledger: Ledger;
}
