/** The options of `requireRateLimit`. */
import type { RateCounter, RateCounterOptions } from '../../contracts/rate-counter.js';
import { copyRateLimits, isRateLimits, RATE_LIMITS_EXPECTED, type RateLimit } from '../../credentials/rate-limit.js';
import { method, type Option, type OptionTable, oneOf, optional, readTable } from '../../options/option-table.js';

/** Options of `requireRateLimit`. */
export interface RateLimitOptions {
  /**
   * Makes the counter of one limit, which is a number of requests in a number of seconds, such as
   * `(options) => new RateLimiterRedis({ storeClient, ...options })`. It is called once for each different limit: at
   * the start for `default`, later when a key with a new limit makes a request.
   */
  readonly counter: (options: RateCounterOptions) => RateCounter;
  /**
   * The limits of keys whose record has no `limits`. Default: none; the requests of these keys then pass without being
   * counted.
   */
  readonly default?: readonly RateLimit[] | undefined;
  /**
   * What happens to requests while the counter fails or takes longer than a second: they pass, or are refused with 503.
   */
  readonly onOutage: 'allow' | 'refuse';
}

const limits: Option<readonly RateLimit[]> = (options, name) => {
  const value = options.raw(name);
  if (!isRateLimits(value)) throw options.mistake(name, RATE_LIMITS_EXPECTED);
  return copyRateLimits(value);
};

const OPTIONS = {
  counter: method<(options: RateCounterOptions) => RateCounter>(),
  default: optional(limits),
  onOutage: oneOf(['allow', 'refuse']),
} satisfies OptionTable<RateLimitOptions>;

/**
 * Reads the options of `requireRateLimit`.
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type.
 */
export function readRateLimitOptions(given: RateLimitOptions) {
  return readTable('requireRateLimit', given, OPTIONS);
}
