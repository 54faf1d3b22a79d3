/** The options of `requireRateLimit`. */
import type { RateCounter, RateCounterOptions } from '../../contracts/rate-counter.js';
import { copyRateLimits, isRateLimits, RATE_LIMITS_EXPECTED, type RateLimit } from '../../credentials/rate-limit.js';
import { method, type Option, type OptionTable, oneOf, optional, readTable } from '../../options/option-table.js';

/** Options of `requireRateLimit`. */
export interface RateLimitOptions {
  /**
   * Makes the counter for one limit, such as 100 requests in 60 seconds: `(options) => new RateLimiterRedis({
   * storeClient, ...options })`. It is called once for each different limit: at startup for `default`, and later when a
   * key with a new limit makes a request.
   *
   * At most 1,000 counters are kept. Beyond that, the oldest counter is dropped, and made again when it is needed. If
   * this function throws or returns an object without `consume()`, `requireRateLimit` throws at startup; later, the
   * request gets an error.
   */
  readonly counter: (options: RateCounterOptions) => RateCounter;
  /**
   * The limits of a key whose record has no `limits`: 1 to 8 limits with different `seconds`. If it is absent, the
   * requests of this key are not counted or limited.
   */
  readonly default?: readonly RateLimit[] | undefined;
  /**
   * What happens to a request if the counter fails, takes longer than a second or has 10,000 pending calls. `'allow'`:
   * the request passes. `'refuse'`: it gets 503. A request that exceeds another limit of its key gets 429 in both cases.
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
 * @throws TypeError for an option that is missing, unknown or invalid.
 */
export function readRateLimitOptions(given: RateLimitOptions) {
  return readTable('requireRateLimit', given, OPTIONS);
}
