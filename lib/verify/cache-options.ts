import { Options } from '../options/options.js';

/** How a verifier caches what it looked up. */
export interface CacheOptions {
  /** Good entries kept: 10,000. */
  readonly max?: number | undefined;
  /** Milliseconds that an entry is believed: 10,000, or 300,000 where the resolver has `watch()`. */
  readonly ttl?: number | undefined;
  /** Milliseconds that "there is no such key" is believed: 1,000. */
  readonly negativeTtl?: number | undefined;
  /** Negative entries kept, apart from the good ones: 10,000. */
  readonly negativeMax?: number | undefined;
  /** Milliseconds since an entry was confirmed that it is served while the store cannot be reached: 30,000 (0 to 300,000). */
  readonly staleIfError?: number | undefined;
}

/** Cache options that were checked, nothing absent. */
export interface CacheBounds {
  readonly max: number;
  readonly ttl: number;
  readonly negativeTtl: number;
  readonly negativeMax: number;
  readonly staleIfError: number;
}

const TEN_THOUSAND = 10_000;
const TTL_WATCHED = 300_000;
const MOST_ENTRIES = 10_000_000;
const MOST_MILLISECONDS = 86_400_000;

/**
 * Checks the option `cache` of a verifier.
 *
 * @param watched - Whether the resolver tells of changes.
 * @returns `undefined` for `false`: nothing is cached.
 */
export function readCacheOptions(factory: string, value: unknown, watched: boolean): CacheBounds | undefined {
  if (value === false) return undefined;
  const names = ['max', 'ttl', 'negativeTtl', 'negativeMax', 'staleIfError'];
  const options = new Options(`${factory}: option "cache"`, value === undefined ? {} : value, names);
  return Object.freeze({
    max: options.integer('max', TEN_THOUSAND, 1, MOST_ENTRIES),
    ttl: options.number('ttl', watched ? TTL_WATCHED : TEN_THOUSAND, 0, MOST_MILLISECONDS),
    negativeTtl: options.number('negativeTtl', 1_000, 0, MOST_MILLISECONDS),
    negativeMax: options.integer('negativeMax', TEN_THOUSAND, 1, MOST_ENTRIES),
    staleIfError: options.number('staleIfError', 30_000, 0, TTL_WATCHED),
  });
}
