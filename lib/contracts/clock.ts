/** Where the time comes from. Give one of your own in tests. */
export interface Clock {
  /** Wall clock: milliseconds since 1970. Expiry is judged by it. */
  now(): number;
  /** Milliseconds since some fixed instant, never set back: the age of what is cached is judged by both. */
  monotonic(): number;
}

/** The clock of the machine. */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  monotonic: () => performance.now(),
});
