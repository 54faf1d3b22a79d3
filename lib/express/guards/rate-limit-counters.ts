/**
 * Creates the counters for rate limits, and formats the header fields `RateLimit` and `RateLimit-Policy`. A window is
 * the period in which the requests for one limit are counted.
 */

import type { RateCount, RateCounter, RateCounterOptions } from '../../contracts/rate-counter.js';
import type { RateLimit } from '../../credentials/rate-limit.js';
import { ignoreRejection } from '../../events/run-callback.js';
import { BoundedCounter } from './bounded-counter.js';

/** One limit, with the counter that counts the requests in its window. */
export interface RateWindow {
  /**
   * Identifies the count of requests: windows with the same name share one count. The name consists of the limit and
   * the prefix of the counter, because a shared store has one count for each limit and prefix. For a counter without a
   * prefix, the name is the counter itself.
   */
  readonly name: string | RateCounter;
  /** The name of the window in the header fields, as a quoted string (RFC 9651 section 3.3.3). */
  readonly policy: string;
  readonly counter: BoundedCounter;
}

/** The windows for a list of limits, and the value of `RateLimit-Policy`, which describes them. */
export interface RatePlan {
  readonly windows: readonly RateWindow[];
  /** For each window, the index of the first window with the same name: a request counts only once in both. */
  readonly sameAs: readonly number[];
  /** The value of the header field `RateLimit-Policy`. */
  readonly policies: string;
}

/**
 * Maximum number of counters that new lists of limits can share. Beyond it, the oldest counter is dropped. Without a
 * maximum, the number could grow forever, because the record of each key may contain another limit, which needs its own
 * counter. A list whose record is still cached keeps a dropped counter: otherwise its key would start again at zero.
 */
const MAX_WINDOWS = 1_000;
const MAX_INTEGER = 999_999_999_999_999;

/**
 * Returns a function that converts a list of limits to a plan. Equal limits share one counter, even if they are in
 * different lists.
 */
export function createRatePlans(
  create: (options: RateCounterOptions) => RateCounter,
): (limits: readonly RateLimit[]) => RatePlan {
  const windows = new Map<string, RateWindow>();
  const plans = new WeakMap<readonly RateLimit[], RatePlan>();

  function windowOf({ requests, seconds }: RateLimit): RateWindow {
    const limit = `${requests}/${seconds}`;
    const known = windows.get(limit);
    if (known !== undefined) return known;
    const counter = create({ keyPrefix: `keyward:requests:${limit}`, points: requests, duration: seconds });
    if (typeof counter?.consume !== 'function') {
      ignoreRejection(counter);
      throw new TypeError(
        'requireRateLimit: option "counter" must be a function that returns an object with consume()',
      );
    }
    // Most limiters of rate-limiter-flexible have a `keyPrefix`. Limiters with different prefixes count separately.
    const prefix: unknown = (counter as { readonly keyPrefix?: unknown }).keyPrefix;
    const name = typeof prefix === 'string' ? `${limit} ${prefix}` : counter;
    const window = { name, policy: `"${seconds}s"`, counter: new BoundedCounter(counter) };
    const [oldest = limit] = windows.keys();
    if (windows.size >= MAX_WINDOWS) windows.delete(oldest);
    windows.set(limit, window);
    return window;
  }

  return (limits) => {
    const known = plans.get(limits);
    if (known !== undefined) return known;
    const policies = limits.map(({ requests, seconds }) => `"${seconds}s";q=${requests};w=${seconds}`).join(', ');
    const windows = limits.map(windowOf);
    const sameAs = windows.map(({ name }) => windows.findIndex((window) => window.name === name));
    const plan = { windows, sameAs, policies };
    plans.set(limits, plan);
    return plan;
  };
}

/**
 * Formats one item of the field `RateLimit`: the requests that remain in the window, and the seconds until it ends. Both
 * must be integers of at most 15 digits (RFC 9651 section 3.3.1), whatever a custom counter returns.
 */
export function rateLimitItem({ policy }: RateWindow, { remainingPoints, msBeforeNext }: RateCount): string {
  const remaining = Math.min(MAX_INTEGER, Math.max(0, Math.trunc(remainingPoints)));
  return `${policy};r=${remaining};t=${secondsOf(msBeforeNext)}`;
}

export function secondsOf(milliseconds: number): number {
  return Math.min(MAX_INTEGER, Math.max(1, Math.ceil(milliseconds / 1_000)));
}
