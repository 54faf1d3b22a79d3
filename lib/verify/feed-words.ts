import type { Clock } from '../contracts/clock.js';
import { elapsed, type Instant, instantOf } from './freshness.js';

/** A looked-up entry, as a feed may speak of it, and the instant of its look-up. */
export interface Dated extends Instant {
  readonly sequence: number;
}

/** A feed's word that everything looked up since some point held at an instant. */
interface Word {
  readonly since: number;
  readonly at: Instant;
}

/** What a feed has said of the entries of a cache. After a loss its word covers nothing that was looked up before. */
export class FeedWords {
  readonly #clock: Clock;
  #since = 0;
  #latest: Word | undefined;
  #beforeLoss: Word | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param age - Milliseconds that the word is old; one that is older than the latest takes nothing back. */
  current(age = 0): void {
    const at = before(instantOf(this.#clock), Math.max(0, age));
    if (this.#latest !== undefined && elapsed(this.#latest.at, at) < 0) return;
    this.#latest = { since: this.#since, at };
  }

  /** @param sequence - The number that the next look-up will have. */
  lost(sequence: number): void {
    this.#beforeLoss = this.#latest ?? this.#beforeLoss;
    this.#latest = undefined;
    this.#since = sequence;
  }

  /** Milliseconds since an entry was confirmed: by its own look-up, or by the word that covers it. */
  sinceConfirmed(entry: Dated, now: Instant): number {
    return sinceHeld(entry, now, this.#latest);
  }

  /** Milliseconds since an entry was known to hold: a feed that is lost takes back nothing of what it said before. */
  sinceKnown(entry: Dated, now: Instant): number {
    return Math.min(this.sinceConfirmed(entry, now), sinceHeld(entry, now, this.#beforeLoss));
  }
}

function before({ wall, monotonic }: Instant, milliseconds: number): Instant {
  return { wall: wall - milliseconds, monotonic: monotonic - milliseconds };
}

function sinceHeld(entry: Dated, now: Instant, word: Word | undefined): number {
  const own = elapsed(entry, now);
  return word === undefined || entry.sequence < word.since ? own : Math.min(own, elapsed(word.at, now));
}
