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
import { reachOf, type SubjectMember, touches } from './change-reach.js';
import { errorSummary } from './error-summary.js';
import { FeedWords } from './feed-words.js';
import { type Flight, Flights } from './flights.js';
import { CONFIRMED_FOR, elapsed, type Instant, instantOf } from './freshness.js';
import { KeptEntries } from './kept-entries.js';
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

export class LookUpCache<F> {
  readonly #options: LookUpCacheOptions;
  readonly #kept: KeptEntries<F> | undefined;
  readonly #flights: Flights<Landing<F>>;
  readonly #feed: FeedWords;
  #sequence = 0;

  constructor(options: LookUpCacheOptions) {
    const { bounds, timeout, maxLookups, clock } = options;
    this.#options = options;
    this.#flights = new Flights({ timeout, max: maxLookups });
    this.#feed = new FeedWords(clock);
    this.#kept = bounds && new KeptEntries(bounds);
  }

  /** What a feed tells. Hand it to the resolver's `watch`. */
  readonly listener: FeedListener = {
    change: (change) => this.invalidate(change),
    current: (age) => this.#feed.current(age),
    lost: () => {
      this.#feed.lost(this.#sequence + 1);
      if (feedNotices.hasSubscribers) feedNotices.publish({ of: this.#options.of, outcome: 'lost' });
    },
  };

  /** The good entry of a key, if it may be served now without a look-up. */
  recall(key: string, now: Instant): Entry<F> | undefined {
    const entry = this.#kept?.use(key);
    return entry !== undefined && this.serves(entry, now) ? entry : undefined;
  }

  /** Whether an entry that is held elsewhere may still be served without a look-up. */
  serves(entry: Entry<F>, now: Instant): boolean {
    const { bounds, watched } = this.#options;
    if (bounds === undefined || !entry.live) return false;
    const age = elapsed(entry, now);
    if (age < bounds.ttl && (!watched || this.#feed.sinceConfirmed(entry, now) <= CONFIRMED_FOR)) return true;
    const pauses = entry.failedAt !== undefined && elapsed(entry.failedAt, now) < RETRY_AFTER;
    return pauses && this.#feed.sinceKnown(entry, now) <= bounds.staleIfError;
  }

  /** The negative entry of a key, if it is believed now. */
  recallMiss(key: string, now: Instant): Miss | undefined {
    const { bounds } = this.#options;
    if (bounds === undefined) return undefined;
    const miss = this.#kept?.miss(key);
    if (miss === undefined) return undefined;
    return miss.final || elapsed(miss, now) < bounds.negativeTtl ? miss : undefined;
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
    if (reach === 'nothing') return;
    this.#flights.tell(reach ?? 'everything');
    this.#kept?.drop(reach ?? 'everything');
  }

  #begin(key: string, load: Load<F>, redact: Redact): Promise<Landing<F>> | Landing<F> {
    if (this.#flights.areFull) return this.#failure('too_many');
    // What is spread stands last: V8 of Node 20 makes a shape of its own for each copy that gets further members.
    const flight: Flight = { abandoned: false, place: undefined, ...this.#departure() };
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
      if (reason === 'record_invalid') this.#kept?.delete(key);
      return this.#failure(reason, () => redact(errorSummary(error)));
    } finally {
      this.#flights.end(key, flight);
    }
  }

  #land(key: string, flight: Flight, found: Found<F>): Landing<F> {
    const { sequence, departed } = flight;
    const { wall } = departed;
    // Whole, so that V8 need not keep the number apart; rounded down, the entry seems older and not younger.
    const monotonic = Math.floor(departed.monotonic);
    const { subject } = found;
    // Written out: a copy by spread has its members in a second object, and hits are found among thousands.
    const landing: Landing<F> = isNothing(found)
      ? landedOnMiss({ subject, wall, monotonic, sequence, live: false, reason: found.reason, final: found.final })
      : landedWell({ subject, wall, monotonic, sequence, live: false, facts: found.facts, failedAt: undefined });
    return this.#kept === undefined ? landing : this.#kept.keep(key, flight, landing);
  }

  /** What is served of a key while its look-ups fail, for as long as `staleIfError` allows. */
  #stale(key: string): Landing<F> | undefined {
    const { bounds, clock } = this.#options;
    const entry = this.#kept?.peek(key);
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
