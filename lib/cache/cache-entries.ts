/**
 * The entries of a record cache. Good entries are for credentials that are accepted, negative entries for refused ones.
 * Revoked entries make sure that a revoked credential stays refused. Each of the three has its own LRU cache, so a
 * flood of one cannot evict the others.
 */
import { LRUCache } from 'lru-cache';
import type { LookupFailure } from '../events/lookup-failure.js';
import type { CacheBounds } from './cache-options.js';
import { IdIndex } from './id-index.js';
import { type InvalidationScope, isOfId, type Subject } from './invalidation-scope.js';

/**
 * The base class of cache entries: a record, with the data of its lookup. This data is not in an object of its own,
 * because every cache hit would then be slower.
 */
export abstract class CacheEntry implements Subject {
  abstract readonly id: string | undefined;
  abstract readonly account: string | undefined;
  /** When the credential ends, on the wall clock in milliseconds; `Infinity` if that is not known. */
  abstract readonly endsAt: number;
  /**
   * When the lookup of the entry started, on the wall clock and the monotonic clock, in milliseconds since the cache
   * was made. These numbers are small integers, which V8 stores without an extra object. They are rounded down, so that
   * an entry never seems younger than it is.
   */
  wall = 0;
  monotonic = 0;
  /** The number of the lookup that found the entry. A later lookup has a larger number. */
  sequence = 0;
  /**
   * Whether the entry is in the cache. Code that keeps a reference to an entry must check this, because the entry may
   * have been invalidated or evicted.
   */
  isCached = false;
}

/**
 * The entry for a credential that is refused. The credential is unknown, has ended, or is an introspected token that
 * breaks a rule.
 */
export class NegativeEntry extends CacheEntry {
  readonly id: string | undefined;
  readonly account: string | undefined;
  /**
   * Why the credential is refused: `unknown`, `revoked`, `expired`, `disabled`; or, for an introspected token, the rule
   * that it breaks, such as `token_inactive`.
   */
  readonly reason: string;
  /**
   * When the credential was or will be revoked, in milliseconds since 1970; `Infinity` if no revocation is planned.
   * After this time, the credential stays refused, even if a later lookup finds a valid record.
   */
  readonly revokedAt: number;
  /**
   * When the credential ended, if this entry replaced a good entry. If the wall clock is set back before this time, the
   * credential is valid again: this entry is then not used, and the credential is looked up.
   */
  endsAt = Number.NEGATIVE_INFINITY;

  constructor({ id, account }: Subject, reason: string, revokedAt = Number.POSITIVE_INFINITY) {
    super();
    this.id = id;
    this.account = account;
    this.reason = reason;
    this.revokedAt = revokedAt;
  }

  /** Returns a copy with the times and the number of another lookup, which confirmed this entry. */
  confirmedBy({ wall, monotonic, sequence }: CacheEntry): NegativeEntry {
    return Object.assign(new NegativeEntry(this, this.reason, this.revokedAt), { wall, monotonic, sequence });
  }
}

/** The result of a lookup that failed, so it is not known whether the credential is valid. */
export class FailedLookup {
  readonly reason: LookupFailure['reason'];

  constructor(reason: LookupFailure['reason']) {
    this.reason = reason;
  }
}

/** The subject of every unknown credential. All of them share this object, to save memory. */
export const NO_SUBJECT: Subject = Object.freeze({ id: undefined, account: undefined });

/** An LRU cache whose entries can also be deleted by the id or the account of the API key or access key. */
export class IndexedLru<E extends CacheEntry> extends LRUCache<string, E> {
  #index: IdIndex | undefined;
  /** Built when it is first needed, because changes of accounts are rare. */
  #accounts: IdIndex | undefined;

  /**
   * @param isIndexed - `false`: the index of ids is built when it is first needed. Without an index, entries take less
   *   time and memory.
   */
  constructor(max: number, isIndexed: boolean) {
    super({ max, dispose: (entry, key) => this.#dispose(entry, key) });
    if (isIndexed) this.#index = new IdIndex();
  }

  override set(key: string, entry: E): this {
    super.set(key, entry);
    entry.isCached = true;
    this.#index?.add(entry.id, key);
    this.#accounts?.add(entry.account, key);
    return this;
  }

  /** Deletes the entries of an id. */
  deleteId(id: string): void {
    this.#index ??= this.#indexBy('id');
    for (const key of this.#index.keysOf(id)) this.delete(key);
  }

  /** Deletes the entries of an account. */
  deleteAccount(account: string): void {
    this.#accounts ??= this.#indexBy('account');
    for (const key of this.#accounts.keysOf(account)) this.delete(key);
  }

  #indexBy(member: keyof Subject): IdIndex {
    const index = new IdIndex();
    this.forEach((entry, key) => {
      index.add(entry[member], key);
    });
    return index;
  }

  #dispose(entry: E, key: string): void {
    entry.isCached = false;
    this.#index?.delete(entry.id, key);
    this.#accounts?.delete(entry.account, key);
  }
}

export class CacheEntries<E extends CacheEntry> {
  readonly bounds: CacheBounds;
  /** The entries of accepted credentials. A key never has a good entry and a negative entry at the same time. */
  readonly good: IndexedLru<E>;
  readonly negative: IndexedLru<NegativeEntry>;
  /**
   * Revoked entries. A revocation is final, so these entries have a cache of their own, from which a flood of unknown
   * keys cannot evict them.
   *
   * A revoked key is also in `negative`, and only `negative` decides when the key is looked up again. So a revoked key
   * is looked up as often as an unknown key, and response times do not show that it existed.
   */
  readonly #revoked: IndexedLru<NegativeEntry>;

  /**
   * @param isIndexed - Whether to build the index of ids at once, because changes of single keys are expected.
   *   Otherwise it is built when it is first needed.
   */
  constructor(bounds: CacheBounds, isIndexed: boolean) {
    const { max, negativeMax } = bounds;
    this.bounds = bounds;
    this.good = new IndexedLru(max, isIndexed);
    this.negative = new IndexedLru(negativeMax, isIndexed);
    this.#revoked = new IndexedLru(negativeMax, false);
  }

  /**
   * Returns the revoked entry of a key; `undefined` if there is none, or if the clock was set back to a time before the
   * revocation.
   *
   * @param now - Wall clock in milliseconds.
   */
  revoked(key: string, now: number): NegativeEntry | undefined {
    const entry = this.#revoked.get(key);
    return entry !== undefined && entry.revokedAt <= now ? entry : undefined;
  }

  /**
   * Deletes the good and negative entries that a change invalidates. `#revoked` keeps its entries, because a revocation
   * is final.
   */
  invalidate(scope: Exclude<InvalidationScope, 'none'>): void {
    for (const entries of [this.good, this.negative]) {
      if (scope === 'all') entries.clear();
      else if (isOfId(scope)) entries.deleteId(scope.id);
      else entries.deleteAccount(scope.account);
    }
  }

  /**
   * Writes the result of a lookup, unless a revocation or the result of a later lookup is already stored.
   *
   * @param now - Wall clock in milliseconds.
   * @param isExpired - Whether the lookup has expired, and may have missed changes. Only a revocation is then written.
   * @returns The entry that answers the request: the result, or the stored entry that takes precedence.
   */
  write(key: string, found: E | NegativeEntry, now: number, isExpired: boolean): E | NegativeEntry {
    const before = this.good.peek(key) ?? this.negative.peek(key);
    const revoked =
      this.revoked(key, now) ?? (found instanceof NegativeEntry && found.revokedAt <= now ? found : undefined);
    if (revoked !== undefined) {
      // A revocation is final: it is written even if it arrives late, and a later lookup does not remove it.
      if (revoked === found) this.#revoked.set(key, revoked);
      this.#writeNegative(key, revoked.confirmedBy(found), before, now);
      return revoked;
    }
    if (before !== undefined && before.sequence > found.sequence) return before;
    if (isExpired) return found;
    if (found instanceof NegativeEntry) this.#writeNegative(key, found, before, now);
    else {
      if (before instanceof NegativeEntry) this.negative.delete(key);
      this.good.set(key, found);
    }
    return found;
  }

  #writeNegative(key: string, negative: NegativeEntry, before: E | NegativeEntry | undefined, now: number): void {
    // Only an end in the past is copied, because `RecordCache` ignores a negative entry until its `endsAt`. If the end
    // is in the future, the credential is refused for another reason, such as `disabled`, and the entry must be used
    // now.
    if (before !== undefined && before.endsAt <= now) negative.endsAt = before.endsAt;
    this.good.delete(key);
    this.negative.set(key, negative);
  }
}
