import type { KeyKind } from '../credentials/credential-kind.js';
import type { Environment } from '../credentials/environment.js';
import type { AccessKeyRecord, KeyRecord } from '../credentials/records/key-records.js';
import type { FeedListener } from './change-feed.js';
import type { UsageCounter } from './usage-counter.js';

/** A value, or a promise of one. */
export type Awaitable<T> = T | PromiseLike<T>;

/**
 * An API key from a request. Its format is valid, but its record has not been looked up yet. Printing the object does
 * not print the key.
 */
export interface PresentedKey {
  /** SHA-256 of the whole key in lowercase hex. Search your table for it. */
  readonly digest: string;
  readonly kind: KeyKind;
  readonly environment: Environment;
  /** Returns the key itself, for tables that contain another hash of the key. Do not log or store it. */
  reveal(): string;
}

/**
 * Finds the record of a presented key.
 *
 * Return `null` or `undefined` if there is no such key. Throw or reject if the store cannot answer. The request then
 * gets 503 and not 401, so that the client does not discard a valid key. For the time of `staleIfError`, the old cache
 * entry of the key is used instead. A record that breaks the rules of `KeyRecord`, or has another kind or environment
 * than the prefix of the key, also gets 503.
 */
export type ResolveKey = (key: PresentedKey) => Awaitable<KeyRecord | null | undefined>;

/** A store of API keys. With the method `watch`, it also reports changes. */
export interface KeyResolver {
  resolveKey: ResolveKey;
  /** Notifies a listener of changes from now on. Returns a function that ends this. */
  watch?: ((feed: FeedListener) => () => void) | undefined;
  recordUse?: RecordUse | undefined;
  usageOf?: UsageOf | undefined;
}

/**
 * Called when a credential was used. `apiKeys` calls it for an API key after a lookup, and then at most once a minute;
 * `createIssuer` calls it for a client secret or a public key on each request. `accessTokens` does not call it. It is
 * not called if the record does not allow the address of the sender.
 *
 * It runs during the request, so it should only queue the use. Its result is not awaited. If it throws or rejects, an
 * event is published on `keyward:callback-failure`.
 *
 * @param digest - SHA-256 of the presented key or secret in lowercase hex; for a public key, SHA-256 of the client ID,
 *   a space and its `kid`.
 * @param from - The address of the sender; `undefined` if it is unknown.
 */
export type RecordUse = (digest: string, from: string | undefined) => unknown;

/**
 * Returns the counter of a key, by the id of its record. If a resolver has this method, the requests of each key are
 * counted. The verifier asks for a counter after each lookup of a valid key, and stores the counter in the cache entry.
 * For each request that it refuses, it asks again. `createIssuer` does not count.
 */
export type UsageOf = (keyId: string) => UsageCounter;

/**
 * A store of access keys (OAuth clients). `accessTokens` looks up the access key of each token, or finds it in its
 * cache, and refuses the token if the access key is no longer valid. `createIssuer` looks up the client of each
 * request, without a cache.
 */
export interface AccessKeyResolver {
  /**
   * Finds the record of an access key by its client ID. Return `null` or `undefined` if there is none, and throw if the
   * store cannot answer, as in `ResolveKey`. A record with another `id` gets 503.
   */
  resolveAccessKey(id: string): Awaitable<AccessKeyRecord | null | undefined>;
  /** Notifies a listener of changes from now on. Returns a function that ends this. */
  watch?: ((feed: FeedListener) => () => void) | undefined;
  recordUse?: RecordUse | undefined;
  usageOf?: UsageOf | undefined;
  /**
   * Revokes one token of an access key permanently. From now on until the token expires, `revokedTokens` of the record
   * must contain the `jti`. Notify the listeners of `watch`. Resolve when the revocation is stored, or if there is
   * nothing to revoke. Reject if it is not certain that the revocation is stored.
   *
   * @param id - The client ID.
   * @param expiresAt - The `exp` of the token. It may have passed: `createIssuer` does not compare it with its clock,
   *   which may be ahead. Delete the `jti` only some minutes later, because clocks differ.
   */
  revokeToken?(id: string, jti: string, expiresAt: Date): Promise<void>;
}
