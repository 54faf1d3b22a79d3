import type { Clock } from '../contracts/clock.js';

/** A clock that stands still until it is moved. */
export interface TestClock extends Clock {
  /** Moves the clock on, in milliseconds. */
  advance(milliseconds: number): void;
}

/** Makes a clock that stands at an instant: milliseconds since 1970. */
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
