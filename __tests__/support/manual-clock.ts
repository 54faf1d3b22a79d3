import type { Clock } from 'keyward';

/** A clock whose two hands a test moves, together or apart. */
export interface ManualClock extends Clock {
  /** Time passes: milliseconds. */
  advance(milliseconds: number): void;
  /** Somebody sets the wall clock, forward or back. */
  setWall(milliseconds: number): void;
  /** The machine sleeps: the monotonic clock stands still. */
  suspend(milliseconds: number): void;
}

/** Where the wall clock of these tests begins. */
export const START = 1_800_000_000_000;

export function createManualClock(): ManualClock {
  let wall = START;
  // Not 0, because that would hide a time that is added where it should be subtracted.
  let monotonic = 86_400_000;
  return {
    now: () => wall,
    monotonic: () => monotonic,
    advance: (milliseconds) => {
      wall += milliseconds;
      monotonic += milliseconds;
    },
    setWall: (milliseconds) => {
      wall += milliseconds;
    },
    suspend: (milliseconds) => {
      wall += milliseconds;
    },
  };
}
