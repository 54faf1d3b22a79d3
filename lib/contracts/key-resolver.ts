import type { KeyKind } from '../credentials/credential-kind.js';
import type { Environment } from '../credentials/environment.js';
import type { AccessKeyRecord, KeyRecord } from '../credentials/records/record.js';
import type { FeedListener } from './change-feed.js';
import type { UsageCounter } from './usage-counter.js';

/** A value, or a promise of one. */
export type Awaitable<T> = T | PromiseLike<T>;

/** A presented key with a valid format. Printing the object does not print the key. */
export interface PresentedKey {
  /** SHA-256 of the whole key in lowercase hex, by which your table is searched. */
  readonly digest: string;
  readonly kind: KeyKind;
  readonly environment: Environment;
  /** Returns the key itself, for tables with another hash. Do not log or store it. */
  reveal(): string;
}

/**
 * Finds the record of a presented key.
 *
 * Return `null` or `undefined` if there is no such key. Throw or reject if the store cannot answer: the request gets
 * 503, and the client does not discard its key; or it uses the old cache entry, as `staleIfError` says. A record that
 * breaks the rules of `KeyRecord`, or has another kind or environment than the key, also gets 503.
 */
export type ResolveKey = (key: PresentedKey) => Awaitable<KeyRecord | null | undefined>;

/** A store of keys. It can also report changes. */
export interface KeyResolver {
  resolveKey: ResolveKey;
  /** Starts to notify a listener of changes. Returns a function that stops it. */
  watch?: ((feed: FeedListener) => () => void) | undefined;
  recordUse?: RecordUse | undefined;
  usageOf?: UsageOf | undefined;
}

/**
 * Called when a credential was used. `apiKeys` calls it for an API key after each lookup, and then about once a minute;
 * `createIssuer` for a client secret or a public key on each request. It is not called for a use from an address that
 * the record does not allow, nor by `accessTokens`. It runs during the request, so it should only queue the use. Its
 * result is not awaited; if it throws or rejects, an event is published on `keyward:callback-failure`.
 *
 * @param digest - SHA-256 of the presented key or secret in lowercase hex; for a public key, SHA-256 of the client ID,
 *   a space and its `kid`.
 * @param from - The address of the sender; `undefined` if it is unknown.
 */
export type RecordUse = (digest: string, from: string | undefined) => unknown;

/**
 * Returns the counter of a key, by the id of its record. If a resolver has this method, the requests of each key are
 * counted. The verifier asks for a counter after each lookup of a valid key, and stores it in the cache entry; it asks
 * again for each refused request. `createIssuer` does not count.
 */
export type UsageOf = (keyId: string) => UsageCounter;

/**
 * A store of access keys. `accessTokens` looks up the access key of each token, or finds it in its cache, and refuses
 * the token if the access key is no longer valid. `createIssuer` looks up the client of each request, without a cache.
 */
export interface AccessKeyResolver {
  /**
   * Finds the record of an access key by its client ID. The result has the same meaning as that of `ResolveKey`. A
   * record with another `id` gets 503.
   */
  resolveAccessKey(id: string): Awaitable<AccessKeyRecord | null | undefined>;
  /** Starts to notify a listener of changes. Returns a function that stops it. */
  watch?: ((feed: FeedListener) => () => void) | undefined;
  recordUse?: RecordUse | undefined;
  usageOf?: UsageOf | undefined;
  /**
   * Revokes one token of an access key permanently. From then on until the token expires, `revokedTokens` of the record
   * must contain the `jti`. Listeners of `watch` must be notified. The promise resolves after the revocation is stored,
   * or if there is nothing to revoke; it rejects if it is not certain that the revocation is stored.
   *
   * @param id - The client ID.
   * @param expiresAt - The `exp` of the token: the `jti` can be deleted some minutes later, because clocks differ.
   */
  revokeToken?(id: string, jti: string, expiresAt: Date): Promise<void>;
}
