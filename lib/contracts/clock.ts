/** A source of time. In tests, you can pass your own. Timeouts always use the timers of Node instead. */
export interface Clock {
  /** Returns the wall clock in milliseconds since 1970. Expiry is checked with it. */
  now(): number;
  /**
   * Returns the milliseconds since a fixed instant of your choice. Unlike the wall clock, it must never go back. The
   * age of a cache entry is measured with both clocks.
   */
  monotonic(): number;
}

/** The clock of the machine. */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  monotonic: () => performance.now(),
});

/** The same instant on both clocks of a `Clock`, in milliseconds. */
export interface Instant {
  readonly wall: number;
  readonly monotonic: number;
}

export function instantOf(clock: Clock): Instant {
  return { wall: clock.now(), monotonic: clock.monotonic() };
}

/**
 * Returns the milliseconds between two instants, by the clock that shows the larger difference. The wall clock may be
 * set back, and the monotonic clock may stop while the machine sleeps. In both cases, a cache entry must not seem
 * younger than it is.
 */
export function elapsed(from: Instant, to: Instant): number {
  return Math.max(to.wall - from.wall, to.monotonic - from.monotonic);
}
