/** Asks a rate counter to count requests, with a timeout and a maximum number of pending calls. */
import type { RateCount, RateCounter } from '../../contracts/rate-counter.js';
import { describeError, placesOf } from '../../errors/describe-error.js';
import { type LookupFailure, lookupFailures } from '../../events/lookup-failure.js';
import { afterSocketReads } from '../../http/after-socket-reads.js';

/** The result of one counter for one request. `isOver`: the request exceeds the limit. */
export interface Counted {
  readonly isOver: boolean;
  /** `undefined` if the counter failed, did not answer in time, or was not asked. */
  readonly count: RateCount | undefined;
}

const OF = 'requireRateLimit';
const TIMEOUT_MS = 1_000;
/** Of one counter. While it answers, a call is pending for milliseconds, so only a counter that hangs reaches this. */
const MAX_PENDING = 10_000;
/** A call that has not settled so long after its timeout is no longer counted as pending. */
const EXPIRES_AFTER_MS = 9_000;
const NEXT_MICROTASK = Promise.resolve();
export const UNKNOWN: Counted = Object.freeze({ isOver: false, count: undefined });

/** The detail of the event if a counter returns something else than a count. */
const NO_COUNT =
  'consume() of the counter must return a promise of { remainingPoints, msBeforeNext }, both finite numbers';

export class BoundedCounter {
  readonly #counter: RateCounter;
  #pending = 0;

  constructor(counter: RateCounter) {
    this.#counter = counter;
  }

  /**
   * Counts a request. The promise never rejects. The count is unknown if the counter does not answer within a second.
   * The call then stays pending until it settles or expires. While `MAX_PENDING` calls are pending, the counter is not
   * asked.
   */
  count(key: string): Promise<Counted> {
    if (this.#pending >= MAX_PENDING) {
      report('too_many', undefined, []);
      return Promise.resolve(UNKNOWN);
    }
    this.#pending += 1;
    return new Promise((resolve) => {
      let isPending = true;
      let timer: NodeJS.Timeout | undefined;
      const leave = () => {
        clearTimeout(timer);
        if (isPending) this.#pending -= 1;
        isPending = false;
      };
      const settle = (isOver: boolean, count: RateCount | undefined) => {
        leave();
        resolve(count === undefined ? UNKNOWN : { isOver, count });
      };
      const timeOut = () => {
        if (!isPending) return;
        timer = setTimeout(leave, EXPIRES_AFTER_MS).unref();
        report('timed_out', undefined, []);
        resolve(UNKNOWN);
      };
      const rejected = (error: unknown) => {
        const count = readCount(error);
        if (count === undefined) report('threw', describeError(error), placesOf(error));
        settle(true, count);
      };
      try {
        this.#counter.consume(key).then((found) => {
          const count = readCount(found);
          if (count === undefined) report('threw', NO_COUNT, []);
          settle(false, count);
        }, rejected);
      } catch (error) {
        rejected(error);
      }
      // A counter in memory has answered after one microtask, so it needs no timer.
      NEXT_MICROTASK.then(() => {
        if (isPending) timer = setTimeout(afterSocketReads, TIMEOUT_MS, timeOut);
      });
    });
  }
}

/**
 * Copies a count, so that each property is read only once; returns `undefined` for another value. A limiter of
 * rate-limiter-flexible rejects with a count if the key exceeds its limit, and with an `Error` if the limiter fails. A
 * getter of the value may throw; the process would end if this became an unhandled rejection.
 */
function readCount(value: unknown): RateCount | undefined {
  try {
    if (typeof value !== 'object' || value === null || value instanceof Error) return undefined;
    const { remainingPoints, msBeforeNext } = value as RateCount;
    return Number.isFinite(remainingPoints) && Number.isFinite(msBeforeNext)
      ? { remainingPoints, msBeforeNext }
      : undefined;
  } catch {
    return undefined;
  }
}

function report(reason: LookupFailure['reason'], detail: string | undefined, where: readonly string[]): void {
  lookupFailures.publish({ of: OF, reason, detail, where });
}
