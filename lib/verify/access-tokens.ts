/** Access tokens: signature, then claims, then the access key that bought it → principal. */
import type { JSONWebKeySet } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Change, Invalidatable } from '../contracts/change-feed.js';
import { type Clock, systemClock } from '../contracts/clock.js';
import type { AccessKeyResolver } from '../contracts/key-resolver.js';
import { type ApiMap, scopePrefixes } from '../credentials/api-map.js';
import { ENVIRONMENTS, type Environment } from '../credentials/kind.js';
import type { AccessPrincipal } from '../credentials/principal.js';
import type { AccessKeyFacts } from '../credentials/record.js';
import { namesOf, Options } from '../options/options.js';
import { watchable } from '../options/watchable.js';
import type { CompactJws } from '../protocol/compact-jws.js';
import { AccessKeys } from './access-keys.js';
import { ALGORITHMS } from './algorithms.js';
import { type CacheOptions, readCacheOptions } from './cache-options.js';
import { type Instant, instantOf } from './freshness.js';
import { keySetOf } from './issuer-keys.js';
import { KeysUnavailable } from './key-set.js';
import type { Entry } from './look-up-landing.js';
import { ownVerifier } from './own-verifiers.js';
import type { PresentedCredential } from './presented-credential.js';
import { verifySignature } from './signature.js';
import { type ClaimRules, readTokenClaims, type TokenClaims } from './token-claims.js';
import { readTokenHeader, type TokenHeader, type TokenProfile } from './token-header.js';
import { repeatedFacts, tokenPrincipal } from './token-principal.js';
import { UnderWay } from './under-way.js';
import type { VerificationKey } from './verification-key.js';
import type { CredentialVerifier, Outcome } from './verifier.js';

/** Options of `accessTokens`. */
export interface AccessTokensOptions {
  /** The `iss` of the tokens, exactly. */
  readonly issuer: string;
  /** What the tokens must be for: one of these. */
  readonly audience: string | readonly string[];
  /** The issuer's keys, or where they are; else found by the issuer's metadata (RFC 8414, then OpenID). */
  readonly jwks?: string | URL | JSONWebKeySet | undefined;
  /** Signature algorithms taken, asymmetric ones only; all of RS, PS and ES with 256, 384 and 512, EdDSA and Ed25519. */
  readonly algorithms?: readonly string[] | undefined;
  /** `'rfc9068'`: typ at+jwt and its claims. `'jwt'`, for foreign issuers: iss, aud, exp. */
  readonly profile?: TokenProfile | undefined;
  /** Seconds that `iat` and `nbf` may lie ahead: 5 (0 to 300). `exp` is exact. */
  readonly clockTolerance?: number | undefined;
  /** Seconds from `iat` to `exp` that are believed; no limit. */
  readonly maxLifetime?: number | undefined;
  /** Which scopes belong to which API; the text before the first colon. */
  readonly apis?: ApiMap | undefined;
  /** Put on the principal; with `accessKeys`, an access key of another environment is refused. */
  readonly environment?: Environment | undefined;
  /** Tokens die with their access key. */
  readonly accessKeys?: AccessKeyResolver | undefined;
  /** `max` bounds the verified tokens kept; the rest bears on what `accessKeys` said. */
  readonly cache?: CacheOptions | false | undefined;
  readonly clock?: Clock | undefined;
}

/** A token whose signature was verified: nothing about that changes until the key is withdrawn. */
interface ProvenToken {
  readonly principal: AccessPrincipal;
  readonly signer: VerificationKey;
  readonly accessKey: Entry<AccessKeyFacts> | undefined;
}

const OPTION_NAMES = [
  ...['issuer', 'audience', 'jwks', 'algorithms', 'profile', 'clockTolerance', 'maxLifetime', 'apis', 'environment'],
  ...['accessKeys', 'cache', 'clock'],
];
const LONGEST_TOLERANCE = 300;
const DECLINED: Outcome = Object.freeze({ outcome: 'declined' });

/**
 * Makes the verifier of the access tokens of one issuer (RFC 9068 §4, RFC 7519 §7.2, spec section 5.2).
 *
 * A token that breaks a rule is refused. While the issuer's keys, or `accessKeys`, cannot be had it is unavailable.
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type; for a symmetric algorithm; for a `jwks`
 *   object that is empty, holds a private or symmetric key, a bad key alone, or one `kid` twice.
 */
export function accessTokens(options: AccessTokensOptions): CredentialVerifier & Invalidatable {
  const { rules, algorithms, keys, accessKeys, platform, tokens, clock } = readOptions(options);
  const underWay = new UnderWay<Promise<Outcome>>();

  function recall(credential: PresentedCredential): AccessPrincipal | undefined {
    if (tokens === undefined || !credential.isCompact) return undefined;
    const token = tokens.get(credential.cacheKey);
    return token !== undefined && holds(token, instantOf(clock)) ? token.principal : undefined;
  }

  function holds({ principal, signer, accessKey }: ProvenToken, now: Instant): boolean {
    if (principal.expiresAt * 1_000 <= now.wall || signer.withdrawn || !keys.isFresh(now)) return false;
    if (accessKeys === undefined) return true;
    return accessKey !== undefined && accessKeys.serves(accessKey, now);
  }

  function verify(credential: PresentedCredential): Outcome | Promise<Outcome> {
    if (!credential.isCompact) return DECLINED;
    const { jws } = credential;
    if (jws === undefined) return { outcome: 'declined', reason: 'jws_malformed' };
    if (credential.issuer !== rules.issuer) return { outcome: 'declined', reason: 'token_iss' };
    // Cheap checks come before the signature: what they refuse makes no fetch, and gets the same answer.
    const header = readTokenHeader(jws.header, algorithms, rules.profile);
    if (typeof header === 'string') return refused(header);
    const claims = readTokenClaims(jws.payload, rules, clock.now());
    if (typeof claims === 'string') return refused(claims);
    return tokens === undefined ? prove(credential, jws, header, claims) : once(credential, jws, header, claims);
  }

  /** Requests that present one token at one time wait for one verification. */
  function once(credential: PresentedCredential, jws: CompactJws, header: TokenHeader, claims: TokenClaims) {
    const { cacheKey } = credential;
    const joined = underWay.get(cacheKey);
    if (joined !== undefined) return joined;
    let isOver = false;
    const proof = prove(credential, jws, header, claims, () => {
      isOver = true;
      underWay.delete(cacheKey);
    });
    // It may be over at once, and what was taken out before it was put in would stay for ever.
    if (!isOver) underWay.set(cacheKey, proof);
    return proof;
  }

  async function prove(
    credential: PresentedCredential,
    jws: CompactJws,
    header: TokenHeader,
    claims: TokenClaims,
    ended: () => void = () => undefined,
  ): Promise<Outcome> {
    const { cacheKey } = credential;
    try {
      const found = keys.find(header.kid);
      const signer = found instanceof Promise ? await found : found;
      if (signer === undefined) return refused('kid');
      const isProven = tokens?.get(cacheKey)?.signer === signer;
      if (!isProven && !(await verifySignature(jws, signer, header.alg))) return refused('signature');

      const grant = accessKeys && (await accessKeys.grantOf(claims));
      if (grant?.withheld !== undefined) return grant.withheld;
      if (claims.expiresAt * 1_000 <= clock.now()) return refused('expired');
      const principal = tokenPrincipal(jws, claims, grant?.accessKey.facts, platform);
      tokens?.set(cacheKey, { principal, signer, accessKey: grant?.accessKey });
      return { outcome: 'accepted', principal };
    } catch (error) {
      if (!(error instanceof KeysUnavailable)) throw error;
      return { outcome: 'unavailable', reason: 'keys_unavailable', retryAfter: error.retryAfter };
    } finally {
      ended();
    }
  }

  function invalidate(change: Change): void {
    accessKeys?.invalidate(change);
    if (change === 'all') tokens?.clear();
  }

  const claims = [{ of: rules.issuer, what: `access tokens of ${rules.issuer}` }];
  return ownVerifier({ kinds: Object.freeze(['access'] as const), claims, recall, verify, invalidate });
}

function refused(rule: string): Outcome {
  return { outcome: 'refused', reason: rule === 'expired' ? rule : `token_${rule}` };
}

function readOptions(given: AccessTokensOptions) {
  const options = new Options('accessTokens', given, OPTION_NAMES);
  const profile = options.has('profile') ? options.oneOf<TokenProfile>('profile', ['rfc9068', 'jwt']) : 'rfc9068';
  const clock = options.has('clock') ? options.object<Clock>('clock', ['now', 'monotonic']) : systemClock;
  const environment = options.has('environment') ? options.oneOf('environment', ENVIRONMENTS) : undefined;
  const resolver = options.has('accessKeys')
    ? watchable(options, 'accessKeys', options.object<AccessKeyResolver>('accessKeys', ['resolveAccessKey']))
    : undefined;
  const bounds = readCacheOptions('accessTokens', options.raw('cache'), resolver?.watch !== undefined);
  const issuer = options.text('issuer');
  const rules: ClaimRules = Object.freeze({
    issuer,
    audiences: readAudiences(options),
    profile,
    clockTolerance: options.number('clockTolerance', 5, 0, LONGEST_TOLERANCE),
    maxLifetime: options.has('maxLifetime')
      ? options.number('maxLifetime', 0, 1, Number.MAX_SAFE_INTEGER)
      : Number.POSITIVE_INFINITY,
    ownIssuer: resolver !== undefined,
  });
  return {
    rules,
    clock,
    platform: {
      environment,
      apis: options.has('apis') ? options.object<ApiMap>('apis', ['apisOf']) : scopePrefixes,
      repeated: repeatedFacts(),
    },
    algorithms: readAlgorithms(options),
    keys: keySetOf(options, issuer, clock),
    accessKeys: resolver === undefined ? undefined : new AccessKeys({ resolver, environment, bounds, clock }),
    tokens: bounds === undefined ? undefined : new LRUCache<string, ProvenToken>({ max: bounds.max }),
  };
}

function readAudiences(options: Options): readonly string[] {
  const audience = options.raw('audience');
  if (audience === undefined) throw options.mistake('audience', 'a text, or a list of texts');
  return namesOf('accessTokens: option "audience"', Array.isArray(audience) ? audience : [audience]);
}

function readAlgorithms(options: Options): ReadonlySet<string> {
  const algorithms = options.raw('algorithms') ?? [...ALGORITHMS.keys()];
  if (!Array.isArray(algorithms)) throw options.mistake('algorithms', 'a list of asymmetric algorithms');
  return new Set(namesOf('accessTokens: option "algorithms"', algorithms, [...ALGORITHMS.keys()]));
}
