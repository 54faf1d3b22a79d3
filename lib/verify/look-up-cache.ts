/**
 * What a resolver said, remembered: single flight, negatives apart, and every bound on staleness.
 *
 * Facts are cached here, decisions are not: whoever reads an entry judges expiry and revocation by it on each request.
 */
import type { Change, FeedListener } from '../contracts/change-feed.js';
import type { Clock } from '../contracts/clock.js';
import { RecordFault } from '../credentials/record.js';
import { feedNotices } from '../events/feed-notice.js';
import { type LookUpFailure, lookUpFailures } from '../events/look-up-failure.js';
import type { CacheBounds } from './cache-options.js';
import { type Reach, reachOf, type SubjectMember, touches } from './change-reach.js';
import { EntrySegment } from './entry-segment.js';
import { errorSummary } from './error-summary.js';
import { FeedWords } from './feed-words.js';
import { type Flight, Flights } from './flights.js';
import { CONFIRMED_FOR, elapsed, type Instant, instantOf } from './freshness.js';
import {
  type Entry,
  type Found,
  failed,
  isNothing,
  type Landing,
  landedOnMiss,
  landedWell,
  type Miss,
} from './look-up-landing.js';

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

/** After a failed look-up an entry that may still be served is, and the store is left alone for this long. */
const RETRY_AFTER = 1_000;

/** Asks the resolver. What it throws makes the look-up fail. */
type Load<F> = () => Promise<Found<F>>;

/** Cuts the credential out of an error's text. */
type Redact = (text: string) => string;

interface Segments<F> {
  readonly good: EntrySegment<Entry<F>>;
  readonly misses: EntrySegment<Miss>;
  /** Revoked is final: apart, so that no flood of unknown keys makes it forgotten. */
  readonly revoked: EntrySegment<Miss>;
}

export class LookUpCache<F> {
  readonly #options: LookUpCacheOptions;
  readonly #kept: Segments<F> | undefined;
  readonly #flights: Flights<Landing<F>>;
  readonly #feed: FeedWords;
  #sequence = 0;

  constructor(options: LookUpCacheOptions) {
    const { bounds, timeout, maxLookups, clock } = options;
    this.#options = options;
    this.#flights = new Flights({ timeout, max: maxLookups });
    this.#feed = new FeedWords(clock);
    this.#kept = bounds && {
      good: new EntrySegment(bounds.max),
      misses: new EntrySegment(bounds.negativeMax),
      revoked: new EntrySegment(bounds.negativeMax),
    };
  }

  /** What a feed tells. Hand it to the resolver's `watch`. */
  readonly listener: FeedListener = {
    change: (change) => this.invalidate(change),
    current: () => this.#feed.current(),
    lost: () => {
      this.#feed.lost(this.#sequence + 1);
      if (feedNotices.hasSubscribers) feedNotices.publish({ of: this.#options.of, outcome: 'lost' });
    },
  };

  /** The good entry of a key, if it may be served now without a look-up. */
  recall(key: string, now: Instant): Entry<F> | undefined {
    const entry = this.#kept?.good.get(key);
    return entry !== undefined && this.serves(entry, now) ? entry : undefined;
  }

  /** Whether an entry that is held elsewhere may still be served without a look-up. */
  serves(entry: Entry<F>, now: Instant): boolean {
    const { bounds, watched } = this.#options;
    if (bounds === undefined || !entry.live) return false;
    const age = elapsed(entry.lookedUp, now);
    if (age < bounds.ttl && (!watched || this.#feed.sinceConfirmed(entry, now) <= CONFIRMED_FOR)) return true;
    const pauses = entry.failedAt !== undefined && elapsed(entry.failedAt, now) < RETRY_AFTER;
    return pauses && this.#feed.sinceKnown(entry, now) <= bounds.staleIfError;
  }

  /** The negative entry of a key, if it is believed now. */
  recallMiss(key: string, now: Instant): Miss | undefined {
    const { bounds } = this.#options;
    if (bounds === undefined) return undefined;
    const miss = this.#kept?.revoked.get(key) ?? this.#kept?.misses.get(key);
    if (miss === undefined) return undefined;
    return miss.final || elapsed(miss.lookedUp, now) < bounds.negativeTtl ? miss : undefined;
  }

  /** Looks a key up, or waits for the look-up of it that is under way. It never rejects. */
  async lookUp(key: string, load: Load<F>, redact: Redact = (text) => text): Promise<Landing<F>> {
    const landing = await (this.#flights.joined(key) ?? this.#begin(key, load, redact));
    return landing.failed === undefined ? landing : (this.#stale(key) ?? landing);
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
    this.#flights.tell(reach);
    const isTouched = ({ subject }: Entry<F> | Miss) => touches(reach, subject);
    for (const segment of [this.#kept?.good, this.#kept?.misses]) {
      if (typeof reach === 'object' && 'id' in reach) segment?.deleteOf(reach.id, isTouched);
      else segment?.deleteWhere(isTouched);
    }
  }

  #begin(key: string, load: Load<F>, redact: Redact): Promise<Landing<F>> | Landing<F> {
    if (this.#flights.areFull) return this.#failure('too_many');
    const flight: Flight = { ...this.#departure(), abandoned: false };
    const joinable = this.#kept === undefined ? undefined : key;
    return this.#flights.begin(
      joinable,
      flight,
      () => this.#fly(key, flight, load, redact),
      () => this.#failure('timed_out'),
    );
  }

  #departure() {
    this.#sequence += 1;
    return { sequence: this.#sequence, departed: instantOf(this.#options.clock), changes: [] };
  }

  async #fly(key: string, flight: Flight, load: Load<F>, redact: Redact): Promise<Landing<F>> {
    try {
      const found = await load();
      if (!isOvertaken(flight, found)) return this.#land(key, flight, found);
      Object.assign(flight, this.#departure());
      const again = await load();
      return isOvertaken(flight, again) ? this.#failure('overtaken') : this.#land(key, flight, again);
    } catch (error) {
      const reason = error instanceof RecordFault ? 'record_invalid' : 'threw';
      // The store was asked and no longer says what is cached: that is not served as stale.
      if (reason === 'record_invalid') this.#kept?.good.delete(key);
      return this.#failure(reason, () => redact(errorSummary(error)));
    } finally {
      this.#flights.end(key, flight);
    }
  }

  /** Keeps what a look-up brought, unless something is known that it does not outweigh. */
  #land(key: string, flight: Flight, found: Found<F>): Landing<F> {
    const known = { subject: found.subject, lookedUp: flight.departed, sequence: flight.sequence, live: false };
    const landing: Landing<F> = isNothing(found)
      ? landedOnMiss({ ...known, reason: found.reason, final: found.final })
      : landedWell({ ...known, facts: found.facts, failedAt: undefined });
    return this.#kept === undefined ? landing : this.#keep(key, flight, landing, this.#kept);
  }

  #keep(key: string, flight: Flight, landing: Landing<F>, { good, misses, revoked }: Segments<F>): Landing<F> {
    const final = revoked.peek(key);
    if (final !== undefined) return landedOnMiss(final);
    // Revoked is final, however late it is heard.
    if (landing.miss?.final) {
      good.delete(key);
      misses.delete(key);
      revoked.set(key, landing.miss);
      return landing;
    }
    const [entry, miss] = [good.peek(key), misses.peek(key)];
    if (miss !== undefined && miss.sequence > flight.sequence) return landedOnMiss(miss);
    if (entry !== undefined && entry.sequence > flight.sequence) return landedWell(entry);
    if (flight.abandoned) return landing;
    if (landing.entry !== undefined) {
      misses.delete(key);
      good.set(key, landing.entry);
    } else if (landing.miss !== undefined) {
      good.delete(key);
      misses.set(key, landing.miss);
    }
    return landing;
  }

  /** What is served of a key while its look-ups fail, for as long as `staleIfError` allows. */
  #stale(key: string): Landing<F> | undefined {
    const { bounds, clock } = this.#options;
    const entry = this.#kept?.good.peek(key);
    if (entry === undefined || bounds === undefined) return undefined;
    const now = instantOf(clock);
    if (this.#feed.sinceKnown(entry, now) > bounds.staleIfError) return undefined;
    entry.failedAt = now;
    return landedWell(entry);
  }

  #failure(reason: LookUpFailure['reason'], detail?: () => string): Landing<F> {
    if (lookUpFailures.hasSubscribers) lookUpFailures.publish({ of: this.#options.of, reason, detail: detail?.() });
    return failed(reason);
  }
}

function isOvertaken<F>(flight: Flight, found: Found<F>): boolean {
  return flight.changes.some((reach) => touches(reach, found.subject));
}
