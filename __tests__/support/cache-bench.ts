import { afterEach, beforeEach, jest } from '@jest/globals';
import { CacheEntry, FailedLookup, NegativeEntry, NO_SUBJECT } from '../../lib/cache/cache-entries.js';
import type { Subject } from '../../lib/cache/invalidation-scope.js';
import { RecordCache, type RecordCacheOptions } from '../../lib/cache/record-cache.js';
import { instantOf } from '../../lib/contracts/clock.js';
import { type Deferred, deferred } from './deferred.js';
import { createManualClock, type ManualClock } from './manual-clock.js';

/** A record of the bench: a text about a subject. */
export class TextEntry extends CacheEntry {
  readonly text: string;
  readonly id: string | undefined;
  readonly account: string | undefined;

  constructor(text: string, { id, account }: Subject) {
    super();
    this.text = text;
    this.id = id;
    this.account = account;
  }

  get endsAt(): number {
    return Number.POSITIVE_INFINITY;
  }
}

/** What a lookup of the bench finds: a text, or why there is none. */
export type Found = { readonly text: string; readonly subject: Subject } | FoundNothing;

interface FoundNothing {
  readonly text: undefined;
  readonly reason: string;
  readonly subject: Subject;
  readonly revokedAt: number;
}

export function foundNothing(reason: string, subject: Subject, revokedAt = Number.POSITIVE_INFINITY): FoundNothing {
  return { text: undefined, reason, subject, revokedAt };
}

/** A lookup that lasts until the test ends it. */
type HeldLookup = Pick<Deferred<Found>, 'resolve' | 'reject'>;

/** What the cache of the bench asks: each request brings its lookup. */
type Load = () => Promise<TextEntry | NegativeEntry>;

/** A record cache on a bench: its lookups are held until the test settles them. */
export interface CacheBench {
  readonly cache: RecordCache<Load, TextEntry>;
  readonly clock: ManualClock;
  /** The lookups begun, in order. */
  readonly begun: readonly HeldLookup[];
  /** The good entry of `d1`, if it may be used now. */
  held(): TextEntry | undefined;
  /** Asks as a verifier does: a cached miss, else an entry, else a lookup. Returns the answer in words. */
  ask(key?: string): Promise<string>;
  /** Asks, and lets the lookup bring this. */
  learn(found: Found, key?: string): Promise<string>;
  /** Asks, and returns whether it started a lookup. That lookup never settles. */
  looksUp(key?: string): boolean;
}

export const SUBJECT = { id: 'k1', account: 'a1' };

export const facts = (text: string, subject = SUBJECT): Found => ({ text, subject });

export const UNKNOWN: Found = foundNothing('unknown', NO_SUBJECT);

export const DISABLED: Found = foundNothing('disabled', SUBJECT);

export const REVOKED: Found = foundNothing('revoked', SUBJECT, 0);

export const BOUNDS = { max: 10, ttl: 10_000, negativeTtl: 1_000, negativeMax: 10, staleIfError: 30_000 };

/** The bounds of a cache whose resolver has a feed. */
export const WATCHED = { watched: true, bounds: { ...BOUNDS, ttl: 300_000 } };

export function createCacheBench(options: Partial<RecordCacheOptions<Load, TextEntry>> = {}): CacheBench {
  const clock = createManualClock();
  const cache = new RecordCache<Load, TextEntry>({
    of: 'bench',
    member: 'key',
    watched: false,
    bounds: BOUNDS,
    timeout: 1_000,
    maxLookups: 100,
    clock,
    lookUp: (load) => load(),
    ...options,
  });
  const begun: HeldLookup[] = [];

  function load(): Promise<TextEntry | NegativeEntry> {
    const held = deferred<TextEntry | NegativeEntry>();
    const { reject } = held;
    begun.push({ resolve: (found) => held.resolve(entryOf(found)), reject });
    return held.promise;
  }

  async function ask(key = 'd1'): Promise<string> {
    const now = instantOf(clock);
    return wordsOf(cache.get(key, now) ?? (await cache.load(key, load)));
  }

  return {
    cache,
    clock,
    begun,
    held() {
      const entry = cache.get('d1', instantOf(clock));
      return entry instanceof TextEntry ? entry : undefined;
    },
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

export function entryOf(found: Found): TextEntry | NegativeEntry {
  const { subject } = found;
  if (found.text !== undefined) return new TextEntry(found.text, subject);
  return new NegativeEntry(subject, found.reason, found.revokedAt);
}

function wordsOf(found: TextEntry | NegativeEntry | FailedLookup): string {
  if (found instanceof FailedLookup) return `failed: ${found.reason}`;
  return found instanceof NegativeEntry ? `refused: ${found.reason}` : found.text;
}

/** Waits until everything that can go on has gone on. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** In this file timeouts come when the test says: `jest.advanceTimersByTimeAsync`. */
export function holdTimers(): void {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['Date', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });
}
