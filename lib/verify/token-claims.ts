/** The claims of an access token (RFC 9068 §2.2 and §4, RFC 7519 §4.1). */
import { type JsonObject, own } from '../protocol/json-object.js';
import { isScopeToken, parseScope } from '../protocol/scope.js';
import type { TokenProfile } from './token-header.js';

/** What a token must say to be taken. */
export interface ClaimRules {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly profile: TokenProfile;
  /** Seconds that `iat` and `nbf` may lie ahead. */
  readonly clockTolerance: number;
  /** Seconds from `iat` to `exp` that are believed. */
  readonly maxLifetime: number;
  /** Whether the token is of an issuer whose access keys we hold: there `sub` is the client. */
  readonly ownIssuer: boolean;
}

/** The claims that the rest of the house reads. */
export interface TokenClaims {
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Seconds since 1970. */
  readonly expiresAt: number;
  /** Seconds since 1970; `undefined` where a foreign token does not say. */
  readonly issuedAt: number | undefined;
}

/** From here on a time was meant in milliseconds (in seconds it is the year 5138). */
const MILLISECONDS = 1e11;

const MAX_TEXT = 1_024;
const VSCHARS = /^[\x20-\x7E]+$/;

/**
 * Checks the claims of a token.
 *
 * @param now - Milliseconds since 1970.
 * @returns The claims, or the name of the one for which the token is refused.
 */
export function readTokenClaims(payload: JsonObject, rules: ClaimRules, now: number): TokenClaims | string {
  const strict = rules.profile === 'rfc9068';
  const seconds = now / 1_000;
  const latest = seconds + rules.clockTolerance;

  if (own(payload, 'iss') !== rules.issuer) return 'iss';
  if (!isAudience(own(payload, 'aud'), rules.audiences)) return 'aud';

  const exp = own(payload, 'exp');
  if (!isTime(exp)) return 'exp';
  if (exp <= seconds) return 'expired';
  const iat = own(payload, 'iat');
  if (iat === undefined ? strict : !isTime(iat) || iat > latest || iat > exp) return 'iat';
  const nbf = own(payload, 'nbf');
  if (nbf !== undefined && (!isTime(nbf) || nbf > latest)) return 'nbf';
  const issuedAt = iat as number | undefined;
  if (exp - (issuedAt ?? Number.NEGATIVE_INFINITY) > rules.maxLifetime + rules.clockTolerance) return 'lifetime';

  const sub = own(payload, 'sub');
  if (sub === undefined ? strict : !isText(sub)) return 'sub';
  if (strict && !isText(own(payload, 'jti'))) return 'jti';
  const clientId = clientOf(payload, rules.profile);
  if (!isClientId(clientId) || (rules.ownIssuer && clientId !== sub)) return 'client_id';

  const scopes = scopesOf(payload);
  return scopes === undefined ? 'scope' : { clientId, scopes, expiresAt: exp, issuedAt };
}

function isAudience(aud: unknown, audiences: readonly string[]): boolean {
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  return named.every((name) => typeof name === 'string') && named.some((name) => audiences.includes(name));
}

/** RFC 7519 §2, NumericDate: it may have a fraction; JSON's 1e400 reads as Infinity. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < MILLISECONDS;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TEXT;
}

/** RFC 6749 Appendix A.1: printable ASCII. It goes into logs. */
function isClientId(value: unknown): value is string {
  return isText(value) && VSCHARS.test(value);
}

/** Foreign issuers name the client in `client_id`, `azp` (OpenID Connect, Entra) or only as the subject. */
function clientOf(payload: JsonObject, profile: TokenProfile): unknown {
  const clientId = own(payload, 'client_id');
  if (profile === 'rfc9068' || clientId !== undefined) return clientId;
  return own(payload, 'azp') ?? own(payload, 'sub');
}

/** RFC 9068 §2.2.3: `scope`, one text. Duende and Checkout.com write a list; Entra and Okta call it `scp`. */
function scopesOf(payload: JsonObject): readonly string[] | undefined {
  const scope = Object.hasOwn(payload, 'scope') ? payload.scope : own(payload, 'scp');
  if (scope === undefined) return [];
  if (typeof scope === 'string') return parseScope(scope);
  return Array.isArray(scope) && scope.every(isScopeToken) ? [...new Set(scope)] : undefined;
}
