/** How long a looked-up fact may be believed (design rules 6 and 8). */
import type { Clock } from '../contracts/clock.js';

/** An instant on both clocks. */
export interface Instant {
  readonly wall: number;
  readonly monotonic: number;
}

/** A watched entry is served without a look-up while it was confirmed no longer ago than this. */
export const CONFIRMED_FOR = 5_000;

export function instantOf(clock: Clock): Instant {
  return { wall: clock.now(), monotonic: clock.monotonic() };
}

/**
 * Milliseconds from one instant to another: the larger of what both clocks say, so that neither a wall clock set back
 * nor a monotonic clock stopped by a suspend makes anything younger.
 */
export function elapsed(from: Instant, to: Instant): number {
  return Math.max(to.wall - from.wall, to.monotonic - from.monotonic);
}
