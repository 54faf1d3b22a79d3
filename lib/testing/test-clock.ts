import type { Clock } from '../contracts/clock.js';

/** A clock that moves only when `advance` is called. */
export interface TestClock extends Clock {
  /** Moves the clock forward, by milliseconds. */
  advance(milliseconds: number): void;
}

/** Creates a clock that stands still at `start`, in milliseconds since 1970, until `advance` moves it. */
export function createTestClock(start: number): TestClock {
  let elapsed = 0;
  return Object.freeze({
    now: () => start + elapsed,
    monotonic: () => elapsed,
    advance(milliseconds: number) {
      elapsed += milliseconds;
    },
  });
}
