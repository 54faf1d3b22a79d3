/** The options of `accessTokens`: their types, checks and defaults, and the settings of the verifier that they give. */
import type { JSONWebKeySet } from 'jose';
import { type CacheBounds, type CacheOptions, readCacheOptions } from '../cache/cache-options.js';
import type { Clock } from '../contracts/clock.js';
import { clockOption } from '../contracts/clock-option.js';
import type { AccessKeyResolver } from '../contracts/key-resolver.js';
import { type ApiMap, scopePrefixes } from '../credentials/api-map.js';
import { ENVIRONMENTS, type Environment } from '../credentials/environment.js';
import {
  anything,
  flag,
  names,
  number,
  type Option,
  type OptionTable,
  object,
  oneOf,
  optional,
  readTable,
  text,
  withDefault,
} from '../options/option-table.js';
import { watchable } from '../options/watchable-resolver.js';
import { AccessKeys } from './access-key-lookup.js';
import { ALGORITHMS } from './algorithms.js';
import { type ClaimRules, readAudiences } from './claims.js';
import { CONFIRMATION_OPTIONS, type Confirmation, createConfirmation } from './confirmation.js';
import type { DpopOptions } from './dpop/dpop-options.js';
import type { TokenProfile } from './header.js';
import type { KeySet } from './jwks/key-set.js';
import { keySetOf } from './jwks/key-set-option.js';
import type { MtlsOptions } from './mtls/mtls-options.js';
import { type PrincipalContext, sharedTokenFacts } from './token-principal.js';

/** Options of `accessTokens`. */
export interface AccessTokensOptions {
  /** The `iss` of the tokens, exactly. Without `jwks`, it must be an https URL, at which the metadata is found. */
  readonly issuer: string;
  /** The accepted audiences: a token must name one of them. */
  readonly audience: string | readonly string[];
  /**
   * The keys of the issuer, or their https URL. Default: the URL in the metadata of the issuer (RFC 8414, then OpenID).
   */
  readonly jwks?: string | URL | JSONWebKeySet | undefined;
  /**
   * `true`: `issuer`, `jwks` and the `jwks_uri` in the metadata may be http URLs of any host, and that `jwks_uri` may
   * be on an internal host. Anyone who controls that network can then forge tokens. Default: `false`: http only for a
   * loopback host.
   */
  readonly allowHttp?: boolean | undefined;
  /**
   * Accepted signature algorithms, asymmetric only. Default: RS, PS and ES with 256, 384 and 512, EdDSA and Ed25519.
   */
  readonly algorithms?: readonly string[] | undefined;
  /**
   * The header and the claims that a token must have. `'rfc9068'`: `typ` at+jwt, a `kid`, and the claims that RFC 9068
   * requires. `'jwt'`, for issuers that do not follow RFC 9068: `iss`, `aud`, `exp`, and one of `client_id`, `azp` and
   * `sub`; a `kid` only if the key set has several keys. Default: `'rfc9068'`.
   */
  readonly profile?: TokenProfile | undefined;
  /**
   * Seconds by which `iat`, `nbf` and, for `requireAuthenticationContext`, `auth_time` may be in the future: 0 to 300.
   * Default: 5. `exp` has no tolerance.
   */
  readonly clockTolerance?: number | undefined;
  /**
   * Maximum seconds from `iat` to `exp`, to which `clockTolerance` is added. If it is set, a token without `iat` is
   * refused. Default: no limit.
   */
  readonly maxLifetime?: number | undefined;
  /** Which scopes belong to which API. Default: the part of a scope before its first colon names the API. */
  readonly apis?: ApiMap | undefined;
  /**
   * The environment of principals. With `accessKeys`, an access key of another environment is refused. Default: none;
   * with `accessKeys`, those of both environments are then accepted, and a principal has the environment of its own.
   */
  readonly environment?: Environment | undefined;
  /**
   * The store of access keys. If the access key of a token is no longer valid, the token is refused. A token loses the
   * scopes that its access key has lost, and its `sub` must be the client ID. A lookup fails after 1,000 milliseconds;
   * at most 100 are in flight.
   */
  readonly accessKeys?: AccessKeyResolver | undefined;
  /**
   * `'ignore'`: a token with `authorization_details` (RFC 9396) is accepted, although keyward does not enforce them.
   * Default: `'refuse'`.
   */
  readonly authorizationDetails?: 'refuse' | 'ignore' | undefined;
  /**
   * Accepts tokens that are bound to a key pair, with a proof in each request (RFC 9449). Without this option, they are
   * refused.
   */
  readonly dpop?: DpopOptions | undefined;
  /** Accepts tokens that are bound to a client certificate (RFC 8705 §3). Without this option, they are refused. */
  readonly mtls?: MtlsOptions | undefined;
  /**
   * `max` limits the number of cached tokens, and of cached access keys. A cached token is used until it expires,
   * unless its signing key or its access key ends before. The other options are only for the cache of access keys, and
   * have no effect without `accessKeys`. `false`: neither tokens nor access keys are cached; the keys of the issuer are
   * cached nevertheless.
   */
  readonly cache?: CacheOptions | false | undefined;
  /** The source of time. Default: the clock of the machine. */
  readonly clock?: Clock | undefined;
}

const LONGEST_TOLERANCE = 300;

const accessKeys: Option<AccessKeyResolver> = (options, name) =>
  watchable(options, name, options.object<AccessKeyResolver>(name, ['resolveAccessKey']));

const OPTIONS = {
  issuer: text,
  audience: readAudiences,
  jwks: (options) => keySetOf(options, options.text('issuer'), clockOption(options, 'clock')),
  allowHttp: flag(false),
  algorithms: withDefault(names([...ALGORITHMS.keys()]), [...ALGORITHMS.keys()]),
  profile: withDefault(oneOf<TokenProfile>(['rfc9068', 'jwt']), 'rfc9068'),
  clockTolerance: number(5, 0, LONGEST_TOLERANCE),
  maxLifetime: withDefault(number(0, 1, Number.MAX_SAFE_INTEGER), Number.POSITIVE_INFINITY),
  apis: withDefault(object<ApiMap>(['apisOf']), scopePrefixes),
  environment: optional(oneOf(ENVIRONMENTS)),
  accessKeys: optional(accessKeys),
  authorizationDetails: withDefault(oneOf(['refuse', 'ignore']), 'refuse'),
  ...CONFIRMATION_OPTIONS,
  cache: anything,
  clock: clockOption,
} satisfies OptionTable<AccessTokensOptions>;

/** The settings of the verifier, read from its options. */
export interface AccessTokensSettings {
  readonly rules: ClaimRules;
  readonly algorithms: ReadonlySet<string>;
  readonly keySet: KeySet;
  /** `undefined` if neither `dpop` nor `mtls` is given: tokens that are bound to a key are refused. */
  readonly confirmation: Confirmation | undefined;
  readonly accessKeys: AccessKeys | undefined;
  readonly principalContext: PrincipalContext;
  /** `undefined`: nothing is cached. */
  readonly bounds: CacheBounds | undefined;
  readonly clock: Clock;
}

/**
 * Reads the options of `accessTokens`.
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type.
 */
export function readAccessTokensOptions(given: AccessTokensOptions): AccessTokensSettings {
  const options = readTable('accessTokens', given, OPTIONS);
  const { issuer, environment, apis, clock, jwks: keySet, accessKeys: resolver } = options;
  const confirmation = createConfirmation(options.dpop, options.mtls);
  const bounds = readCacheOptions('accessTokens', options.cache, resolver?.watch !== undefined);
  const rules: ClaimRules = Object.freeze({
    issuer,
    audiences: options.audience,
    profile: options.profile,
    isIntrospected: false,
    clockTolerance: options.clockTolerance,
    maxLifetime: options.maxLifetime,
    ownIssuer: resolver !== undefined,
    ignoresAuthorizationDetails: options.authorizationDetails === 'ignore',
    confirmation,
  });
  return {
    rules,
    algorithms: new Set(options.algorithms),
    keySet,
    confirmation,
    accessKeys: resolver && new AccessKeys({ resolver, environment, bounds, clock }),
    principalContext: { environment, apis, shared: sharedTokenFacts() },
    bounds,
    clock,
  };
}
