/** Notices steps of the wall clock, so that no used proof or assertion becomes valid again when it is set back. */
import { type Clock, instantOf } from '../contracts/clock.js';

/** Milliseconds. Smaller steps are not noticed: ids are stored for longer than their proofs are valid. */
const SMALLEST_STEP = 1_000;
/** Periods that are kept. Only a clock that steps all the time has more. */
const MAX_PERIODS = 64;

/** A time without steps of the wall clock. */
interface Period {
  /** Where the wall clock was at the start. */
  readonly from: number;
  /** How far the wall clock was ahead of the monotonic clock. */
  offset: number;
}

/** A period that has ended. */
interface PastPeriod extends Period {
  /** What was used in this period has expired at this time of the wall clock. */
  readonly until: number;
}

export class ClockSteps {
  readonly #clock: Clock;
  readonly #lifetime: number;
  #period: Period | undefined;
  #past: readonly PastPeriod[] = [];

  /** @param lifetime - Maximum milliseconds from the use of a proof or an assertion to its expiry. */
  constructor(clock: Clock, lifetime: number) {
    this.#clock = clock;
    this.#lifetime = lifetime;
  }

  /**
   * Whether an expiry would have passed if the wall clock had not been set back. A replay cache may have forgotten what
   * expired then. Call it before each use, because steps are noticed only here.
   *
   * @param expiresAt - Milliseconds since 1970.
   */
  hadPassed(expiresAt: number): boolean {
    const { wall, monotonic } = instantOf(this.#clock);
    const offset = wall - monotonic;
    this.#period ??= { from: wall - SMALLEST_STEP, offset };
    if (Math.abs(offset - this.#period.offset) > SMALLEST_STEP) {
      const ended = { ...this.#period, until: monotonic + this.#period.offset + this.#lifetime };
      this.#past = [...this.#past.filter(({ until }) => until >= wall), ended].slice(-MAX_PERIODS);
      this.#period = { from: wall - SMALLEST_STEP, offset };
    }
    // The two clocks may drift apart slowly; the largest difference counts.
    this.#period.offset = Math.max(this.#period.offset, offset);
    return this.#past.some(
      (past) => expiresAt > past.from && expiresAt <= past.until && expiresAt <= monotonic + past.offset,
    );
  }
}
