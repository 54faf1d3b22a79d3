/**
 * Asks a replay cache whether an id is used for the first time, with a timeout and a maximum number of pending calls. A
 * DPoP proof or a client assertion must be accepted only once.
 */
import type { ReplayCache } from '../contracts/replay-cache.js';
import { describeError, placesOf } from '../errors/describe-error.js';
import { type LookupFailure, lookupFailures } from '../events/lookup-failure.js';
import { afterSocketReads } from '../http/after-socket-reads.js';

/**
 * Whether an id is used for the first time (`first`), or was used before (`used`). `unavailable`: the cache gave no
 * answer. The request then gets 503, because the proof or assertion may have been used before.
 */
export type FirstUse = 'first' | 'used' | 'unavailable';

const TIMEOUT_MS = 1_000;
const MAX_PENDING = 1_000;
/** A call that has not settled after this many times `TIMEOUT_MS` is no longer counted as pending. */
const EXPIRES_AFTER = 10;

interface NotedUse {
  readonly cache: ReplayCache;
  readonly id: string;
  readonly use: FirstUse | Promise<FirstUse>;
  /** The use before, of the same request, as in a linked list. */
  readonly earlier: NotedUse | undefined;
}

/**
 * The answers of replay caches by request. If a request passes two gates, both check the same proof, and the second
 * check must not count as a replay.
 */
const usesOfRequest = new WeakMap<object, NotedUse>();

export class ReplayCheck {
  readonly #cache: ReplayCache;
  #pending = 0;

  constructor(cache: ReplayCache) {
    this.#cache = cache;
  }

  /**
   * Stores an id in the replay cache, unless this request has already done so. It never throws or rejects.
   *
   * @param request - The request that uses the id. A second call for the same request gives the same answer.
   * @param seconds - How long the cache must store the id.
   * @returns Synchronously, if the cache answers synchronously.
   */
  use(request: object, id: string, seconds: number): FirstUse | Promise<FirstUse> {
    const latest = usesOfRequest.get(request);
    for (let noted = latest; noted !== undefined; noted = noted.earlier) {
      if (noted.cache === this.#cache && noted.id === id) return noted.use;
    }
    const use = this.#ask(id, seconds);
    usesOfRequest.set(request, { cache: this.#cache, id, use, earlier: latest });
    return use;
  }

  #ask(id: string, seconds: number): FirstUse | Promise<FirstUse> {
    if (this.#pending >= MAX_PENDING) return failed('too_many');
    try {
      const answer = this.#cache.firstUse(id, seconds);
      return isThenable(answer) ? this.#wait(answer) : useOf(answer);
    } catch (error) {
      return failed('threw', error);
    }
  }

  /**
   * Waits at most `TIMEOUT_MS` for the answer of the cache. The call stays pending until it settles or expires. While
   * `MAX_PENDING` calls are pending, the cache is not asked.
   */
  #wait(answer: PromiseLike<boolean>): Promise<FirstUse> {
    this.#pending += 1;
    return new Promise((resolve) => {
      let isPending = true;
      const leave = () => {
        clearTimeout(timer);
        if (isPending) this.#pending -= 1;
        isPending = false;
      };
      const timeOut = () => {
        if (!isPending) return;
        // A call that never settles must not take its place forever: after 1,000 of them, the cache would never be
        // asked again.
        timer = setTimeout(leave, TIMEOUT_MS * (EXPIRES_AFTER - 1)).unref();
        resolve(failed('timed_out'));
      };
      let timer = setTimeout(afterSocketReads, TIMEOUT_MS, timeOut);
      void Promise.resolve(answer)
        .then(useOf, (error: unknown) => failed('threw', error))
        .then((use) => {
          leave();
          resolve(use);
        });
    });
  }
}

function isThenable(answer: unknown): answer is PromiseLike<boolean> {
  return typeof (answer as PromiseLike<boolean> | null | undefined)?.then === 'function';
}

/** The replay cache may be custom code. An answer that is not a boolean counts as unavailable. */
function useOf(answer: unknown): FirstUse {
  if (typeof answer !== 'boolean') return failed('record_invalid');
  return answer ? 'first' : 'used';
}

function failed(reason: LookupFailure['reason'], error?: unknown): FirstUse {
  if (lookupFailures.hasSubscribers) {
    const detail = reason === 'threw' ? describeError(error) : undefined;
    lookupFailures.publish({ of: 'replayCache', reason, detail, where: placesOf(error) });
  }
  return 'unavailable';
}
