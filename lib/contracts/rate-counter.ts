/** The interface of a counter of requests, for `requireRateLimit`. */

/** The count after a request, with the property names of rate-limiter-flexible. */
export interface RateCount {
  /** The number of further requests that are allowed until the window ends. */
  readonly remainingPoints: number;
  /** Milliseconds until the window ends. */
  readonly msBeforeNext: number;
}

/**
 * Counts the requests of each key in a window of time. The window of a key starts with its first request. The limiters
 * of `rate-limiter-flexible`, such as `RateLimiterRedis`, implement this interface; `RateLimiterUnion` and
 * `RateLimiterQueue` do not.
 */
export interface RateCounter {
  /**
   * Counts one request of a key. The promise resolves if the request is allowed. It rejects with a `RateCount` if the
   * limit is exceeded, and with an `Error` if the request cannot be counted. Any other result counts as an `Error`, and
   * so does no result within a second. It is not called while 10,000 calls are pending. A call that has not settled after
   * ten seconds is no longer counted as pending.
   *
   * @param key - `key:` and the id of an API key, or `client:` and a digest of the issuer and the client ID of a token.
   */
  consume(key: string): Promise<RateCount>;
}

/** Options of a counter, with the property names of `rate-limiter-flexible`. */
export interface RateCounterOptions {
  /**
   * A prefix for the names of the counts in the database. It differs for each window, so that two windows do not share
   * their counts.
   */
  readonly keyPrefix: string;
  /** Requests allowed in the window. */
  readonly points: number;
  /** Seconds until the window ends. */
  readonly duration: number;
}
