/** The options of `apiKeys`: their type, and the function that validates them and fills in the defaults. */
import { type CacheOptions, readCacheOptions } from '../cache/cache-options.js';
import type { Clock } from '../contracts/clock.js';
import { clockOption } from '../contracts/clock-option.js';
import type { KeyResolver, ResolveKey } from '../contracts/key-resolver.js';
import { type ApiMap, scopePrefixes } from '../credentials/api-map.js';
import { KEY_KINDS, type KeyKind } from '../credentials/credential-kind.js';
import { ENVIRONMENTS, type Environment } from '../credentials/environment.js';
import { type KeyFormat, keywardFormat } from '../credentials/keyward-format.js';
import { checkResolverWatch } from '../options/check-resolver-watch.js';
import {
  anything,
  integer,
  names,
  type Option,
  type OptionTable,
  object,
  oneOf,
  readTable,
  withDefault,
} from '../options/option-table.js';

/** Options of `apiKeys`. */
export interface ApiKeysOptions<K extends KeyKind = KeyKind> {
  /** Finds the record of a presented key: a function, or an object with `resolveKey`, such as a store. */
  readonly resolver: KeyResolver | ResolveKey;
  /** The kinds of keys that are accepted; there is no default. A key of another kind is declined without a lookup. */
  readonly kinds: readonly K[];
  /**
   * The environment of the accepted keys; `'any'` accepts both. A key of another environment is declined without a
   * lookup, and the gate asks its next verifier.
   */
  readonly environment: Environment | 'any';
  /**
   * The format of keys. Default: keyward's own format, which is a prefix such as `sk_`, 26 random characters and a
   * check character.
   */
  readonly format?: KeyFormat | undefined;
  /** Which scopes belong to which API. Default: the part of a scope before its first colon names the API. */
  readonly apis?: ApiMap | undefined;
  /** Milliseconds after which a lookup fails, 1 to 60,000. Default: 1,000. */
  readonly timeout?: number | undefined;
  /**
   * Maximum lookups in flight, 1 to 100,000. If all are in use, a request with a key that is not cached gets 503. For
   * the next ten seconds, a quarter of the lookups is reserved for keys that were found before. In this time, a network
   * from which many unknown keys come gets at most a quarter. Default: 100.
   */
  readonly maxLookups?: number | undefined;
  /** How many records are cached, and for how long. `false`: nothing is cached, and each request looks up its key. */
  readonly cache?: CacheOptions | false | undefined;
  /** The source of time. Default: the clock of the machine. */
  readonly clock?: Clock | undefined;
}

const resolver: Option<KeyResolver> = (options, name) => {
  const given = options.raw(name);
  if (typeof given === 'function') return { resolveKey: given as ResolveKey };
  if (typeof (given as Partial<KeyResolver> | undefined | null)?.resolveKey !== 'function') {
    throw options.mistake(name, 'a function, or an object with resolveKey()');
  }
  return checkResolverWatch(options, name, given as KeyResolver);
};

const OPTIONS = {
  resolver,
  kinds: names(KEY_KINDS),
  environment: oneOf([...ENVIRONMENTS, 'any']),
  format: withDefault(object<KeyFormat>(['read']), keywardFormat),
  apis: withDefault(object<ApiMap>(['apisOf']), scopePrefixes),
  timeout: integer(1_000, 1, 60_000),
  maxLookups: integer(100, 1, 100_000),
  cache: anything,
  clock: clockOption,
} satisfies OptionTable<ApiKeysOptions>;

/**
 * Validates the options of `apiKeys`, and fills in the defaults.
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type.
 */
export function readApiKeysOptions(given: ApiKeysOptions) {
  const { environment, cache, ...options } = readTable('apiKeys', given, OPTIONS);
  const watched = options.resolver.watch !== undefined;
  return {
    ...options,
    environments: environment === 'any' ? ENVIRONMENTS : [environment],
    watched,
    bounds: readCacheOptions('apiKeys', cache, watched),
  };
}
