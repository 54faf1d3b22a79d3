/**
 * What a resolver said, remembered: single flight, negatives apart, and every bound on staleness.
 *
 * Facts are cached here, decisions are not: whoever reads an entry judges expiry and revocation by it on each request.
 */
import { types } from 'node:util';
import type { Change, FeedListener } from '../contracts/change-feed.js';
import type { Clock } from '../contracts/clock.js';
import { RecordFault } from '../credentials/record.js';
import { feedNotices } from '../events/feed-notice.js';
import { type LookUpFailure, lookUpFailures } from '../events/look-up-failure.js';
import type { CacheBounds } from './cache-options.js';
import { type Reach, reachOf, type SubjectMember, touches } from './change-reach.js';
import { EntrySegment, type SegmentEntry, type Subject } from './entry-segment.js';
import { CONFIRMED_FOR, elapsed, type Instant, instantOf } from './freshness.js';

/** What a look-up brought. */
export type Found<F> =
  | { readonly facts: F; readonly subject: Subject }
  | {
      /** Why there is nothing to believe: `unknown`, `revoked`, … */
      readonly reason: string;
      readonly subject: Subject;
      /** Whether nothing can mend it: revoked is final. */
      readonly final: boolean;
    };

/** A good entry. */
export interface Entry<F> extends SegmentEntry {
  readonly facts: F;
  readonly lookedUp: Instant;
  readonly sequence: number;
  /** When a look-up of it last failed: for a moment from then on it is served without another try. */
  failedAt: Instant | undefined;
}

/** A negative entry. */
export interface Miss extends SegmentEntry {
  readonly reason: string;
  readonly final: boolean;
  readonly lookedUp: Instant;
  readonly sequence: number;
}

/** How a look-up ended. */
export type Landing<F> =
  | { readonly entry: Entry<F> }
  | { readonly miss: Miss }
  | { readonly failed: LookUpFailure['reason'] };

export interface LookUpCacheOptions {
  /** Whose look-ups these are, for events. */
  readonly of: string;
  /** Which member of a change names the subjects of this cache. */
  readonly member: SubjectMember;
  /** `undefined`: nothing is cached or shared, and the other bounds hold. */
  readonly bounds: CacheBounds | undefined;
  readonly watched: boolean;
  /** Milliseconds, then the look-up has failed. */
  readonly timeout: number;
  /** Look-ups in flight; beyond it they fail at once, so that a flood cannot drown the store. */
  readonly maxLookups: number;
  readonly clock: Clock;
}

interface Flight<F> {
  /** When it began, among the look-ups and losses of this cache. */
  sequence: number;
  departed: Instant;
  /** While a look-up is in flight its subject is unknown, so every change since it began is kept until it lands. */
  changes: Reach[];
  /** Set when it took so long that changes are no longer kept for it: then what it brings is not believed. */
  abandoned: boolean;
  arrival: Promise<Landing<F>>;
}

/** The feed's word that what it covers held at an instant: what was looked up since the loss before it. */
interface FeedWord {
  readonly since: number;
  readonly at: Instant;
}

/** After a failed look-up an entry that may still be served is, and the store is left alone for this long. */
const RETRY_AFTER = 1_000;

/** A look-up that never ends gives its place in `maxLookups` back after this many time-outs. */
const PATIENCE = 10;

export class LookUpCache<F> {
  readonly #options: LookUpCacheOptions;
  readonly #good: EntrySegment<Entry<F>> | undefined;
  readonly #misses: EntrySegment<Miss> | undefined;
  readonly #flights = new Map<string, Flight<F>>();
  readonly #underWay = new Set<Flight<F>>();
  #sequence = 0;
  #lostSequence = 0;
  #feedWord: FeedWord | undefined;
  /** What it said last before it was lost. */
  #lastFeedWord: FeedWord | undefined;

  constructor(options: LookUpCacheOptions) {
    this.#options = options;
    if (options.bounds === undefined) return;
    this.#good = new EntrySegment(options.bounds.max);
    this.#misses = new EntrySegment(options.bounds.negativeMax);
  }

  /** What a feed tells. Hand it to the resolver's `watch`. */
  readonly listener: FeedListener = {
    change: (change) => this.invalidate(change),
    current: () => {
      this.#feedWord = { since: this.#lostSequence, at: instantOf(this.#options.clock) };
    },
    lost: () => {
      this.#lastFeedWord = this.#feedWord ?? this.#lastFeedWord;
      this.#feedWord = undefined;
      this.#sequence += 1;
      this.#lostSequence = this.#sequence;
      if (feedNotices.hasSubscribers) feedNotices.publish({ of: this.#options.of, outcome: 'lost' });
    },
  };

  /** The good entry of a key, if it may be served now without a look-up. */
  recall(key: string, now: Instant): Entry<F> | undefined {
    const entry = this.#good?.get(key);
    return entry !== undefined && this.serves(entry, now) ? entry : undefined;
  }

  /** Whether an entry that is held elsewhere may still be served without a look-up. */
  serves(entry: Entry<F>, now: Instant): boolean {
    const { bounds, watched } = this.#options;
    if (bounds === undefined || !entry.live) return false;
    const age = elapsed(entry.lookedUp, now);
    if (age < bounds.ttl && (!watched || this.#sinceConfirmed(entry, now) <= CONFIRMED_FOR)) return true;
    const pauses = entry.failedAt !== undefined && elapsed(entry.failedAt, now) < RETRY_AFTER;
    return pauses && this.#sinceHeld(entry, now) <= bounds.staleIfError;
  }

  /** The negative entry of a key, if it is believed now. */
  recallMiss(key: string, now: Instant): Miss | undefined {
    const miss = this.#misses?.get(key);
    if (miss === undefined || this.#options.bounds === undefined) return undefined;
    return miss.final || elapsed(miss.lookedUp, now) < this.#options.bounds.negativeTtl ? miss : undefined;
  }

  /**
   * Looks a key up, or waits for the look-up of it that is under way. It never rejects.
   *
   * @param load - Asks the resolver. What it throws makes the look-up fail.
   * @param redact - Cuts the credential out of an error's text.
   */
  async lookUp(key: string, load: () => Promise<Found<F>>, redact = (text: string) => text): Promise<Landing<F>> {
    const flight = this.#flights.get(key) ?? this.#depart(key, load, redact);
    const landing: Landing<F> = flight === undefined ? { failed: 'too_many' } : await flight.arrival;
    return 'failed' in landing ? (this.#stale(key) ?? landing) : landing;
  }

  /** Drops what a change touches, and what look-ups under way would bring of it. What is no change drops everything. */
  invalidate(change: Change): void {
    const reach = reachOf(change, this.#options.member);
    if (reach === undefined && feedNotices.hasSubscribers) {
      feedNotices.publish({ of: this.#options.of, outcome: 'garbled' });
    }
    this.#drop(reach ?? 'everything');
  }

  #drop(reach: Reach): void {
    if (reach === 'nothing') return;
    for (const flight of this.#underWay) flight.changes.push(reach);
    const isTouched = (entry: Entry<F>) => touches(reach, entry.subject);
    const isMended = (miss: Miss) => !miss.final && touches(reach, miss.subject);
    if (typeof reach === 'object' && 'id' in reach) {
      this.#good?.deleteOf(reach.id, isTouched);
      this.#misses?.deleteOf(reach.id, isMended);
    } else {
      this.#good?.deleteWhere(isTouched);
      this.#misses?.deleteWhere(isMended);
    }
  }

  #depart(key: string, load: () => Promise<Found<F>>, redact: (text: string) => string): Flight<F> | undefined {
    if (this.#underWay.size >= this.#options.maxLookups) {
      this.#report('too_many');
      return undefined;
    }
    const departed = instantOf(this.#options.clock);
    const arrival: Promise<Landing<F>> = Promise.resolve({ failed: 'timed_out' });
    const flight: Flight<F> = { sequence: ++this.#sequence, departed, changes: [], abandoned: false, arrival };
    this.#underWay.add(flight);
    if (this.#options.bounds !== undefined) this.#flights.set(key, flight);
    flight.arrival = this.#inTime(key, flight, this.#fly(key, flight, load, redact));
    return flight;
  }

  async #fly(
    key: string,
    flight: Flight<F>,
    load: () => Promise<Found<F>>,
    redact: (text: string) => string,
  ): Promise<Landing<F>> {
    try {
      const found = await load();
      if (!isOvertaken(flight, found)) return this.#land(key, flight, found);
      flight.sequence = ++this.#sequence;
      flight.departed = instantOf(this.#options.clock);
      flight.changes = [];
      const again = await load();
      if (!isOvertaken(flight, again)) return this.#land(key, flight, again);
      this.#report('overtaken');
      return { failed: 'overtaken' };
    } catch (error) {
      const reason = error instanceof RecordFault ? 'record_invalid' : 'threw';
      // The store was asked and no longer says what is cached: that is not served as stale.
      if (reason === 'record_invalid') this.#good?.delete(key);
      this.#report(reason, () => redact(summaryOf(error)));
      return { failed: reason };
    } finally {
      // In one turn with the landing: who asks after the next change must not join a look-up from before it.
      this.#underWay.delete(flight);
      this.#forget(key, flight);
    }
  }

  /** Waits for a look-up no longer than it may take. One that lands later is still believed, if nothing changed. */
  #inTime(key: string, flight: Flight<F>, landing: Promise<Landing<F>>): Promise<Landing<F>> {
    const { timeout } = this.#options;
    return new Promise((resolve) => {
      const abandon = () => {
        flight.abandoned = true;
        this.#underWay.delete(flight);
      };
      const giveUp = () => {
        timer = setTimeout(abandon, timeout * (PATIENCE - 1)).unref();
        this.#forget(key, flight);
        this.#report('timed_out');
        resolve({ failed: 'timed_out' });
      };
      let timer = setTimeout(giveUp, timeout);
      landing.then((landed) => {
        clearTimeout(timer);
        resolve(landed);
      });
    });
  }

  #forget(key: string, flight: Flight<F>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }

  /** Keeps what a look-up brought, unless something is known that it does not outweigh. */
  #land(key: string, flight: Flight<F>, found: Found<F>): Landing<F> {
    const { departed: lookedUp, sequence } = flight;
    const known = { subject: found.subject, lookedUp, sequence, live: false };
    const landing: Landing<F> =
      'facts' in found
        ? { entry: { ...known, facts: found.facts, failedAt: undefined } }
        : { miss: { ...known, reason: found.reason, final: found.final } };
    if (this.#good === undefined || this.#misses === undefined) return landing;
    const miss = this.#misses.peek(key);
    if (miss?.final) return { miss };
    // Revoked is final, however late it is heard.
    if ('entry' in landing || !landing.miss.final) {
      const entry = this.#good.peek(key);
      if (miss !== undefined && miss.sequence > sequence) return { miss };
      if (entry !== undefined && entry.sequence > sequence) return { entry };
      if (flight.abandoned) return landing;
    }
    if ('entry' in landing) {
      this.#misses.delete(key);
      this.#good.set(key, landing.entry);
    } else {
      this.#good.delete(key);
      this.#misses.set(key, landing.miss);
    }
    return landing;
  }

  /** What is served of a key while its look-ups fail, for as long as `staleIfError` allows. */
  #stale(key: string): Landing<F> | undefined {
    const { bounds, clock } = this.#options;
    const entry = this.#good?.peek(key);
    if (entry === undefined || bounds === undefined) return undefined;
    const now = instantOf(clock);
    if (this.#sinceHeld(entry, now) > bounds.staleIfError) return undefined;
    entry.failedAt = now;
    return { entry };
  }

  /** Milliseconds since an entry was confirmed: by its own look-up, or by the feed's word that covers it. */
  #sinceConfirmed(entry: Entry<F>, now: Instant, word = this.#feedWord): number {
    const own = elapsed(entry.lookedUp, now);
    return word === undefined || entry.sequence < word.since ? own : Math.min(own, elapsed(word.at, now));
  }

  /** Milliseconds since an entry was known to hold: a feed that is lost takes back nothing of what it said before. */
  #sinceHeld(entry: Entry<F>, now: Instant): number {
    return Math.min(this.#sinceConfirmed(entry, now), this.#sinceConfirmed(entry, now, this.#lastFeedWord));
  }

  #report(reason: LookUpFailure['reason'], detail?: () => string): void {
    if (lookUpFailures.hasSubscribers) lookUpFailures.publish({ of: this.#options.of, reason, detail: detail?.() });
  }
}

function isOvertaken<F>(flight: Flight<F>, found: Found<F>): boolean {
  return flight.changes.some((reach) => touches(reach, found.subject));
}

function summaryOf(error: unknown): string {
  if (!types.isNativeError(error)) return `a thrown ${typeof error}`;
  try {
    return `${error.name}: ${error.message}`;
  } catch {
    return 'an error that cannot be read';
  }
}
