/** The options of `accessTokens`, with their types, checks and defaults; and the settings that are made from them. */
import type { JSONWebKeySet } from 'jose';
import { type CacheBounds, type CacheOptions, readCacheOptions } from '../cache/cache-options.js';
import type { Clock } from '../contracts/clock.js';
import { clockOption } from '../contracts/clock-option.js';
import type { AccessKeyResolver } from '../contracts/key-resolver.js';
import { type ApiMap, scopePrefixes } from '../credentials/api-map.js';
import { ENVIRONMENTS, type Environment } from '../credentials/environment.js';
import { checkResolverWatch } from '../options/check-resolver-watch.js';
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
  /**
   * The exact `iss` of the accepted tokens. Without `jwks`, it must be an https URL, because the metadata of the issuer
   * is fetched from there.
   */
  readonly issuer: string;
  /** The accepted audiences: `aud` of a token must contain at least one of them. */
  readonly audience: string | readonly string[];
  /**
   * The public keys of the issuer: a JWK Set, or its https URL. Default: `jwks_uri` in the metadata of the issuer (RFC
   * 8414, or else OpenID Connect Discovery).
   */
  readonly jwks?: string | URL | JSONWebKeySet | undefined;
  /**
   * `true`: `issuer`, `jwks` and the `jwks_uri` in the metadata may be http URLs of any host, and the `jwks_uri` may be
   * on an internal host. Anyone who can change this http traffic can then forge tokens. Default: `false`: http only for
   * a loopback host.
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
   * Seconds by which `iat` and `nbf` may be in the future, because clocks differ: 0 to 300. It also applies to
   * `auth_time` in `requireAuthenticationContext`, but not to `exp`. Default: 5.
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
   * The environment of principals. With `accessKeys`, a token is refused if its access key has another environment.
   * Default: with `accessKeys`, tokens of both environments are accepted, and a principal has the environment of its
   * access key. Without `accessKeys`, principals then have no environment.
   */
  readonly environment?: Environment | undefined;
  /**
   * The store in which the access key (the OAuth client) of each token is looked up. A token is refused if its access
   * key is no longer valid, or if its `sub` is not the client ID. Scopes that the access key has lost are removed from
   * the principal. A lookup fails after 1,000 milliseconds; at most 100 lookups run at the same time.
   */
  readonly accessKeys?: AccessKeyResolver | undefined;
  /**
   * `'ignore'`: a token with `authorization_details` (RFC 9396) is accepted, although keyward does not enforce them.
   * Default: `'refuse'`.
   */
  readonly authorizationDetails?: 'refuse' | 'ignore' | undefined;
  /**
   * Accepts tokens that are bound to a key pair; each request must have a proof that is signed with this key pair
   * (DPoP, RFC 9449). Without this option, such tokens are refused.
   */
  readonly dpop?: DpopOptions | undefined;
  /**
   * Accepts tokens that are bound to a client certificate (RFC 8705 §3). Without this option, such tokens are refused.
   */
  readonly mtls?: MtlsOptions | undefined;
  /**
   * Limits the cache of verified tokens and, with `accessKeys`, the cache of access keys. `max` applies to each of
   * them; the other options apply only to access keys. A cached token is accepted until it expires, its signing key is
   * withdrawn or its access key ends. `false`: neither tokens nor access keys are cached, but the keys of the issuer
   * still are.
   */
  readonly cache?: CacheOptions | false | undefined;
  /** The source of time. Default: the clock of the machine. */
  readonly clock?: Clock | undefined;
}

const LONGEST_TOLERANCE = 300;

const accessKeys: Option<AccessKeyResolver> = (options, name) =>
  checkResolverWatch(options, name, options.object<AccessKeyResolver>(name, ['resolveAccessKey']));

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
  /**
   * Checks proofs of possession. `undefined` if neither `dpop` nor `mtls` is given: tokens with `cnf` are then refused.
   */
  readonly confirmation: Confirmation | undefined;
  readonly accessKeys: AccessKeys | undefined;
  readonly principalContext: PrincipalContext;
  /** The limits of the caches; `undefined` if the option `cache` is `false`. */
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
