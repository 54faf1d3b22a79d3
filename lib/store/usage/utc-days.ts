/**
 * Converts times to the days by which usage is counted. This file imports no database package, because management can
 * be loaded without one.
 */

export const MS_PER_DAY = 86_400_000;
/** The number of days for which usage is stored, including today. */
export const USAGE_DAYS = 400;

/** Returns the day of a time, counted since 1970, in UTC. */
export function dayOf(time: number): number {
  return Math.floor(time / MS_PER_DAY);
}
