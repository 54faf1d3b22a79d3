/** The principal of a verified credential. */
import type { JsonObject } from '../protocol/strict-json.js';
import { type ApiMap, scopePrefixes } from './api-map.js';
import type { KeyKind } from './credential-kind.js';
import type { Environment } from './environment.js';
import type { RateLimit } from './rate-limit.js';

/**
 * Identifies who sent a request. It is created when a credential is verified, frozen, and shared by the requests with
 * that credential while it is cached. It does not contain the credential.
 */
export type Principal = KeyPrincipal | AccessPrincipal;

/** The principal of an API key. `K` is the type of the kinds that its verifier accepts. */
export interface KeyPrincipal<K extends KeyKind = KeyKind> {
  readonly kind: K;
  /** The id of the record, for logs and rate limits. */
  readonly keyId: string;
  readonly account: string;
  readonly environment: Environment;
  readonly apis: 'all' | readonly string[];
  /**
   * The scopes: those that the record lists and those that they imply, within `apis`. `'all'` means every scope of its
   * APIs.
   */
  readonly scopes: 'all' | readonly string[];
  /** The scopes that the record lists, if `scopes` has implied ones too; otherwise `undefined`. */
  readonly listedScopes?: readonly string[] | undefined;
  /** The processing channels of the payment platform that the key may use (docs/spec.md §2.1, rule 3). */
  readonly channels: 'all' | readonly string[];
  /** The e-commerce platform of the key. A key with a platform has exactly one channel. */
  readonly platform: string | undefined;
  /** Custom data from the record, set when the key was created or edited; `undefined` if there is none. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** The addresses and networks from which the key may be used, checked on every request; `undefined` means any. */
  readonly allowedAddresses?: readonly string[] | undefined;
  /** The request limits of the key, from the record; `undefined` means the default of `requireRateLimit`. */
  readonly limits?: readonly RateLimit[] | undefined;
  /**
   * When the key ends: it expires, its grace period ends, or a planned revocation takes effect. In seconds since 1970;
   * `undefined` if no end is planned.
   */
  readonly expiresAt: number | undefined;
  /**
   * The same time as `expiresAt` if an old secret of a rotated key was presented: when the grace period ends, or the
   * key if that is earlier. `undefined` for a current secret.
   */
  readonly keyAcceptedUntil: number | undefined;
  /**
   * The option `apis` of `apiKeys`, if it was set. It determines which scopes `'all'` includes. It is an ordinary
   * property, so that a copy of the principal has the same scopes.
   */
  readonly apiMap?: ApiMap | undefined;
  /** Always absent: anyone who has a key can use it, so there is no proof of possession. */
  readonly confirmation?: undefined;
}

/**
 * How possession was proven: `'dpop'` by a key pair, `'mtls'` by a certificate. For a token that is bound to both, both
 * were proven, and the value is `'dpop'`.
 */
export type ConfirmationMethod = (typeof CONFIRMATION_METHODS)[number];

/** Every `ConfirmationMethod`. */
export const CONFIRMATION_METHODS = ['dpop', 'mtls'] as const;

/** The principal of an access token. `A` is `string` if the verifier has the option `accessKeys`. */
export interface AccessPrincipal<A extends string | undefined = string | undefined> {
  readonly kind: 'access';
  /** The ID of the access key, the same as `clientId`. */
  readonly keyId: string;
  readonly clientId: string;
  /**
   * The account of the access key; `undefined` if the verifier has no record of the access key, as
   * `accessTokens` without `accessKeys`, and `introspectedTokens`.
   */
  readonly account: A;
  /**
   * The environment of the access key, otherwise the option `environment` of the verifier; `undefined` if there is
   * neither.
   */
  readonly environment: Environment | undefined;
  /** The APIs to which the scopes belong. */
  readonly apis: readonly string[];
  /**
   * The granted scopes and those that they imply, without those that the access key has lost since the token was
   * issued.
   */
  readonly scopes: readonly string[];
  /**
   * The scopes that the token lists itself, and the record of its access key too, if there is one; implied scopes are
   * left out. `undefined` if `scopes` is the same list.
   */
  readonly listedScopes?: readonly string[] | undefined;
  /**
   * The processing channels of the payment platform that the access key may use; `'all'` if the verifier has no record
   * of the access key, as with `introspectedTokens`.
   */
  readonly channels: 'all' | readonly string[];
  /** The e-commerce platform of the access key. An access key with a platform has exactly one channel. */
  readonly platform: string | undefined;
  /** Custom data from the record of the access key; `undefined` if there is none. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /**
   * The addresses and networks from which the token may be used, from the access key's record; `undefined` means any.
   */
  readonly allowedAddresses?: readonly string[] | undefined;
  /**
   * The request limits of the client, from the access key's record; `undefined` means the default of
   * `requireRateLimit`.
   */
  readonly limits?: readonly RateLimit[] | undefined;
  /** The token's `exp`, in seconds since 1970; `Infinity` if an introspection response has none. */
  readonly expiresAt: number;
  /**
   * How the client proved on this request that it owns the token: by a DPoP proof (RFC 9449) or by its TLS certificate
   * (RFC 8705). `undefined` for a Bearer token.
   */
  readonly confirmation?: ConfirmationMethod | undefined;
  /**
   * The claims of the token. Validated claims have their types, all others are `unknown`. With `introspectedTokens`,
   * this is the introspection response.
   */
  readonly payload: TokenPayload;
  /** The token's JOSE header; empty with `introspectedTokens`. */
  readonly header: JsonObject;
}

/**
 * The claims of a verified token (RFC 9068 section 2.2, RFC 7519 section 4.1), with the types that were validated.
 * `profile: 'rfc9068'` requires all of them except `nbf` and `scope`; `profile: 'jwt'` requires only `iss`, `aud`,
 * `exp` and one of `client_id`, `azp` and `sub`. An introspection response may also lack `iss` and `exp`, and `aud`
 * with `audience: false`.
 */
export interface TokenPayload extends JsonObject {
  readonly iss?: string | undefined;
  readonly sub?: string | undefined;
  readonly aud?: string | readonly string[] | undefined;
  /** The expiry in seconds since 1970, possibly with a fraction. `iat` and `nbf` have the same form. */
  readonly exp?: number | undefined;
  readonly iat?: number | undefined;
  readonly nbf?: number | undefined;
  /** A string with `profile: 'rfc9068'`; any value with `'jwt'`, and with `introspectedTokens`. */
  readonly jti?: unknown;
  readonly client_id?: string | undefined;
  /**
   * The scopes in the form that the token has; if the token has `scp` instead, `undefined`. `scopes` of the principal
   * is always a list.
   */
  readonly scope?: string | readonly string[] | undefined;
}

/** Freezes a principal and its lists, because requests share them. */
export function freezePrincipal<P extends Principal>(principal: P): P {
  const { apis, scopes, listedScopes, channels, metadata, allowedAddresses, limits } = principal;
  for (const part of [apis, scopes, listedScopes, channels, metadata, allowedAddresses, limits]) Object.freeze(part);
  return Object.freeze(principal);
}

/** Checks whether a principal may use an API. */
export function reachesApi(principal: Principal, api: string): boolean {
  return principal.apis === 'all' || principal.apis.includes(api);
}

/** Checks whether a principal has a scope, by name or because it has all scopes of an API. */
export function holdsScope(principal: Principal, scope: string): boolean {
  if (principal.scopes !== 'all') return principal.scopes.includes(scope);
  const { apiMap = scopePrefixes } = principal as Partial<KeyPrincipal>;
  for (const api of apiMap.apisOf(scope)) if (reachesApi(principal, api)) return true;
  return false;
}

/** Returns the scopes that the credential itself lists, without implied ones; none for `'all'`. */
export function listedScopesOf({ scopes, listedScopes }: Principal): readonly string[] {
  if (scopes === 'all') return [];
  return listedScopes === undefined ? scopes : scopes.filter((scope) => listedScopes.includes(scope));
}

/** Checks whether a principal may use a channel. */
export function reachesChannel(principal: Principal, channel: string): boolean {
  return principal.channels === 'all' || principal.channels.includes(channel);
}
