/** The types of principals. A principal is the identity that a verified credential gives to a request. */
import type { JsonObject } from '../protocol/strict-json.js';
import { type ApiMap, scopePrefixes } from './api-map.js';
import type { KeyKind } from './credential-kind.js';
import type { Environment } from './environment.js';
import type { RateLimit } from './rate-limit.js';

/**
 * Identifies who sent a request. A verifier creates it from a valid credential. It is frozen, because requests with the
 * same credential share it while it is cached. It does not contain the credential.
 */
export type Principal = KeyPrincipal | AccessPrincipal;

/** The principal of an API key. `K` is the kinds of keys that its verifier accepts. */
export interface KeyPrincipal<K extends KeyKind = KeyKind> {
  readonly kind: K;
  /** The id of the record, for logs and rate limits. */
  readonly keyId: string;
  readonly account: string;
  readonly environment: Environment;
  readonly apis: 'all' | readonly string[];
  /**
   * The scopes that the record lists and the scopes that they imply, as far as they belong to `apis`. `'all'` means
   * every scope of the APIs in `apis`.
   */
  readonly scopes: 'all' | readonly string[];
  /**
   * Those of `scopes` that the record itself lists, without the implied ones. It is set only if `scopes` also contains
   * implied scopes; otherwise `undefined`.
   */
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
   * When the key stops being valid, in seconds since 1970: its expiry, the end of its grace period or a planned
   * revocation, whichever comes first. `undefined` if no end is planned.
   */
  readonly expiresAt: number | undefined;
  /**
   * If an old secret of a rotated key was presented, when this secret stops being accepted, in seconds since 1970. It
   * is the same time as `expiresAt`. `undefined` for the current secret.
   */
  readonly keyAcceptedUntil: number | undefined;
  /**
   * The option `apis` of `apiKeys`, if it was set. It determines which scopes `'all'` includes. It is an ordinary
   * property so that a copy of the principal, such as `{ ...principal }`, includes the same scopes.
   */
  readonly apiMap?: ApiMap | undefined;
  /** Always absent: an API key is not bound to a client, so there is no proof of possession. */
  readonly confirmation?: undefined;
}

/**
 * How the client proved that it owns its access token: `'dpop'` by a key pair, `'mtls'` by a certificate. For a token
 * that is bound to both, the client must prove both, and the value is `'dpop'`.
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
   * The account of the access key. `undefined` if the verifier has no record of the access key: with
   * `introspectedTokens`, and with `accessTokens` without the option `accessKeys`.
   */
  readonly account: A;
  /**
   * The environment of the access key. If the verifier has no record of the access key, the option `environment` of the
   * verifier; `undefined` if that is not set either.
   */
  readonly environment: Environment | undefined;
  /** The APIs to which the scopes belong. */
  readonly apis: readonly string[];
  /**
   * The scopes that the token was granted and the scopes that they imply. Scopes that the access key no longer has are
   * left out.
   */
  readonly scopes: readonly string[];
  /**
   * The scopes that the token itself lists, without implied scopes. If there is a record of the access key, it must
   * list them too. `undefined` if `scopes` contains no other scopes.
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
   * How the client proved on this request that it owns the token: with a DPoP proof (RFC 9449) or with its TLS
   * certificate (RFC 8705). `undefined` for a Bearer token that is not bound to a client.
   */
  readonly confirmation?: ConfirmationMethod | undefined;
  /**
   * The claims of the token. Claims that keyward validates have their types, all others are `unknown`. With
   * `introspectedTokens`, this is the introspection response.
   */
  readonly payload: TokenPayload;
  /** The token's JOSE header; empty with `introspectedTokens`. */
  readonly header: JsonObject;
}

/**
 * The claims of a verified token (RFC 9068 section 2.2, RFC 7519 section 4.1), with the types that were validated. With
 * `profile: 'rfc9068'`, all of them except `nbf` and `scope` are present. With `profile: 'jwt'`, only `iss`, `aud`,
 * `exp` and one of `client_id`, `azp` and `sub` are certain. An introspection response may also lack `iss` and `exp`,
 * and with `audience: false` also `aud`.
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
   * The claim `scope` as it is in the token; `undefined` if the token has `scp` instead. In `scopes` of the principal,
   * the scopes are always a list.
   */
  readonly scope?: string | readonly string[] | undefined;
}

/** Freezes a principal and its lists, because several requests share them: no request may change what others see. */
export function freezePrincipal<P extends Principal>(principal: P): P {
  const { apis, scopes, listedScopes, channels, metadata, allowedAddresses, limits } = principal;
  for (const part of [apis, scopes, listedScopes, channels, metadata, allowedAddresses, limits]) Object.freeze(part);
  return Object.freeze(principal);
}

/** Checks whether a principal may use an API. */
export function reachesApi(principal: Principal, api: string): boolean {
  return principal.apis === 'all' || principal.apis.includes(api);
}

/**
 * Checks whether a principal has a scope: because the scope is listed, or because the principal has every scope of its
 * APIs.
 */
export function holdsScope(principal: Principal, scope: string): boolean {
  if (principal.scopes !== 'all') return principal.scopes.includes(scope);
  const { apiMap = scopePrefixes } = principal as Partial<KeyPrincipal>;
  for (const api of apiMap.apisOf(scope)) if (reachesApi(principal, api)) return true;
  return false;
}

/** Returns the scopes that the credential itself lists, without implied scopes. For `'all'`, the list is empty. */
export function listedScopesOf({ scopes, listedScopes }: Principal): readonly string[] {
  if (scopes === 'all') return [];
  return listedScopes === undefined ? scopes : scopes.filter((scope) => listedScopes.includes(scope));
}

/** Checks whether a principal may use a channel. */
export function reachesChannel(principal: Principal, channel: string): boolean {
  return principal.channels === 'all' || principal.channels.includes(channel);
}
