/** The contract of a counter of requests. */

/** The count after a request, with the property names of rate-limiter-flexible. */
export interface RateCount {
  /** The number of further requests that are allowed until the window ends. */
  readonly remainingPoints: number;
  /** Milliseconds until the window ends. */
  readonly msBeforeNext: number;
}

/**
 * Counts the requests of keys in one window: the time that starts with the first request of a key. The limiters of
 * `rate-limiter-flexible`, such as `RateLimiterRedis`, implement this; `RateLimiterUnion` and `RateLimiterQueue` do
 * not.
 */
export interface RateCounter {
  /**
   * Counts one request of a key. It resolves if the request is allowed, and rejects with a `RateCount` if it is not. It
   * rejects with an `Error` if it cannot count. Any other result, or none within a second, also means that it cannot.
   *
   * @param key - The id of an API key, or a digest of the issuer and the client ID of a token, each with a prefix.
   */
  consume(key: string): Promise<RateCount>;
}

/** Options of a counter, with the property names of `rate-limiter-flexible`. */
export interface RateCounterOptions {
  /** A prefix for the keys in the database, different for each window, so that windows do not share their counts. */
  readonly keyPrefix: string;
  /** Requests allowed in the window. */
  readonly points: number;
  /** Seconds until the window ends. */
  readonly duration: number;
}
