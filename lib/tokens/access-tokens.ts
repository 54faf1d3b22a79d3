/** Verifies access tokens: first claims and header, then the signature, then the access key that obtained the token. */
import { LRUCache } from 'lru-cache';
import type { Change, Invalidatable } from '../contracts/change-feed.js';
import { type Instant, instantOf } from '../contracts/clock.js';
import {
  type AcceptedWithEntry,
  builtIn,
  type CredentialVerifier,
  type Declined,
  ENTRY,
  type OutcomeWithEntry,
  type Refused,
} from '../contracts/credential-verifier.js';
import type { AccessKeyResolver } from '../contracts/key-resolver.js';
import type { AccessPrincipal } from '../credentials/principal.js';
import type { PresentedCredential } from '../http/presented-credential.js';
import type { CompactJws } from '../protocol/compact-jws.js';
import type { CachedAccessKey } from './access-key-lookup.js';
import { type AccessTokensOptions, readAccessTokensOptions } from './access-tokens-options.js';
import { type BrokenClaimRule, readTokenClaims, reasonOfRule, type TokenClaims } from './claims.js';
import type { AcceptedToken, BoundToken } from './confirmation.js';
import { type BrokenHeaderRule, readTokenHeader, type TokenHeader } from './header.js';
import { KeysUnavailableError } from './jwks/key-set.js';
import type { VerificationKey } from './jwks/verification-key.js';
import { verifySignature } from './signature.js';
import { tokenPrincipal } from './token-principal.js';

/** The cache entry of an accepted token. */
interface VerifiedToken extends BoundToken {
  readonly signingKey: VerificationKey;
  /** Absent without `accessKeys`: a cached token without this field takes less memory. */
  readonly accessKey?: CachedAccessKey | undefined;
}

/**
 * The result of all checks that depend only on the token. Requests with the same token share it, but each of them must
 * still prove possession if the token is bound to a key.
 */
type TokenOutcome = AcceptedToken<VerifiedToken> | Exclude<OutcomeWithEntry, AcceptedWithEntry>;

/** A token with valid claims and a valid header. Its signature is not verified yet. */
interface UnverifiedToken {
  readonly cacheKey: string;
  readonly jws: CompactJws;
  readonly header: TokenHeader;
  readonly claims: TokenClaims;
  /**
   * The key that verified this token before; `undefined` if the token is not cached. With the same key, the signature
   * is not verified again.
   */
  readonly verifiedBy: VerificationKey | undefined;
  /** The key that did not verify the signature, if another key is tried. */
  readonly tried?: VerificationKey;
}

const DECLINED: TokenOutcome = Object.freeze({ outcome: 'declined' });

/**
 * Makes the verifier of the access tokens of one issuer (RFC 9068 section 4, RFC 7519 section 7.2, docs/spec.md §5.2).
 *
 * A token that breaks a rule is refused. A token with `cnf` is refused, unless `dpop` or `mtls` is given and the
 * request proves possession (RFC 9449, RFC 8705). If the keys of the issuer or `accessKeys` are not available, the
 * request gets 503.
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type; for a symmetric algorithm; for a
 *   `jwks` object that is empty, has a private or symmetric key, no usable key, or the same `kid` twice.
 * @example
 * ```ts
 * import { accessTokens, requireBearer } from 'keyward';
 *
 * const tokens = accessTokens({ issuer: 'https://login.example', audience: 'https://api.example' });
 * const gate = requireBearer({ accept: [tokens] });
 * ```
 */
export function accessTokens(
  options: AccessTokensOptions & { readonly accessKeys: AccessKeyResolver },
): CredentialVerifier<AccessPrincipal<string>> & Invalidatable;
export function accessTokens(options: AccessTokensOptions): CredentialVerifier<AccessPrincipal> & Invalidatable;
export function accessTokens(options: AccessTokensOptions): CredentialVerifier & Invalidatable {
  const settings = readAccessTokensOptions(options);
  const { rules, algorithms, keySet, accessKeys, principalContext, confirmation, bounds, clock } = settings;
  const verifiedTokens = bounds && new LRUCache<string, VerifiedToken>({ max: bounds.max });
  /** Verifications in progress, by the cache key of the token. Requests with the same token share one verification. */
  const pending = new Map<string, Promise<TokenOutcome>>();

  // Verifies tokens if `accessKeys`, `dpop` or `mtls` is given. Otherwise `verifyToken` is enough.
  function verifyAndConfirm(credential: PresentedCredential): OutcomeWithEntry | Promise<OutcomeWithEntry> {
    const token = verifyToken(credential);
    return token instanceof Promise ? awaitToken(token, credential) : confirm(token, credential);
  }

  async function awaitToken(token: Promise<TokenOutcome>, credential: PresentedCredential): Promise<OutcomeWithEntry> {
    return confirm(await token, credential);
  }

  /**
   * Checks that the request proves possession of the keys in `cnf`, if `dpop` or `mtls` is given; and counts the use.
   * Requests that share one verification are checked and counted separately.
   */
  function confirm(token: TokenOutcome, credential: PresentedCredential): OutcomeWithEntry | Promise<OutcomeWithEntry> {
    if (token.outcome !== 'accepted') return counted(token, credential);
    const { [ENTRY]: entry } = token;
    if (confirmation === undefined) return counted(token, credential, entry.accessKey);
    const outcome = confirmation.confirm(credential, token);
    if (outcome instanceof Promise) return confirmLater(entry, credential, outcome);
    return counted(outcome, credential, entry.accessKey);
  }

  /**
   * Waits for the replay cache. Meanwhile, the token may have expired, and its signing key may have been withdrawn. If
   * its access key has ended or changed, the token is verified again, but not the proof, which would be a replay.
   */
  async function confirmLater(
    { principal, signingKey, accessKey }: VerifiedToken,
    credential: PresentedCredential,
    pendingOutcome: Promise<OutcomeWithEntry>,
  ): Promise<OutcomeWithEntry> {
    const settled = await pendingOutcome;
    const outcome = refusalIfEnded(principal.expiresAt, signingKey) ?? settled;
    const isCurrent =
      accessKey === undefined || (accessKey.endsAt > clock.now() && (bounds === undefined || accessKey.isCached));
    if (isCurrent || outcome.outcome !== 'accepted') return counted(outcome, credential, accessKey);
    const token = await verifyToken(credential);
    if (token.outcome !== 'accepted') return counted(token, credential);
    return counted({ ...outcome, ...token }, credential, token[ENTRY].accessKey);
  }

  /**
   * Counts the outcome for the access key, and returns it. Requests that share one verification are counted separately.
   */
  function counted(
    outcome: OutcomeWithEntry,
    credential: PresentedCredential,
    accessKey?: CachedAccessKey,
  ): OutcomeWithEntry {
    if (outcome.outcome === 'accepted') accessKeys?.usage.accepted(accessKey?.usage, outcome.principal, credential);
    else accessKeys?.usage.refused(outcome);
    return outcome;
  }

  function verifyToken(credential: PresentedCredential): TokenOutcome | Promise<TokenOutcome> {
    const now = instantOf(clock);
    const cached = verifiedTokens?.get(credential.cacheKey);
    if (cached !== undefined && isUsable(cached, now)) {
      return { outcome: 'accepted', principal: cached.principal, [ENTRY]: cached };
    }
    if (!credential.isCompact) return DECLINED;
    const token = readToken(credential, now, cached);
    return 'outcome' in token ? token : joinOrStart(token);
  }

  function isUsable({ principal, signingKey, accessKey }: VerifiedToken, now: Instant): boolean {
    if (principal.expiresAt * 1_000 <= now.wall || signingKey.withdrawn || !keySet.isFresh(now)) return false;
    if (accessKeys === undefined) return true;
    return accessKey !== undefined && accessKeys.isUsable(accessKey, now);
  }

  /**
   * Checks claims and header before the signature, because these checks need no key: forged tokens must not cause
   * fetches of keys. All failures get the same response, so it does not reveal which check failed.
   */
  function readToken(
    credential: PresentedCredential,
    now: Instant,
    cached: VerifiedToken | undefined,
  ): UnverifiedToken | Declined | Refused {
    const { cacheKey, jws } = credential; // The getter `jws` parses the token.
    if (jws === undefined) return { outcome: 'declined', reason: 'jws_malformed' };
    // All claims are read here, but only a wrong `iss` decides before the header: the token of another issuer is declined,
    // so that the verifier of that issuer is asked. Of two mistakes, the one in the header is reported.
    const claims = readTokenClaims(jws.payload, rules, now.wall);
    if (claims === 'iss') return { outcome: 'declined', reason: 'token_iss' };
    const header = readTokenHeader(jws.header, algorithms, rules.profile);
    if (typeof header === 'string') return refused(header);
    if (typeof claims === 'string') return refused(claims);
    return { cacheKey, jws, header, claims, verifiedBy: cached?.signingKey };
  }

  /**
   * Verifies a token once for all requests that present it at the same time. A verification that is synchronous is over
   * before another request can join it. With `cache: false`, each request verifies
   * the token itself, and never uses a lookup that started before the request arrived.
   */
  function joinOrStart(token: UnverifiedToken): TokenOutcome | Promise<TokenOutcome> {
    const { cacheKey } = token;
    const joined = pending.get(cacheKey);
    if (joined !== undefined) return joined;
    const signingKey = keySet.find(token.header.kid);
    const outcome = signingKey instanceof Promise ? awaitKey(token, signingKey) : checkSignature(token, signingKey);
    if (!(outcome instanceof Promise) || verifiedTokens === undefined) return outcome;
    const shared = outcome.finally(() => pending.delete(cacheKey));
    pending.set(cacheKey, shared);
    return shared;
  }

  async function awaitKey(
    token: UnverifiedToken,
    signingKey: VerificationKey | Promise<VerificationKey | undefined>,
  ): Promise<TokenOutcome> {
    try {
      return await checkSignature(token, await signingKey);
    } catch (error) {
      if (!(error instanceof KeysUnavailableError)) throw error;
      return { outcome: 'unavailable', reason: 'keys_unavailable', retryAfter: error.retryAfter };
    }
  }

  /**
   * Verifies the signature. It returns a promise only if the algorithm is slow, or if the access key must be looked up.
   */
  function checkSignature(
    token: UnverifiedToken,
    signingKey: VerificationKey | undefined,
  ): TokenOutcome | Promise<TokenOutcome> {
    const { jws, header, verifiedBy, tried } = token;
    if (signingKey === undefined) return refused(tried === undefined ? 'kid' : 'signature');
    const isSigned = verifiedBy === signingKey || verifySignature(jws, signingKey, header.alg);
    if (isSigned === false) return tryOtherKey(token, signingKey);
    if (isSigned === true && accessKeys === undefined) return acceptToken(token, signingKey);
    return finishChecks(token, signingKey, isSigned);
  }

  /**
   * Refuses a token with a wrong signature. A token without a `kid` is verified once more if the issuer has replaced
   * its only key: the old key was used, because there was no `kid` that would have been unknown.
   */
  function tryOtherKey(token: UnverifiedToken, signingKey: VerificationKey): Refused | Promise<TokenOutcome> {
    if (token.header.kid !== undefined || token.tried !== undefined) return refused('signature');
    const other = keySet.find(undefined, signingKey);
    return other === undefined ? refused('signature') : awaitKey({ ...token, tried: signingKey }, other);
  }

  /**
   * Waits for the verification of the signature, if it is still running. After that, it finds the access key of the
   * token.
   */
  async function finishChecks(
    token: UnverifiedToken,
    signingKey: VerificationKey,
    isSigned: true | Promise<boolean>,
  ): Promise<TokenOutcome> {
    if (!(await isSigned)) return tryOtherKey(token, signingKey);
    if (accessKeys === undefined) return acceptToken(token, signingKey);
    const accessKey = await accessKeys.find(token.claims);
    return 'outcome' in accessKey ? accessKey : acceptToken(token, signingKey, accessKey);
  }

  function acceptToken(
    { cacheKey, jws, claims }: UnverifiedToken,
    signingKey: VerificationKey,
    accessKey?: CachedAccessKey,
  ): TokenOutcome {
    const ended = refusalIfEnded(claims.expiresAt, signingKey);
    if (ended !== undefined) return ended;
    const principal = tokenPrincipal(jws, claims, accessKey?.facts, principalContext);
    const entry: VerifiedToken =
      accessKey === undefined
        ? { principal, gate: undefined, signingKey }
        : { principal, gate: undefined, signingKey, accessKey };
    // Not `{ ...entry, boundKeys }`: V8 of Node 20 would create a new hidden class for each token.
    if (claims.boundKeys !== undefined) Object.assign(entry, { boundKeys: claims.boundKeys });
    verifiedTokens?.set(cacheKey, entry);
    return { outcome: 'accepted', principal, [ENTRY]: entry };
  }

  /** Refuses a token that expired during its verification, or whose signing key was withdrawn during this time. */
  function refusalIfEnded(expiresAt: number, signingKey: VerificationKey): Refused | undefined {
    if (expiresAt * 1_000 <= clock.now()) return refused('expired');
    return signingKey.withdrawn ? refused('kid') : undefined;
  }

  function invalidate(change: Change): void {
    accessKeys?.invalidate(change);
    if (change === 'all') verifiedTokens?.clear();
  }

  const { issuer, audiences = [], clockTolerance } = rules;
  const facts = {
    kinds: Object.freeze(['access'] as const),
    claims: [{ of: issuer, what: `access tokens issued by ${issuer}` }],
    tokens: Object.freeze({ issuer, audiences, clock, clockTolerance }),
    confirmation: confirmation?.methods,
    invalidate,
  };
  // `verifyAndConfirm` is needed only to check proofs and certificates, or to count the use of access keys.
  return builtIn(facts, confirmation === undefined && accessKeys === undefined ? verifyToken : verifyAndConfirm);
}

function refused(rule: BrokenClaimRule | BrokenHeaderRule | 'signature'): Refused {
  return { outcome: 'refused', reason: reasonOfRule(rule) };
}
