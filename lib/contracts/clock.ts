/** A source of time. Pass your own in tests. Timeouts do not use it, but the timers of Node. */
export interface Clock {
  /** Returns the wall clock in milliseconds since 1970. It is used for expiry. */
  now(): number;
  /**
   * Returns milliseconds since any fixed instant; this clock is never set back. The age of a cache entry is measured
   * with both clocks.
   */
  monotonic(): number;
}

/** The clock of the machine. */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  monotonic: () => performance.now(),
});

/** An instant on both clocks. */
export interface Instant {
  readonly wall: number;
  readonly monotonic: number;
}

export function instantOf(clock: Clock): Instant {
  return { wall: clock.now(), monotonic: clock.monotonic() };
}

/**
 * Returns the milliseconds between two instants: the larger difference of the two clocks. So an entry never seems
 * younger because the wall clock was set back, or because the monotonic clock stopped while the machine was suspended.
 */
export function elapsed(from: Instant, to: Instant): number {
  return Math.max(to.wall - from.wall, to.monotonic - from.monotonic);
}
