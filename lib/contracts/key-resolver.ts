import type { Environment, KeyKind } from '../credentials/kind.js';
import type { AccessKeyRecord, KeyRecord } from '../credentials/record.js';
import type { FeedListener } from './change-feed.js';

/** A value, or a promise of one. */
export type Awaitable<T> = T | PromiseLike<T>;

/** A key that was presented and is well formed. It prints without the key. */
export interface PresentedKey {
  /** SHA-256 of the whole key, lower-case hex: what a table of keys is searched by. */
  readonly digest: string;
  readonly kind: KeyKind;
  readonly environment: Environment;
  /** The key itself, for tables that hold another hash. Do not log it, and do not keep it. */
  reveal(): string;
}

/**
 * Finds the record of a presented key.
 *
 * Return `null` or `undefined` for a key that is not there. Throw, or reject, where you cannot know: the request gets
 * 503, and clients keep their keys. A record that breaks the rules of `KeyRecord` counts as not knowing.
 */
export type ResolveKey = (key: PresentedKey) => Awaitable<KeyRecord | null | undefined>;

/** A store of keys that can also tell of changes. */
export interface KeyResolver {
  resolveKey: ResolveKey;
  /** Starts telling a listener of changes; returns what ends it. */
  watch?(feed: FeedListener): () => void;
  recordUse?: RecordUse;
}

/**
 * Hears that a credential was used: a key at a gate, or a Secret at the token endpoint. It is called on the way of a
 * request, after each look-up and then about once a minute for each credential in use: it should only note it down. What it
 * throws is lost.
 *
 * @param digest - SHA-256 of what was presented, lower-case hex.
 * @param from - The address of the sender; `undefined` where nobody knows.
 */
export type RecordUse = (digest: string, from: string | undefined) => void;

/** A store of access keys: tokens die with their access key. */
export interface AccessKeyResolver {
  /** Finds the record of an access key by its Identifier; the same answers as `ResolveKey`. */
  resolveAccessKey(id: string): Awaitable<AccessKeyRecord | null | undefined>;
  /** Starts telling a listener of changes; returns what ends it. */
  watch?(feed: FeedListener): () => void;
  recordUse?: RecordUse;
}
