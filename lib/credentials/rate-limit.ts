/** The rate limits of keys: validates them, and converts them from and to texts such as `100/1m`. */

/** A rate limit: at most `requests` in a window of `seconds`. A window starts with its first request. */
export interface RateLimit {
  /** The allowed number of requests, 1 to 1,000,000,000. */
  readonly requests: number;
  /** The length of the window, 1 to 604,800 (7 days). */
  readonly seconds: number;
}

const MAX_LIMITS = 8;
const MAX_REQUESTS = 1_000_000_000;
/**
 * Maximum length of a window in seconds. It is short enough for limiters in memory: their timers cannot wait longer
 * than 24 days.
 */
const MAX_SECONDS = 604_800;

/**
 * Describes what `isRateLimits` accepts, for error messages. The numbers are written out: the first call of
 * `toLocaleString` in a process loads ICU, which takes longer than loading keyward.
 */
export const RATE_LIMITS_EXPECTED = `a list of 1 to ${MAX_LIMITS} objects { requests, seconds }, where requests is a whole number from 1 to 1,000,000,000, seconds is a whole number from 1 to 604,800, and no two objects have the same value of seconds`;

/** Checks whether a value is a list of 1 to 8 valid limits with different `seconds`. */
export function isRateLimits(value: unknown): value is readonly RateLimit[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_LIMITS || !value.every(isRateLimit))
    return false;
  return new Set(value.map(({ seconds }) => seconds)).size === value.length;
}

/** Returns a frozen copy that has only the fields of a limit. */
export function copyRateLimits(limits: readonly RateLimit[]): readonly RateLimit[] {
  return Object.freeze(limits.map(({ requests, seconds }) => Object.freeze({ requests, seconds })));
}

function isRateLimit(value: unknown): value is RateLimit {
  if (typeof value !== 'object' || value === null) return false;
  const { requests, seconds, ...others } = value as { readonly [field in keyof RateLimit]: unknown };
  return isWithin(requests, MAX_REQUESTS) && isWithin(seconds, MAX_SECONDS) && Object.keys(others).length === 0;
}

function isWithin(value: unknown, max: number): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max;
}

const UNITS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
const LIMIT = /^(\d{1,10})\/(?:(\d{0,6})([smhd])|(second|minute|hour|day))$/;

/** Describes what `parseRateLimit` accepts, for error messages. */
export const RATE_LIMIT_FORM =
  'a rate limit such as 100/1m: the number of requests, a slash, and a duration with the unit s, m, h or d';

/**
 * Parses a limit in one of the forms that the Dashboard and the command line accept: `100/1m`, `5000/d` or
 * `100/minute`. Returns `undefined` for any other text. It does not check how large the numbers are; `isRateLimits`
 * does.
 */
export function parseRateLimit(text: string): RateLimit | undefined {
  const [, requests, count, letter, word] = LIMIT.exec(text) ?? [];
  const unit = letter ?? word?.charAt(0);
  if (requests === undefined || unit === undefined) return undefined;
  return { requests: Number(requests), seconds: Number(count || 1) * UNITS[unit as keyof typeof UNITS] };
}

/** Formats a limit as `100/1m`, with the largest unit in which its time is a whole number. */
export function formatRateLimit({ requests, seconds }: RateLimit): string {
  const [unit, length] = Object.entries(UNITS).findLast(([, each]) => seconds % each === 0) ?? ['s', 1];
  return `${requests}/${seconds / length}${unit}`;
}
