/** The options of `requireRateLimit`. */
import type { RateCounter, RateCounterOptions } from '../../contracts/rate-counter.js';
import { copyRateLimits, isRateLimits, RATE_LIMITS_EXPECTED, type RateLimit } from '../../credentials/rate-limit.js';
import { method, type Option, type OptionTable, oneOf, optional, readTable } from '../../options/option-table.js';

/** Options of `requireRateLimit`. */
export interface RateLimitOptions {
  /**
   * Makes the counter of one limit, which is a number of requests in a number of seconds, such as
   * `(options) => new RateLimiterRedis({ storeClient, ...options })`. It is called once for each different limit: at
   * the start for `default`, later when a key with a new limit makes a request. At most 1,000 counters are kept; beyond
   * that, the oldest is dropped, and made again when it is needed. If it throws, or returns something without
   * `consume()`, the request gets an error.
   */
  readonly counter: (options: RateCounterOptions) => RateCounter;
  /**
   * The limits of keys whose record has no `limits`, 1 to 8 with different `seconds`. Default: none; the requests of
   * these keys then pass without being counted.
   */
  readonly default?: readonly RateLimit[] | undefined;
  /**
   * What happens to requests while the counter fails or takes longer than a second: they pass, or are refused with 503.
   * A request that is over another limit of its key is refused with 429 all the same.
   */
  readonly onOutage: 'allow' | 'refuse';
}

const limits: Option<readonly RateLimit[]> = (options, name) => {
  const value = options.raw(name);
  if (!isRateLimits(value)) {
    throw options.wrongList(name, RATE_LIMITS_EXPECTED);
  }
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
