/**
 * Caches records, with limits for the number and the age of the entries. The cache does not check whether a credential
 * has ended: each verifier checks expiry and revocation on each request.
 */
import type { Change, FeedListener } from '../contracts/change-feed.js';
import { type Clock, elapsed, type Instant, instantOf } from '../contracts/clock.js';
import { feedWarnings } from '../events/feed-warning.js';
import { BoundedLoader, type PendingLookup } from './bounded-loader.js';
import { CacheEntries, type CacheEntry, FailedLookup, type NegativeEntry } from './cache-entries.js';
import type { CacheBounds } from './cache-options.js';
import type { LookupSource } from './fair-lookup-slots.js';
import { FeedCheckpoints } from './feed-checkpoints.js';
import { parseChange, type SubjectMember } from './invalidation-scope.js';

/** `Q`: the request to the resolver. `E`: the entry that is cached for its answer. */
export interface RecordCacheOptions<Q, E> {
  /** `of` in the events of this cache: `apiKeys`, `accessKeys` or `introspectedTokens`. */
  readonly of: string;
  /** The property of a `Change` by which this cache finds the changed entry. */
  readonly member: SubjectMember;
  /**
   * `undefined`: nothing is cached, and requests for the same key do not share a lookup. The timeout and the maximum
   * number of lookups still apply.
   */
  readonly bounds: CacheBounds | undefined;
  /**
   * Whether the resolver has a change feed. If so, entries need a recent confirmation by the feed to be used without a
   * lookup.
   */
  readonly watched: boolean;
  /** Milliseconds after which a lookup fails. */
  readonly timeout: number;
  readonly maxLookups: number;
  readonly clock: Clock;
  lookUp(request: Q): Promise<E | NegativeEntry>;
}

/**
 * Only for a resolver with a change feed: milliseconds for which an entry is used without a lookup after its last
 * confirmation. Its own lookup and the feed confirm an entry.
 */
const CONFIRMED_FOR = 5_000;
/** For this time in milliseconds after a failed lookup, the old entry is used and the store is not asked again. */
const RETRY_AFTER = 1_000;

export class RecordCache<Q, E extends CacheEntry> {
  readonly #options: RecordCacheOptions<Q, E>;
  readonly #entries: CacheEntries<E> | undefined;
  readonly #loader: BoundedLoader<Q, E | NegativeEntry, E | NegativeEntry | FailedLookup>;
  readonly #checkpoints: FeedCheckpoints;
  /**
   * When the cache was made. `wall` and `monotonic` of an entry are counted from this instant; its other times are
   * absolute.
   */
  readonly #createdAt: Instant;
  /** When the lookup that should have renewed an entry last failed. */
  readonly #failedAt = new WeakMap<E, Instant>();

  constructor(options: RecordCacheOptions<Q, E>) {
    const { clock, bounds, watched } = options;
    this.#options = options;
    this.#createdAt = instantOf(clock);
    this.#checkpoints = new FeedCheckpoints(clock);
    this.#entries = bounds && new CacheEntries(bounds, watched);
    this.#loader = new BoundedLoader({
      ...options,
      isShared: bounds !== undefined,
      found: this.#write,
      failed: (key, reason) => this.#fallback(key, new FailedLookup(reason)),
    });
  }

  readonly #write = (key: string, found: E | NegativeEntry, lookup: PendingLookup): E | NegativeEntry => {
    const { startedAt, sequence, isExpired } = lookup;
    found.wall = Math.floor(startedAt.wall - this.#createdAt.wall);
    found.monotonic = Math.floor(startedAt.monotonic - this.#createdAt.monotonic);
    found.sequence = sequence;
    return this.#entries?.write(key, found, this.#options.clock.now(), isExpired) ?? found;
  };

  /** The listener that is passed to `watch` of the resolver. */
  readonly listener: FeedListener = {
    onChange: (change) => this.invalidate(change),
    onCaughtUp: (age) => this.#checkpoints.caughtUp(age),
    onGap: () => {
      this.#checkpoints.gap(this.#loader.nextSequence);
      if (feedWarnings.hasSubscribers) feedWarnings.publish({ of: this.#options.of, warning: 'gap' });
    },
  };

  /** Returns the good or negative entry of a cache key; `undefined` if a lookup is needed. */
  get(key: string, now: Instant): E | NegativeEntry | undefined {
    const entries = this.#entries;
    if (entries === undefined) return undefined;
    const entry = entries.good.get(key);
    if (entry !== undefined) return this.isUsable(entry, now) ? entry : undefined;
    const negative = entries.negative.get(key);
    if (negative === undefined || now.wall < negative.endsAt) return undefined;
    return this.#ageOf(negative, now) < entries.bounds.negativeTtl ? negative : undefined;
  }

  /**
   * Whether an entry may be used now without a lookup. It is for code that keeps a reference to an entry: for example,
   * a verified token refers to the entry of its access key.
   */
  isUsable(entry: E, now: Instant): boolean {
    const { bounds, watched } = this.#options;
    if (bounds === undefined || !entry.isCached) return false;
    const age = this.#ageOf(entry, now);
    if (age < bounds.ttl && (!watched || this.#checkpoints.sinceConfirmed(entry.sequence, age, now) <= CONFIRMED_FOR)) {
      return true;
    }
    const failedAt = this.#failedAt.get(entry);
    const isRetryLater = failedAt !== undefined && elapsed(failedAt, now) < RETRY_AFTER;
    return isRetryLater && this.#checkpoints.sinceKnown(entry.sequence, age, now) <= bounds.staleIfError;
  }

  /**
   * Looks up a key, or joins the lookup of this key that is in flight. It never rejects. If the lookup fails, it may
   * return an old entry (see `staleIfError`).
   */
  load(key: string, request: Q, source?: LookupSource): Promise<E | NegativeEntry | FailedLookup> {
    return this.#loader.load(key, request, source);
  }

  /**
   * Deletes the entries that a change invalidates. Lookups of the same record in flight are repeated, so that they do
   * not write outdated entries. A value that is not a valid change invalidates everything.
   */
  invalidate(change: Change): void {
    const scope = parseChange(change, this.#options.member);
    if (scope === undefined && feedWarnings.hasSubscribers) {
      feedWarnings.publish({ of: this.#options.of, warning: 'invalid_change' });
    }
    if (scope === 'none') return;
    this.#loader.notify(scope ?? 'all');
    this.#entries?.invalidate(scope ?? 'all');
  }

  /**
   * Returns the result of a failed lookup. If there is a revoked entry, it is used, so that a revoked key stays
   * refused. Otherwise, the good entry is used for as long as `staleIfError` allows, but not after an invalid record.
   */
  #fallback(key: string, failed: FailedLookup): E | NegativeEntry | FailedLookup {
    const entries = this.#entries;
    if (entries === undefined) return failed;
    // The store answered, and the record is invalid. The old entry may be wrong too, so it must not be used.
    if (failed.reason === 'record_invalid') entries.good.delete(key);
    const now = instantOf(this.#options.clock);
    const revoked = entries.revoked(key, now.wall);
    if (revoked !== undefined) return revoked;
    const entry = entries.good.peek(key);
    if (entry === undefined) return failed;
    const age = this.#ageOf(entry, now);
    if (this.#checkpoints.sinceKnown(entry.sequence, age, now) > entries.bounds.staleIfError) return failed;
    this.#failedAt.set(entry, now);
    return entry;
  }

  /**
   * Returns the milliseconds since the lookup of an entry started: the larger of the times by both clocks, as in
   * `elapsed`.
   */
  #ageOf({ wall, monotonic }: CacheEntry, now: Instant): number {
    const { wall: createdWall, monotonic: createdMonotonic } = this.#createdAt;
    return Math.max(now.wall - createdWall - wall, now.monotonic - createdMonotonic - monotonic);
  }
}
