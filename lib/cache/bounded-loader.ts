/**
 * Runs lookups, which are calls of a resolver, with a maximum number in flight and a timeout. Requests for the same key
 * can share a lookup. If the record of a lookup in flight is invalidated, the lookup is repeated, because its answer
 * may be outdated.
 *
 * In this file, `key` is the text that identifies what is looked up: for example a cache key or a client ID.
 */
import { randomBytes } from 'node:crypto';
import { type Clock, type Instant, instantOf } from '../contracts/clock.js';
import { RecordError } from '../credentials/records/record-error.js';
import { describeError, placesOf } from '../errors/describe-error.js';
import { type LookupFailure, lookupFailures } from '../events/lookup-failure.js';
import { afterSocketReads } from '../http/after-socket-reads.js';
import { FetchError } from '../http/fetch-json.js';
import { type LookupSlot, LookupSlots, type LookupSource, UNCOUNTED } from './fair-lookup-slots.js';
import { type InvalidationScope, matches, type Subject } from './invalidation-scope.js';

/** `Q`: the request to the resolver. `V`: its answer. `R`: the result made from the answer. */
export interface BoundedLoaderOptions<Q, V extends Subject, R> {
  /**
   * The name of this loader in events about failed lookups: `apiKeys`, `accessKeys`, `introspectedTokens` or `issuer`.
   */
  readonly of: string;
  /** Milliseconds after which a lookup fails. */
  readonly timeout: number;
  /** Maximum lookups in flight. Above it, a lookup fails immediately, so that a flood cannot overload the store. */
  readonly maxLookups: number;
  /** Whether requests for the same key at the same time share one lookup. */
  readonly isShared: boolean;
  readonly clock: Clock;
  /**
   * Asks the resolver. An answer without `id` means that there is no valid record. In a flood of requests, this answer
   * counts against the network of the client (see `LookupSlots`).
   */
  lookUp(request: Q): Promise<V>;
  /**
   * Makes the result of a lookup from the answer of the resolver; a cache stores the result here. Requests can join the
   * lookup until this call. So a request either joins the lookup or finds the stored result, and no second lookup
   * starts between.
   */
  found(key: string, value: V, lookup: PendingLookup): R;
  /**
   * Makes the result of a lookup that failed or got no slot. A cache returns an older entry here, if the entry may
   * still be used.
   */
  failed(key: string, reason: LookupFailure['reason']): R;
}

/** A lookup in flight, as `found` gets it. */
export interface PendingLookup {
  /**
   * When the lookup started (`startedAt`), and its number (`sequence`), which is larger for a later lookup. A lookup
   * that is repeated because of an invalidation gets a new time and a new number.
   */
  readonly startedAt: Instant;
  readonly sequence: number;
  /**
   * Whether the lookup took longer than `EXPIRES_AFTER` times the timeout. An expired lookup is not notified of
   * invalidations any more, so its result may be outdated.
   */
  readonly isExpired: boolean;
}

interface Lookup<R> extends PendingLookup {
  readonly key: string;
  readonly source: LookupSource | undefined;
  readonly slot: LookupSlot;
  startedAt: Instant;
  sequence: number;
  /**
   * The invalidations since the lookup started. They are compared with the answer of the resolver, because only the
   * answer has the id and account of the record.
   */
  invalidated: InvalidationScope[] | undefined;
  isExpired: boolean;
  /**
   * Whether the timeout has passed, and the waiting requests were answered. A newer lookup of the same key may then
   * have a result. If this lookup fails later, its failure must not replace that result.
   */
  hasTimedOut: boolean;
  timer: NodeJS.Timeout | undefined;
  /** The hash of the key. */
  readonly fingerprint: number;
  /** The list of `#pending` that contains this lookup. */
  readonly list: Lookup<R>[];
  /** The index of this lookup in its list; `REMOVED` after it was removed. */
  index: number;
  readonly result: Promise<R>;
  readonly resolve: (result: R) => void;
}

/** A lookup that has not settled after this many times `timeout` expires, and frees its slot. */
const EXPIRES_AFTER = 10;
/** The `index` of a lookup that has settled or expired. */
const REMOVED = -1;
/** The first 8 bits of the hash of a key say which list its lookup is in. */
const LISTS = 256;
const LIST_SHIFT = 24;
/** The first 17 bits of the hash of a key say where in `#known` it is. */
const KNOWN_SHIFT = 15;
/** The start of each hash. It is secret, so that no caller can choose keys whose lookups are all in one list. */
const HASH_START = randomBytes(4).readUInt32LE();

export class BoundedLoader<Q, V extends Subject, R> {
  readonly #options: BoundedLoaderOptions<Q, V, R>;
  readonly #slots: LookupSlots;
  /**
   * All lookups that have neither settled nor expired. These are arrays, not a `Map`: V8 keeps the old tables of a `Map`
   * that grows and shrinks, and the lookups in them, until a full garbage collection
   * (docs/decisions/0027-lookups-in-flight.md).
   */
  readonly #pending: Lookup<R>[][] = Array.from({ length: LISTS }, () => []);
  #count = 0;
  /**
   * Hashes of keys that were found before. Their lookups get a slot even in a flood of unknown keys. A newer hash may
   * overwrite an older one; the older key then counts as unknown.
   */
  readonly #known = new Uint32Array(2 ** (32 - KNOWN_SHIFT));
  #sequence = 0;

  constructor(options: BoundedLoaderOptions<Q, V, R>) {
    this.#options = options;
    this.#slots = new LookupSlots(options.maxLookups);
  }

  /** The number that the next lookup will get. */
  get nextSequence(): number {
    return this.#sequence + 1;
  }

  /**
   * Looks up a key, or joins the lookup of this key that is in flight. It never rejects: if the lookup fails, it
   * returns the result of `failed`.
   */
  load(key: string, request: Q, source?: LookupSource): Promise<R> {
    const { clock, isShared, timeout, maxLookups } = this.#options;
    const fingerprint = fingerprintOf(key);
    const list = this.#pending[fingerprint >>> LIST_SHIFT] as Lookup<R>[];
    if (isShared) {
      for (const pending of list) {
        if (pending.key === key && !pending.hasTimedOut) return pending.result;
      }
    }
    const startedAt = instantOf(clock);
    const now = startedAt.monotonic;
    const isFull = this.#count >= maxLookups;
    const isShort = isFull || now < this.#slots.shortUntil;
    const slot = isShort ? this.#slots.take(source, now, isFull, this.#isKnown(fingerprint)) : UNCOUNTED;
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
      fingerprint,
      list,
      index: list.length,
      result,
      resolve,
    };
    lookup.timer = setTimeout(afterSocketReads, timeout, () => this.#timeOut(lookup));
    list.push(lookup);
    this.#count += 1;
    void this.#run(lookup, request);
    return result;
  }

  /**
   * Notifies every pending lookup of an invalidation. Each one checks later whether the invalidation is about its
   * record.
   */
  notify(scope: InvalidationScope): void {
    for (const list of this.#pending) {
      for (const lookup of list) {
        lookup.invalidated ??= [];
        lookup.invalidated.push(scope);
      }
    }
  }

  /**
   * Runs a lookup. If its record is invalidated before the answer arrives, the lookup is repeated once. After a second
   * invalidation, it fails as `superseded`.
   */
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
          this.#known[lookup.fingerprint >>> KNOWN_SHIFT] = lookup.fingerprint;
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
   * Ends a lookup that failed. After its timeout, the requests are already answered, so the failure is only reported.
   * An invalid record is an exception: `failed` must always get it, to remove the cached entry of the key.
   */
  #ended({ key, hasTimedOut }: Lookup<R>, reason: LookupFailure['reason'], error?: unknown): R | undefined {
    if (!hasTimedOut || reason === 'record_invalid') return this.#failed(key, reason, error);
    this.#report(reason, error);
    return undefined;
  }

  /** Counts a lookup that found nothing against the network of the client, while slots are short. */
  #missed(source: LookupSource): void {
    if (this.#options.clock.monotonic() < this.#slots.shortUntil) this.#slots.missed(source);
  }

  #isKnown(fingerprint: number): boolean {
    return this.#known[fingerprint >>> KNOWN_SHIFT] === fingerprint;
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

  /**
   * Answers the waiting requests after the timeout. The lookup keeps its slot, because the store may still be working
   * on it.
   */
  #timeOut(lookup: Lookup<R>): void {
    if (lookup.index === REMOVED) return;
    const { timeout } = this.#options;
    lookup.timer = setTimeout(() => this.#expire(lookup), timeout * (EXPIRES_AFTER - 1)).unref();
    lookup.hasTimedOut = true;
    lookup.resolve(this.#failed(lookup.key, 'timed_out'));
  }

  #expire(lookup: Lookup<R>): void {
    lookup.isExpired = true;
    this.#leave(lookup);
  }

  #leave(lookup: Lookup<R>): void {
    const { list, index } = lookup;
    if (index === REMOVED) return;
    // The last lookup of the list moves to the index of this one, so that no others move.
    const last = list.pop();
    if (last !== undefined && last !== lookup) {
      list[index] = last;
      last.index = index;
    }
    lookup.index = REMOVED;
    this.#count -= 1;
    if (lookup.slot !== UNCOUNTED) this.#slots.free(lookup.slot);
  }
}

/**
 * Computes the FNV-1a hash from a secret start. It is fast but has collisions: a caller who finds one gets only a slot
 * for a lookup, not access.
 */
function fingerprintOf(key: string): number {
  let hash = HASH_START;
  for (let i = 0; i < key.length; i += 1) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

function isOutdated<R>({ invalidated }: Lookup<R>, subject: Subject): boolean {
  return invalidated?.some((scope) => matches(scope, subject)) === true;
}

function detailOf(reason: LookupFailure['reason'], error: unknown): string | undefined {
  // keyward writes the messages of these two classes, so they contain no secret; one may be the code of a network
  // error. The message of any other error may contain a secret, so only the class and code of that error are described.
  if (error instanceof RecordError || error instanceof FetchError) return error.message;
  return reason === 'threw' ? describeError(error) : undefined;
}
