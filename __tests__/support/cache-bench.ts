import { afterEach, beforeEach, jest } from '@jest/globals';
import { instantOf } from '../../lib/verify/freshness.js';
import { LookUpCache, type LookUpCacheOptions } from '../../lib/verify/look-up-cache.js';
import { type Found, foundNothing, type Landing, landedOnMiss, landedWell } from '../../lib/verify/look-up-landing.js';
import { type Deferred, deferred } from './deferred.js';
import { createManualClock, type ManualClock } from './manual-clock.js';

/** A look-up cache on a bench: its look-ups are held until the test lets them land. */
export interface CacheBench {
  readonly cache: LookUpCache<string>;
  readonly clock: ManualClock;
  /** The look-ups begun, in order. */
  readonly begun: readonly Deferred<Found<string>>[];
  /** Asks as a verifier does: a miss that is remembered, else an entry, else a look-up. Tells the answer in words. */
  ask(key?: string): Promise<string>;
  /** Asks, and lets the look-up bring this. */
  learn(found: Found<string>, key?: string): Promise<string>;
  /** Asks, and says whether it took a look-up. That look-up never lands. */
  looksUp(key?: string): boolean;
}

export const SUBJECT = { id: 'k1', account: 'a1' };

export const facts = (text: string, subject = SUBJECT): Found<string> => ({ facts: text, subject });

export const UNKNOWN: Found<string> = foundNothing('unknown', { id: undefined, account: undefined });

export const DISABLED: Found<string> = foundNothing('disabled', SUBJECT);

export const REVOKED: Found<string> = foundNothing('revoked', SUBJECT);

export const BOUNDS = { max: 10, ttl: 10_000, negativeTtl: 1_000, negativeMax: 10, staleIfError: 30_000 };

/** The bounds of a cache whose resolver has a feed. */
export const WATCHED = { watched: true, bounds: { ...BOUNDS, ttl: 300_000 } };

export function createCacheBench(options: Partial<LookUpCacheOptions> = {}): CacheBench {
  const clock = createManualClock();
  const cache = new LookUpCache<string>({
    of: 'bench',
    member: 'key',
    watched: false,
    bounds: BOUNDS,
    timeout: 1_000,
    maxLookups: 100,
    clock,
    ...options,
  });
  const begun: Deferred<Found<string>>[] = [];

  function load(): Promise<Found<string>> {
    const held = deferred<Found<string>>();
    begun.push(held);
    return held.promise;
  }

  async function ask(key = 'd1'): Promise<string> {
    const now = instantOf(clock);
    const miss = cache.recallMiss(key, now);
    if (miss !== undefined) return wordsOf(landedOnMiss(miss));
    const entry = cache.recall(key, now);
    return wordsOf(entry === undefined ? await cache.lookUp(key, load) : landedWell(entry));
  }

  return {
    cache,
    clock,
    begun,
    ask,
    learn(found, key) {
      const answer = ask(key);
      begun.at(-1)?.resolve(found);
      return answer;
    },
    looksUp(key) {
      const before = begun.length;
      void ask(key);
      return begun.length > before;
    },
  };
}

function wordsOf({ entry, miss, failed }: Landing<string>): string {
  if (failed !== undefined) return `failed: ${failed}`;
  return entry === undefined ? `refused: ${miss.reason}` : entry.facts;
}

/** Waits until everything that can go on has gone on. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** In this file time-outs come when the test says: `jest.advanceTimersByTimeAsync`. */
export function holdTimers(): void {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['Date', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });
}
