/** Verifies opaque access tokens by asking the authorization server about them (RFC 7662). */
import { CacheEntry, FailedLookup, NegativeEntry, NO_SUBJECT } from '../../cache/cache-entries.js';
import { RecordCache } from '../../cache/record-cache.js';
import type { Change, Invalidatable } from '../../contracts/change-feed.js';
import { instantOf } from '../../contracts/clock.js';
import {
  builtIn,
  type CredentialVerifier,
  type Declined,
  ENTRY,
  type OutcomeWithEntry,
} from '../../contracts/credential-verifier.js';
import { keywardFormat } from '../../credentials/keyward-format.js';
import { hasKeyPrefix } from '../../credentials/prefixed-format.js';
import type { AccessPrincipal } from '../../credentials/principal.js';
import { RecordError } from '../../credentials/records/record-error.js';
import type { PresentedCredential } from '../../http/presented-credential.js';
import { type JsonObject, own } from '../../protocol/strict-json.js';
import { readTokenClaims, reasonOfRule } from '../claims.js';
import type { AcceptedToken, BoundKeys, BoundToken } from '../confirmation.js';
import { tokenPrincipal } from '../token-principal.js';
import { type Introspect, introspectionEndpoint } from './introspection-endpoint.js';
import {
  type IntrospectedTokensOptions,
  type IntrospectedTokensSettings,
  readIntrospectedTokensOptions,
} from './introspection-options.js';

/** The cache entry of a valid token, made from the introspection response. */
class CachedToken extends CacheEntry implements BoundToken {
  readonly principal: AccessPrincipal;
  gate: object | undefined;
  readonly boundKeys: BoundKeys | undefined;

  constructor(principal: AccessPrincipal, boundKeys: BoundKeys | undefined) {
    super();
    this.principal = principal;
    this.boundKeys = boundKeys;
  }

  get id(): string {
    return this.principal.keyId;
  }

  get account(): undefined {
    return undefined;
  }

  get endsAt(): number {
    return this.principal.expiresAt * 1_000;
  }
}

const DECLINED: Declined = Object.freeze({ outcome: 'declined' });
const NO_HEADER: JsonObject = Object.freeze({});

/**
 * The introspection endpoint answers `active` for refresh tokens and ID tokens too, but an API must not accept them.
 * These values show that a token is not an access token. They are in `typ` (Keycloak), `token_use` (Hydra) or
 * `token_type` (ForgeRock, and `N_A` of RFC 8693 section 2.2.1).
 */
const OTHER_USES = ['refresh', 'refresh_token', 'offline', 'id', 'id_token', 'logout', 'n_a'];
/**
 * Token types whose proof of possession keyward cannot check (RFC 6749 section 7.1, RFC 9200). These tokens are
 * refused, because otherwise anyone who stole one could use it without the proof.
 */
const UNCHECKED_TYPES = ['mac', 'pop'];

/**
 * Makes the verifier of opaque access tokens (RFC 7662), such as tokens of Hydra, Keycloak and oidc-provider. It asks
 * the introspection endpoint of the issuer about each token, and caches the answer for `cache.ttl` (default: 5 s).
 *
 * A token that is inactive, or whose `exp`, `aud`, `iss`, `nbf` or `cnf` is wrong, is refused. The request gets 503 if
 * the endpoint does not answer in time, or answers with a redirect, another status than 200 or more than 256 KiB. It
 * also gets 503 if the response is not a JSON object with a boolean `active`.
 *
 * This verifier claims every credential that no other verifier claims, so it must be the last one in `accept`. It does
 * not send API keys (in the format of keyward or of `keyFormat`) or JWTs of another issuer to the endpoint. A gate does
 * not ask it about a key that an `apiKeys` of the same gate has declined, whatever the format.
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type.
 *
 * @example
 * ```ts
 * import express from 'express';
 * import { introspectedTokens, requireBearer } from 'keyward';
 *
 * const app = express();
 * const opaque = introspectedTokens({
 *   issuer: 'https://login.example',
 *   audience: 'https://api.example',
 *   client: { id: 'payments-api', secret: process.env.INTROSPECTION_SECRET ?? '' },
 * });
 * app.use('/payments', requireBearer({ accept: [opaque] }));
 * ```
 */
export function introspectedTokens(
  options: IntrospectedTokensOptions,
): CredentialVerifier<AccessPrincipal> & Invalidatable {
  const config = readIntrospectedTokensOptions(options);
  return createIntrospectedTokens(config, introspectionEndpoint(config.call));
}

/**
 * Makes the verifier of `introspectedTokens` with another function that asks about a token. The test kit uses it to
 * avoid network calls.
 */
export function createIntrospectedTokens(
  { rules, principalContext, confirmation, clock, cache: limits }: IntrospectedTokensSettings,
  introspect: Introspect,
): CredentialVerifier<AccessPrincipal> & Invalidatable {
  const { issuer } = rules;
  const cache = new RecordCache<PresentedCredential, CachedToken>({
    of: 'introspectedTokens',
    member: 'accessKey',
    watched: false,
    lookUp,
    ...limits,
  });

  function verify(
    credential: PresentedCredential,
  ): OutcomeWithEntry<AccessPrincipal> | Promise<OutcomeWithEntry<AccessPrincipal>> {
    const now = instantOf(clock);
    const cached = cache.get(credential.cacheKey, now);
    if (cached instanceof CachedToken && cached.principal.expiresAt > now.wall / 1_000)
      return confirm(cached, credential);
    if (!credential.isWellFormed || isKey(credential)) return DECLINED;
    // A JWT of another issuer is not sent to this issuer, because this issuer could use the token.
    const { issuer: named } = credential;
    if (named !== undefined && named !== issuer) return { outcome: 'declined', reason: 'token_iss' };
    return cached instanceof NegativeEntry ? refused(cached.reason) : verifyLater(credential);
  }

  async function verifyLater(credential: PresentedCredential): Promise<OutcomeWithEntry<AccessPrincipal>> {
    const found = await loadToken(credential);
    return found instanceof CachedToken ? confirm(found, credential) : found;
  }

  /** Looks up a token; or returns why it cannot be accepted. */
  async function loadToken(credential: PresentedCredential): Promise<CachedToken | OutcomeWithEntry<AccessPrincipal>> {
    const found = await cache.load(credential.cacheKey, credential, credential);
    if (found instanceof FailedLookup) return { outcome: 'unavailable', reason: `lookup_${found.reason}` };
    if (found instanceof NegativeEntry) return refused(found.reason);
    return found.endsAt > clock.now() ? found : refused('expired');
  }

  async function lookUp(credential: PresentedCredential): Promise<CachedToken | NegativeEntry> {
    const response = await introspect(credential.reveal());
    const active = own(response, 'active');
    if (typeof active !== 'boolean') throw new RecordError('active: expected a boolean in the introspection response');
    if (!active) return new NegativeEntry(NO_SUBJECT, 'token_inactive');
    if (isMarked(response, OTHER_USES)) return new NegativeEntry(NO_SUBJECT, 'token_use');
    const claims = readTokenClaims(response, rules, clock.now());
    if (typeof claims === 'string') return new NegativeEntry(NO_SUBJECT, reasonOfRule(claims));
    // A response may say that the token is a DPoP token, but not name its key. No proof can then be checked, and the
    // token must not be accepted as a Bearer token (RFC 9449 section 7.2).
    const lacksKey = claims.boundKeys?.jkt === undefined && isMarked(response, ['dpop']);
    if (lacksKey || isMarked(response, UNCHECKED_TYPES)) return new NegativeEntry(NO_SUBJECT, reasonOfRule('cnf'));
    const principal = tokenPrincipal({ payload: response, header: NO_HEADER }, claims, undefined, principalContext);
    return new CachedToken(principal, claims.boundKeys);
  }

  /**
   * Checks that the request proves possession of the keys in `cnf`, if `dpop` or `mtls` is given. Requests that share
   * one lookup are checked separately.
   */
  function confirm(
    token: CachedToken,
    credential: PresentedCredential,
  ): OutcomeWithEntry<AccessPrincipal> | Promise<OutcomeWithEntry<AccessPrincipal>> {
    const accepted: AcceptedToken = { outcome: 'accepted', principal: token.principal, [ENTRY]: token };
    const outcome = confirmation?.confirm(credential, accepted) ?? accepted;
    return outcome instanceof Promise ? confirmLater(token, credential, outcome) : outcome;
  }

  /**
   * Waits for the replay cache. Meanwhile, the token may have expired. If it was invalidated, it is looked up again,
   * but the proof is not checked again, which would be a replay.
   */
  async function confirmLater(
    token: CachedToken,
    credential: PresentedCredential,
    pendingOutcome: Promise<OutcomeWithEntry<AccessPrincipal>>,
  ): Promise<OutcomeWithEntry<AccessPrincipal>> {
    const outcome = await pendingOutcome;
    if (token.endsAt <= clock.now()) return refused('expired');
    const isCurrent = limits.bounds === undefined || token.isCached;
    if (isCurrent || outcome.outcome !== 'accepted') return outcome;
    const found = await loadToken(credential);
    return found instanceof CachedToken ? { ...outcome, principal: found.principal, [ENTRY]: found } : found;
  }

  function invalidate(change: Change): void {
    cache.invalidate(change);
  }

  const { audiences = [], clockTolerance } = rules;
  const facts = {
    kinds: Object.freeze(['access'] as const),
    claims: [{ of: issuer, what: `opaque tokens issued by ${issuer}` }],
    claimsRest: true,
    tokens: Object.freeze({ issuer, audiences, clock, clockTolerance }),
    confirmation: confirmation?.methods,
    invalidate,
  };
  return builtIn(facts, verify);
}

function refused(reason: string): OutcomeWithEntry<AccessPrincipal> {
  return { outcome: 'refused', reason };
}

/**
 * Whether a credential looks like an API key: in the format of keyward or of a `keyFormat`. `apiKeys` may have declined
 * it, for example because it is for another environment. It must not be sent to the authorization server, which would
 * learn the key.
 */
function isKey(credential: PresentedCredential): boolean {
  const text = credential.reveal();
  return keywardFormat.read(text) !== undefined || hasKeyPrefix(text);
}

/** Whether `typ`, `token_use` or `token_type` of the response has one of the values. Case is ignored. */
function isMarked(response: JsonObject, values: readonly string[]): boolean {
  return ['typ', 'token_use', 'token_type'].some((name) => {
    const value = own(response, name);
    return typeof value === 'string' && values.includes(value.toLowerCase());
  });
}
