import type { FeedListener } from '../contracts/change-feed.js';
import type { AccessKeyResolver, KeyResolver, RecordUse, UsageOf } from '../contracts/key-resolver.js';
import type { ReplayCache } from '../contracts/replay-cache.js';
import type { Repository } from './repository/repository.js';
import type { StoredSigningKeys } from './signing-keys/signing-keys.js';

/**
 * A store of accounts, keys, access keys, signing keys, the audit log and the change feed, in one database. `openStore`
 * opens one.
 */
export interface CredentialStore extends KeyResolver, AccessKeyResolver, StoredSigningKeys, ReplayCache {
  /**
   * Stores the id of a DPoP proof or a client assertion for the given seconds, so that it cannot be used twice.
   * Resolves to `true` if no process that uses this database has stored the id before. An expired id is deleted some
   * time later, and then counts as new again.
   */
  firstUse(id: string, seconds: number): Promise<boolean>;
  /**
   * Records that an issuer with this algorithm runs; see `SigningKeyStore.announceIssuer`. `close` deletes what this
   * store has recorded.
   */
  announceIssuer(algorithm: string): Promise<string | undefined>;
  /**
   * Revokes one token of an access key permanently. The promise resolves after the commit. Nothing is stored for an
   * unknown access key, or for a token that expired more than a day ago.
   *
   * @param id - The client ID of the access key.
   * @param jti - The `jti` of the token: 1 to 256 characters.
   * @param expiresAt - The `exp` of the token. The revocation is stored until at least a day after it.
   * @throws TypeError for an invalid `jti` or date.
   * @throws StoreError `too_many_revoked_tokens` if 100,000 revoked tokens of the access key have not expired;
   *   `store_unavailable` if the database does not answer.
   */
  revokeToken(id: string, jti: string, expiresAt: Date): Promise<void>;
  /** Notifies a listener of the changes that any process commits. Returns a function that ends the notifications. */
  watch(feed: FeedListener): () => void;
  /**
   * Records when and from where a secret or a public key was used. Uses are written some seconds after the request, and
   * for each secret about once a minute. After a rotation, the first use of the old secret does not wait for that
   * minute, because it shows that the old secret is still needed. A use is lost if the database does not answer, or if
   * 10,000 uses are waiting. With `readOnly`, nothing is recorded.
   */
  readonly recordUse: RecordUse;
  /**
   * Counts the requests of a key in memory. The counts are written once a minute for each key and day, and kept for 400
   * days. If the process is killed, counts that were not written yet are lost: usually those of at most one minute.
   * While the database does not answer, at most 100,000 counts wait to be written, and the counts of further keys are
   * dropped. Absent if the store was opened with `readOnly`.
   */
  readonly usageOf?: UsageOf;
  /**
   * For a readiness check: resolves to `true` if the database answers and has its tables, otherwise to `false`. On
   * PostgreSQL, the database must also be writable, unless the store was opened with `readOnly`. Simultaneous calls
   * share one check. The promise never rejects.
   */
  ready(): Promise<boolean>;
  /**
   * Writes the uses and counts that are waiting, stops polling, and closes the connections after pending work is done.
   * Uses and counts that cannot be written within 4 seconds are lost.
   */
  close(): Promise<void>;
  /** Reads and writes in transactions. `keyward/management` uses it; programs can use it to move data. */
  readonly repository: Repository;
}
