/** Asks a counter to count a request, with a timeout. */
import type { RateCount } from '../../contracts/rate-counter.js';
import { describeError, placesOf } from '../../errors/describe-error.js';
import { lookupFailures } from '../../events/lookup-failure.js';
import { afterSocketReads } from '../../http/after-socket-reads.js';
import type { RateWindow } from './rate-limit-counters.js';

/** The result of one counter for one request. `isOver`: the request exceeds the limit. */
export interface Counted {
  readonly isOver: boolean;
  /** `undefined` if the counter failed or did not answer in time. */
  readonly count: RateCount | undefined;
}

const OF = 'requireRateLimit';
const COUNTER_TIMEOUT_MS = 1_000;
const NEXT_MICROTASK = Promise.resolve();
export const UNKNOWN: Counted = Object.freeze({ isOver: false, count: undefined });

/** The detail of the event if a counter returns something else than a count. */
const NO_COUNT =
  'consume() of the counter must return a promise of { remainingPoints, msBeforeNext }, both finite numbers';

/**
 * Counts a request in one window. The promise never rejects. If the counter does not answer within a second, the count
 * is unknown.
 */
export function countRequest({ counter }: RateWindow, key: string): Promise<Counted> {
  return new Promise((resolve) => {
    let isSettled = false;
    let timer: NodeJS.Timeout | undefined;
    function settle(counted: Counted): void {
      isSettled = true;
      clearTimeout(timer);
      resolve(counted);
    }
    function timedOut(): void {
      if (isSettled) return;
      report('timed_out', undefined, []);
      settle(UNKNOWN);
    }
    function rejected(error: unknown): void {
      if (!isCount(error)) report('threw', describeError(error), placesOf(error));
      settle(isCount(error) ? { isOver: true, count: error } : UNKNOWN);
    }
    try {
      counter.consume(key).then((found) => {
        if (!isCount(found)) report('threw', NO_COUNT, []);
        settle(isCount(found) ? { isOver: false, count: found } : UNKNOWN);
      }, rejected);
    } catch (error) {
      rejected(error);
    }
    // A counter in memory has answered after one microtask, so it needs no timer.
    NEXT_MICROTASK.then(() => {
      if (!isSettled) timer = setTimeout(afterSocketReads, COUNTER_TIMEOUT_MS, timedOut);
    });
  });
}

/**
 * Whether a value is a count. A limiter of rate-limiter-flexible rejects with a count if the key exceeds its limit, and
 * with an `Error` if the limiter fails. A getter of the value may throw; the process would end if this became an
 * unhandled rejection.
 */
function isCount(value: unknown): value is RateCount {
  try {
    if (typeof value !== 'object' || value === null || value instanceof Error) return false;
    const { remainingPoints, msBeforeNext } = value as { readonly [field in keyof RateCount]: unknown };
    return Number.isFinite(remainingPoints) && Number.isFinite(msBeforeNext);
  } catch {
    return false;
  }
}

function report(reason: 'threw' | 'timed_out', detail: string | undefined, where: readonly string[]): void {
  lookupFailures.publish({ of: OF, reason, detail, where });
}
