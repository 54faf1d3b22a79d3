import { integer, number, type OptionTable, readTable } from '../options/option-table.js';

/** How a verifier caches the results of its lookups. */
export interface CacheOptions {
  /**
   * Maximum entries of accepted credentials, 1 to 10,000,000. For `accessTokens`: maximum tokens, and maximum access
   * keys. Default: 10,000.
   */
  readonly max?: number | undefined;
  /**
   * Milliseconds for which an entry is used without a new lookup, 0 to 86,400,000. If the resolver has `watch()`, the
   * entry must also have been confirmed in the last 5 seconds, by its lookup or by the change feed. Default: 10,000, or
   * 300,000 with `watch()`; 5,000 for `introspectedTokens`.
   */
  readonly ttl?: number | undefined;
  /**
   * Milliseconds for which a negative entry is used, 0 to 86,400,000: its credential is unknown or has ended, or is an
   * opaque token that breaks a rule. Default: 1,000.
   */
  readonly negativeTtl?: number | undefined;
  /**
   * Maximum negative entries, counted separately from `max`: 1 to 10,000,000. Credentials that are known to be revoked
   * have one more limit of the same size: they stay refused even if lookups fail. Default: 10,000.
   */
  readonly negativeMax?: number | undefined;
  /**
   * If a lookup fails, the old entry is used for this many milliseconds after it was last confirmed, by its lookup or
   * by the change feed: 0 to 300,000. The next lookup then follows after a second at the earliest. After a lookup that
   * found an invalid record, the old entry is not used. Default: 30,000; 0 for `introspectedTokens`.
   */
  readonly staleIfError?: number | undefined;
}

/** Validated cache options with all defaults. */
export interface CacheBounds {
  readonly max: number;
  readonly ttl: number;
  readonly negativeTtl: number;
  readonly negativeMax: number;
  readonly staleIfError: number;
}

const TEN_THOUSAND = 10_000;
const TTL_WATCHED = 300_000;
const MAX_ENTRIES = 10_000_000;
const MAX_MILLISECONDS = 86_400_000;

/** Defaults of one verifier that differ from the defaults of the other verifiers. */
type CacheDefaults = Partial<Pick<CacheBounds, 'ttl' | 'staleIfError'>>;

/**
 * Checks the option `cache` of a verifier.
 *
 * @param watched - Whether the resolver reports changes.
 * @returns `undefined` for `false`: nothing is cached.
 */
export function readCacheOptions(
  factory: string,
  value: unknown,
  watched: boolean,
  { ttl = watched ? TTL_WATCHED : TEN_THOUSAND, staleIfError = 30_000 }: CacheDefaults = {},
): CacheBounds | undefined {
  if (value === false) return undefined;
  const table = {
    max: integer(TEN_THOUSAND, 1, MAX_ENTRIES),
    ttl: number(ttl, 0, MAX_MILLISECONDS),
    negativeTtl: number(1_000, 0, MAX_MILLISECONDS),
    negativeMax: integer(TEN_THOUSAND, 1, MAX_ENTRIES),
    staleIfError: number(staleIfError, 0, TTL_WATCHED),
  } satisfies OptionTable<CacheOptions>;
  return Object.freeze(readTable(`${factory}: option "cache"`, value === undefined ? {} : value, table));
}
