/**
 * Runs lookups: one at a time for each key, limited in number and time. Until a lookup settles, it is notified of
 * invalidations.
 */
import { type Clock, type Instant, instantOf } from '../contracts/clock.js';
import { RecordError } from '../credentials/records/record-error.js';
import { describeError, placesOf } from '../errors/describe-error.js';
import { type LookupFailure, lookupFailures } from '../events/lookup-failure.js';
import { FetchError } from '../http/fetch-json.js';
import { type InvalidationScope, matches, type Subject } from './invalidation-scope.js';
import { type LookupSlot, LookupSlots, type LookupSource, UNCOUNTED } from './lookup-slots.js';

/** `Q`: the request to the resolver. `V`: its answer. `R`: the result made from the answer. */
export interface BoundedLoaderOptions<Q, V extends Subject, R> {
  /** `of` in the events about failed lookups: `apiKeys`, `accessKeys`, `introspectedTokens` or `issuer`. */
  readonly of: string;
  /** Milliseconds after which a lookup fails. */
  readonly timeout: number;
  /** Maximum lookups in flight. Further ones fail immediately, so that a flood cannot overload the store. */
  readonly maxLookups: number;
  /** Whether requests for the same key at the same time share one lookup. */
  readonly isShared: boolean;
  readonly clock: Clock;
  /** Looks a key up. An answer without `id` means that the key does not exist: it counts as a miss of the sender. */
  lookUp(request: Q): Promise<V>;
  /**
   * Makes the result from the answer; a cache also stores it here. The lookup stops being joinable in the same
   * event-loop turn, so each request either joins it or finds the stored result.
   */
  found(key: string, value: V, lookup: PendingLookup): R;
  /** Makes the result of a failed lookup, in the same way. */
  failed(key: string, reason: LookupFailure['reason']): R;
}

/** A lookup that has not settled. */
export interface PendingLookup {
  /**
   * When the lookup started, and the number of the lookup: a later lookup has a larger number. If a lookup is repeated,
   * both change.
   */
  readonly startedAt: Instant;
  readonly sequence: number;
  /** Whether it took so long that invalidations are no longer collected: its result may be outdated. */
  readonly isExpired: boolean;
}

interface Lookup<R> extends PendingLookup {
  readonly key: string;
  readonly source: LookupSource | undefined;
  readonly slot: LookupSlot;
  startedAt: Instant;
  sequence: number;
  /**
   * Every invalidation since the lookup started. Only the answer has the id and the account with which they can be
   * compared.
   */
  invalidated: InvalidationScope[] | undefined;
  isExpired: boolean;
  /**
   * Whether the waiting requests were answered because of the timeout. A later lookup of the key may have a result,
   * which a failure of this lookup must not replace.
   */
  hasTimedOut: boolean;
  timer: NodeJS.Timeout | undefined;
  readonly result: Promise<R>;
  readonly resolve: (result: R) => void;
}

/** A lookup that never settles frees its slot after this many times `timeout`. */
const EXPIRES_AFTER = 10;

export class BoundedLoader<Q, V extends Subject, R> {
  readonly #options: BoundedLoaderOptions<Q, V, R>;
  readonly #slots: LookupSlots;
  /** All lookups that have not settled or expired. */
  readonly #pending = new Set<Lookup<R>>();
  /** The pending lookups that further requests can join: they are shared, and have not timed out. */
  readonly #joinable = new Map<string, Lookup<R>>();
  /**
   * Hashes of keys that were found before: their lookups get a slot even in a flood of unknown keys. A newer hash may
   * overwrite an older one.
   */
  readonly #known = new Uint32Array(1 << 17);
  #sequence = 0;

  constructor(options: BoundedLoaderOptions<Q, V, R>) {
    this.#options = options;
    this.#slots = new LookupSlots(options.maxLookups);
  }

  /** The number that the next lookup will get. */
  get nextSequence(): number {
    return this.#sequence + 1;
  }

  /** Looks a key up, or joins its lookup in flight. It never rejects. */
  load(key: string, request: Q, source?: LookupSource): Promise<R> {
    const joined = this.#joinable.get(key)?.result;
    if (joined !== undefined) return joined;
    const { clock, isShared, timeout, maxLookups } = this.#options;
    const startedAt = instantOf(clock);
    const now = startedAt.monotonic;
    const isFull = this.#pending.size >= maxLookups;
    const isShort = isFull || now < this.#slots.shortUntil;
    const slot = isShort ? this.#slots.take(source, now, isFull, this.#isKnown(key)) : UNCOUNTED;
    if (slot === undefined) return Promise.resolve(this.#failed(key, 'too_many'));

    this.#sequence += 1;
    let resolve!: (result: R) => void;
    const result = new Promise<R>((settle) => {
      resolve = settle;
    });
    const lookup: Lookup<R> = {
      key,
      source,
      slot,
      startedAt,
      sequence: this.#sequence,
      invalidated: undefined,
      isExpired: false,
      hasTimedOut: false,
      timer: undefined,
      result,
      resolve,
    };
    // If the event loop was blocked, the answer may have arrived in time. `setImmediate` lets Node read it before the
    // lookup times out.
    lookup.timer = setTimeout(() => setImmediate(() => this.#timeOut(lookup)), timeout);
    this.#pending.add(lookup);
    if (isShared) this.#joinable.set(key, lookup);
    void this.#run(lookup, request);
    return result;
  }

  /** Notifies every lookup in flight of an invalidation. */
  notify(scope: InvalidationScope): void {
    for (const lookup of this.#pending) {
      lookup.invalidated ??= [];
      lookup.invalidated.push(scope);
    }
  }

  /** Runs a lookup. If its subject is invalidated meanwhile, the lookup is repeated once. */
  async #run(lookup: Lookup<R>, request: Q): Promise<void> {
    let result: R | undefined;
    try {
      let value = await this.#options.lookUp(request);
      if (isOutdated(lookup, value)) {
        this.#sequence += 1;
        lookup.startedAt = instantOf(this.#options.clock);
        lookup.sequence = this.#sequence;
        lookup.invalidated = undefined;
        value = await this.#options.lookUp(request);
      }
      if (isOutdated(lookup, value)) result = this.#ended(lookup, 'superseded');
      else {
        if (value.id !== undefined) {
          const fingerprint = fingerprintOf(lookup.key);
          this.#known[fingerprint >>> 15] = fingerprint;
        } else if (lookup.source !== undefined) this.#missed(lookup.source);
        result = this.#options.found(lookup.key, value, lookup);
      }
    } catch (error) {
      result = this.#ended(lookup, error instanceof RecordError ? 'record_invalid' : 'threw', error);
    }
    clearTimeout(lookup.timer);
    this.#leave(lookup);
    if (result !== undefined) lookup.resolve(result);
  }

  /**
   * Makes the result of a lookup without a usable record. After a timeout the requests are already answered, and only
   * `record_invalid` still has an effect: it removes the cached entry.
   */
  #ended({ key, hasTimedOut }: Lookup<R>, reason: LookupFailure['reason'], error?: unknown): R | undefined {
    if (!hasTimedOut || reason === 'record_invalid') return this.#failed(key, reason, error);
    this.#report(reason, error);
    return undefined;
  }

  /** Counts a lookup of a key that does not exist, if slots are short. */
  #missed(source: LookupSource): void {
    if (this.#options.clock.monotonic() < this.#slots.shortUntil) this.#slots.missed(source);
  }

  #isKnown(key: string): boolean {
    const fingerprint = fingerprintOf(key);
    return this.#known[fingerprint >>> 15] === fingerprint;
  }

  #failed(key: string, reason: LookupFailure['reason'], error?: unknown): R {
    const result = this.#options.failed(key, reason);
    this.#report(reason, error);
    return result;
  }

  #report(reason: LookupFailure['reason'], error: unknown): void {
    if (!lookupFailures.hasSubscribers) return;
    const { of } = this.#options;
    lookupFailures.publish({ of, reason, detail: detailOf(reason, error), where: placesOf(error) });
  }

  /** Answers the waiting requests. The lookup keeps its slot, because the store is still working on it. */
  #timeOut(lookup: Lookup<R>): void {
    if (!this.#pending.has(lookup)) return;
    const { timeout } = this.#options;
    lookup.timer = setTimeout(() => this.#expire(lookup), timeout * (EXPIRES_AFTER - 1)).unref();
    lookup.hasTimedOut = true;
    this.#joinable.delete(lookup.key);
    lookup.resolve(this.#failed(lookup.key, 'timed_out'));
  }

  #expire(lookup: Lookup<R>): void {
    lookup.isExpired = true;
    this.#leave(lookup);
  }

  #leave(lookup: Lookup<R>): void {
    // After a timeout, a newer lookup may have the same key. It must stay joinable.
    if (!lookup.hasTimedOut) this.#joinable.delete(lookup.key);
    if (this.#pending.delete(lookup) && lookup.slot !== UNCOUNTED) this.#slots.free(lookup.slot);
  }
}

/**
 * Computes the FNV-1a hash. It need not resist collisions: a caller who finds one gets only a slot for a lookup, not
 * access.
 */
function fingerprintOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i += 1) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

function isOutdated<R>({ invalidated }: Lookup<R>, subject: Subject): boolean {
  return invalidated?.some((scope) => matches(scope, subject)) === true;
}

function detailOf(reason: LookupFailure['reason'], error: unknown): string | undefined {
  // Messages of these two classes are written by keyward and contain no secret.
  if (error instanceof RecordError || error instanceof FetchError) return error.message;
  return reason === 'threw' ? describeError(error) : undefined;
}
