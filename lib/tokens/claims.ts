/** Validates the claims of an access token (RFC 9068 §2.2 and §4, RFC 7519 §4.1), or of an introspection response. */
import { namesOf, type Options } from '../options/options.js';
import { isNumericDate, VSCHARS } from '../protocol/jose-rules.js';
import { isScopeToken, parseScope } from '../protocol/scope.js';
import { type JsonObject, own } from '../protocol/strict-json.js';
import type { BoundKeys, Confirmation } from './confirmation.js';
import type { TokenProfile } from './header.js';

/** The rules for the claims of a token. */
export interface ClaimRules {
  readonly issuer: string;
  /** The accepted audiences. `undefined`: any `aud` is accepted, and a token without `aud` too. */
  readonly audiences: readonly string[] | undefined;
  readonly profile: TokenProfile;
  /** Whether the claims are an introspection response, which may omit `iss` and `exp` (RFC 7662 section 2.2). */
  readonly isIntrospected: boolean;
  /** Seconds by which `iat` and `nbf` may be in the future. */
  readonly clockTolerance: number;
  /** Maximum seconds from `iat` to `exp`, to which `clockTolerance` is added; `Infinity` for no limit. */
  readonly maxLifetime: number;
  /**
   * Whether `sub` must be the client ID, because each client acts for itself. `true` for tokens of keyward's issuer,
   * and with the option `accessKeys`.
   */
  readonly ownIssuer: boolean;
  /** Whether to accept a token with `authorization_details` (RFC 9396), although keyward does not enforce them. */
  readonly ignoresAuthorizationDetails: boolean;
  /** Reads the keys in `cnf`. If this property is `undefined`, a token with `cnf` is refused. */
  readonly confirmation?: Confirmation | undefined;
}

/** Reads the option `audience`: a name, or a list of one or more names. */
export function readAudiences(options: Options): readonly string[] {
  const audience = options.raw('audience');
  if (audience === undefined) throw options.mistake('audience', 'a string or a list of strings');
  return namesOf(`${options.factory}: option "audience"`, Array.isArray(audience) ? audience : [audience]);
}

/**
 * The rule that the claims of a token break, usually named after the claim. `expired`: the time of `exp` has passed.
 * `lifetime`: the time from `iat` to `exp` is too long.
 */
export type BrokenClaimRule =
  | 'iss'
  | 'aud'
  | 'exp'
  | 'expired'
  | 'iat'
  | 'nbf'
  | 'lifetime'
  | 'sub'
  | 'jti'
  | 'client_id'
  | 'cnf'
  | 'authorization_details'
  | 'scope';

/**
 * Returns the `reason` in events for a token that breaks a rule, such as `token_aud`. For an expired token it is
 * `expired`, the same as for an expired API key.
 */
export function reasonOfRule(rule: string): string {
  return rule === 'expired' ? rule : `token_${rule}`;
}

/** The validated claims that are used outside this file. */
export interface TokenClaims {
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Seconds since 1970; `Infinity` if an introspection response has no `exp`. */
  readonly expiresAt: number;
  /** Seconds since 1970; `undefined` if the token has no `iat`, which only the profile `jwt` allows. */
  readonly issuedAt: number | undefined;
  /** `jti`; `undefined` if it is missing or invalid, which only the profile `jwt` allows. */
  readonly tokenId: string | undefined;
  /**
   * The claim `tokens_not_before` of keyward's issuer, in milliseconds: the `tokensNotBefore` that the access key had
   * when the token was issued. `undefined` if the claim is missing or invalid.
   */
  readonly tokensNotBefore: number | undefined;
  /** The keys in `cnf`, to which the token is bound; `undefined` if the token has no `cnf`. */
  readonly boundKeys: BoundKeys | undefined;
}

const MAX_TEXT = 1_024;

/**
 * Validates the claims of a token.
 *
 * @param now - Milliseconds since 1970.
 * @returns The claims, or the first rule that they break.
 */
export function readTokenClaims(payload: JsonObject, rules: ClaimRules, now: number): TokenClaims | BrokenClaimRule {
  const strict = rules.profile === 'rfc9068';
  const seconds = now / 1_000;
  const latest = seconds + rules.clockTolerance;

  const iss = own(payload, 'iss');
  if (iss !== rules.issuer && !(rules.isIntrospected && iss === undefined)) return 'iss';
  if (rules.audiences !== undefined && !isAudience(own(payload, 'aud'), rules.audiences)) return 'aud';

  const exp = expiryOf(payload, rules);
  if (exp === undefined) return 'exp';
  if (exp <= seconds) return 'expired';
  const iat = own(payload, 'iat');
  if (iat === undefined ? strict : !isNumericDate(iat) || iat > latest || iat > exp) return 'iat';
  const nbf = own(payload, 'nbf');
  if (nbf !== undefined && (!isNumericDate(nbf) || nbf > latest)) return 'nbf';
  const issuedAt = iat as number | undefined;
  if (exp - (issuedAt ?? Number.NEGATIVE_INFINITY) > rules.maxLifetime + rules.clockTolerance) return 'lifetime';

  const sub = own(payload, 'sub');
  if (sub === undefined ? strict : !isText(sub)) return 'sub';
  const jti = own(payload, 'jti');
  if (strict && !isText(jti)) return 'jti';
  const clientId = clientOf(payload, rules.profile);
  if (!isClientId(clientId) || (rules.ownIssuer && clientId !== sub)) return 'client_id';

  // A token with `cnf` is accepted only if the client proves possession of the key (RFC 7800 §3.1). A `cnf` that cannot
  // be read is refused, because nobody could check the proof.
  const isBound = Object.hasOwn(payload, 'cnf');
  const boundKeys = isBound ? rules.confirmation?.readBoundKeys(payload.cnf) : undefined;
  if (isBound && boundKeys === undefined) return 'cnf';
  // `authorization_details` may limit a token more than its scopes do (RFC 9396 section 9). keyward cannot enforce
  // these limits, so it refuses the token unless the developer chose to ignore them.
  if (Object.hasOwn(payload, 'authorization_details') && !rules.ignoresAuthorizationDetails) {
    return 'authorization_details';
  }

  const scopes = scopesOf(payload);
  return scopes === undefined
    ? 'scope'
    : {
        clientId,
        scopes,
        expiresAt: exp,
        issuedAt,
        tokenId: isText(jti) ? jti : undefined,
        tokensNotBefore: tokensNotBeforeOf(payload),
        boundKeys,
      };
}

/**
 * Returns `exp`; `Infinity` if an introspection response has no `exp`; `undefined` if `exp` is missing or invalid
 * otherwise.
 */
function expiryOf(payload: JsonObject, { isIntrospected }: ClaimRules): number | undefined {
  const exp = own(payload, 'exp');
  if (isNumericDate(exp)) return exp;
  return isIntrospected && exp === undefined ? Number.POSITIVE_INFINITY : undefined;
}

function tokensNotBeforeOf(payload: JsonObject): number | undefined {
  const time = own(payload, 'tokens_not_before');
  return isNumericDate(time) ? Math.round(time * 1_000) : undefined;
}

function isAudience(aud: unknown, audiences: readonly string[]): boolean {
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  return named.every((name) => typeof name === 'string') && named.some((name) => audiences.includes(name));
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TEXT;
}

/**
 * Whether a value is a client ID. Only printable ASCII is allowed (RFC 6749 Appendix A.1), because a line break could
 * forge an entry in a log.
 */
function isClientId(value: unknown): value is string {
  return isText(value) && VSCHARS.test(value);
}

/**
 * Returns the client ID: the claim `client_id`. Issuers that do not follow RFC 9068 (profile `jwt`) may use `azp`
 * instead (OpenID Connect, Entra), or only `sub`.
 */
function clientOf(payload: JsonObject, profile: TokenProfile): unknown {
  const clientId = own(payload, 'client_id');
  if (profile === 'rfc9068' || clientId !== undefined) return clientId;
  return own(payload, 'azp') ?? own(payload, 'sub');
}

/**
 * Returns the scopes of a token; none if it has no such claim, and `undefined` if the claim is invalid. RFC 9068 §2.2.3
 * requires `scope` as one string. Duende and Checkout.com write it as a list; Entra and Okta name it `scp`.
 */
function scopesOf(payload: JsonObject): readonly string[] | undefined {
  const scope = Object.hasOwn(payload, 'scope') ? payload.scope : own(payload, 'scp');
  if (scope === undefined) return [];
  if (typeof scope === 'string') return parseScope(scope);
  return Array.isArray(scope) && scope.every(isScopeToken) ? [...new Set(scope)] : undefined;
}
