/**
 * Records when a change feed confirmed the cached entries. A checkpoint is an instant at which the feed had delivered
 * every change. If no change had invalidated an entry by then, the entry was valid at that instant.
 */
import { type Clock, elapsed, type Instant, instantOf } from '../contracts/clock.js';

/**
 * At the instant `at`, the feed had delivered every change. This confirms only entries whose lookup has the number
 * `since` or a larger one. Changes of older entries may have been lost in a gap.
 */
interface Checkpoint {
  readonly since: number;
  readonly at: Instant;
}

export class FeedCheckpoints {
  readonly #clock: Clock;
  #since = 0;
  #latest: Checkpoint | undefined;
  #beforeGap: Checkpoint | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Sets a checkpoint, which confirms every cached entry that was looked up since the last gap.
   *
   * @param age - How old the confirmation is, in milliseconds. If it is older than the latest checkpoint, it is
   *   ignored.
   */
  caughtUp(age = 0): void {
    const { wall, monotonic } = instantOf(this.#clock);
    const past = Math.max(0, age);
    const at = { wall: wall - past, monotonic: monotonic - past };
    if (this.#latest !== undefined && elapsed(this.#latest.at, at) < 0) return;
    this.#latest = { since: this.#since, at };
  }

  /**
   * Records a gap in which changes may have been lost. Later checkpoints confirm only entries that are looked up from
   * now on.
   *
   * @param nextSequence - The sequence number of the next lookup.
   */
  gap(nextSequence: number): void {
    this.#beforeGap = this.#latest ?? this.#beforeGap;
    this.#latest = undefined;
    this.#since = nextSequence;
  }

  /**
   * Milliseconds since an entry was confirmed, by its own lookup or by a checkpoint.
   *
   * @param sequence - The number of the lookup of the entry.
   * @param age - Milliseconds since that lookup started.
   */
  sinceConfirmed(sequence: number, age: number, now: Instant): number {
    return sinceValid(sequence, age, now, this.#latest);
  }

  /**
   * Milliseconds since an entry was last known to be valid, for `staleIfError`. Unlike `sinceConfirmed`, it also uses
   * the last checkpoint before a gap: the entry was valid at that instant.
   */
  sinceKnown(sequence: number, age: number, now: Instant): number {
    return Math.min(this.sinceConfirmed(sequence, age, now), sinceValid(sequence, age, now, this.#beforeGap));
  }
}

function sinceValid(sequence: number, age: number, now: Instant, checkpoint: Checkpoint | undefined): number {
  if (checkpoint === undefined || sequence < checkpoint.since) return age;
  return Math.min(age, elapsed(checkpoint.at, now));
}
