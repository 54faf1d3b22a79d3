/**
 * Records when a change feed confirmed the cache entries. A checkpoint is a moment at which the feed had delivered
 * every change, so an entry that is still cached was valid then.
 */
import { type Clock, elapsed, type Instant, instantOf } from '../contracts/clock.js';

/**
 * The feed had delivered every change at the instant `at`. This confirms only entries whose lookups have the number
 * `since` or a larger one: older entries may have missed changes in a gap.
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
   * @param age - The age of the confirmation in milliseconds. A confirmation that is older than the latest one is
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
   * Notes that changes may have been missed: later checkpoints confirm only entries that are looked up from now on.
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
   * Milliseconds since an entry was last known to be valid, for `staleIfError`. In contrast to `sinceConfirmed`, the
   * last checkpoint before a gap counts too, because the entry was valid at that time.
   */
  sinceKnown(sequence: number, age: number, now: Instant): number {
    return Math.min(this.sinceConfirmed(sequence, age, now), sinceValid(sequence, age, now, this.#beforeGap));
  }
}

function sinceValid(sequence: number, age: number, now: Instant, checkpoint: Checkpoint | undefined): number {
  if (checkpoint === undefined || sequence < checkpoint.since) return age;
  return Math.min(age, elapsed(checkpoint.at, now));
}
