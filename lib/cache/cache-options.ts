import { integer, number, type OptionTable, readTable } from '../options/option-table.js';

/** How a verifier caches the results of its lookups. */
export interface CacheOptions {
  /**
   * Maximum number of cache entries for accepted credentials, 1 to 10,000,000. With `accessTokens`, the tokens and the
   * access keys are cached separately, and each cache has this maximum. Default: 10,000.
   */
  readonly max?: number | undefined;
  /**
   * Milliseconds for which an entry is used without a new lookup, 0 to 86,400,000. If the resolver has `watch()`, the
   * entry must also have been confirmed in the last 5 seconds, by its lookup or by the change feed. Default: 10,000;
   * 300,000 if the resolver has `watch()`; 5,000 for `introspectedTokens`.
   */
  readonly ttl?: number | undefined;
  /**
   * Milliseconds for which a refusal is cached (a negative entry), 0 to 86,400,000. A credential is refused if it is
   * unknown, has ended, or is an opaque token that breaks a rule. Default: 1,000.
   */
  readonly negativeTtl?: number | undefined;
  /**
   * Maximum negative entries, 1 to 10,000,000. They do not count for `max`. The same maximum applies separately to
   * credentials that are known to be revoked, which stay refused even if lookups fail. Default: 10,000.
   */
  readonly negativeMax?: number | undefined;
  /**
   * If a lookup fails, an old entry may be used for this many milliseconds after its last confirmation, by a lookup or
   * by the change feed: 0 to 300,000. The next lookup is tried after one second at the earliest. If a lookup finds an
   * invalid record, the old entry is not used. Default: 30,000; 0 for `introspectedTokens`.
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
const MAX_STALE_IF_ERROR = 300_000;

/** The defaults that a verifier may replace by its own. */
type CacheDefaults = Partial<Pick<CacheBounds, 'ttl' | 'staleIfError'>>;

/**
 * Reads the option `cache` of a verifier.
 *
 * @param watched - Whether the resolver has a change feed.
 * @returns `undefined` for `false`, which means that nothing is cached.
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
    staleIfError: number(staleIfError, 0, MAX_STALE_IF_ERROR),
  } satisfies OptionTable<CacheOptions>;
  return Object.freeze(readTable(`${factory}: option "cache"`, value === undefined ? {} : value, table));
}
