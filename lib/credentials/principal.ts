/** Who a credential proved to be, and what it reaches. */
import type { JsonObject } from '../protocol/json-object.js';
import { type ApiMap, scopePrefixes } from './api-map.js';
import type { Environment, KeyKind } from './kind.js';

/**
 * Who called: frozen, made once when its credential was first verified, and shared by every request that presents it.
 * It holds no credential.
 */
export type Principal = KeyPrincipal | AccessPrincipal;

/** Who presented an API key. */
export interface KeyPrincipal {
  readonly kind: KeyKind;
  /** The record's id: fit for logs and for rate limits. */
  readonly keyId: string;
  readonly account: string;
  readonly environment: Environment;
  readonly apis: 'all' | readonly string[];
  /** `'all'`: every scope of its APIs. */
  readonly scopes: 'all' | readonly string[];
  readonly channels: 'all' | readonly string[];
  /** The e-commerce platform that the key is used on; then it has exactly one channel. */
  readonly platform: string | undefined;
  /** When it ends, in seconds since 1970; `undefined` where it does not. */
  readonly expiresAt: number | undefined;
  /** It was rolled: when the text that was presented stops being taken, in seconds since 1970; else `undefined`. */
  readonly keyRetiresAt: number | undefined;
}

/** Who presented an access token. */
export interface AccessPrincipal {
  readonly kind: 'access';
  /** The access key's Identifier: the same as `clientId`. */
  readonly keyId: string;
  readonly clientId: string;
  /** The access key's account; `undefined` where `accessTokens` has no `accessKeys` to ask. */
  readonly account: string | undefined;
  readonly environment: Environment | undefined;
  /** The APIs that its scopes belong to. */
  readonly apis: readonly string[];
  /** The scopes granted; less those that the access key has lost since. */
  readonly scopes: readonly string[];
  readonly channels: 'all' | readonly string[];
  readonly platform: string | undefined;
  /** The token's `exp`, in seconds since 1970. */
  readonly expiresAt: number;
  /** The token's claims: those that it was believed by with their types, any other as `unknown`. */
  readonly payload: TokenPayload;
  /** The token's JOSE header. */
  readonly header: JsonObject;
}

/**
 * The claims of a verified token (RFC 9068 §2.2, RFC 7519 §4.1), in the form that was checked before it was believed.
 * `profile: 'rfc9068'` asks for all of them but `nbf` and `scope`; `profile: 'jwt'` for `iss`, `aud` and `exp` alone.
 */
export interface TokenPayload extends JsonObject {
  readonly iss?: string | undefined;
  readonly sub?: string | undefined;
  readonly aud?: string | readonly string[] | undefined;
  /** Seconds since 1970, perhaps with a fraction; so are `iat` and `nbf`. */
  readonly exp?: number | undefined;
  readonly iat?: number | undefined;
  readonly nbf?: number | undefined;
  /** A text by `profile: 'rfc9068'`; by `'jwt'` whatever the issuer wrote. */
  readonly jti?: unknown;
  readonly client_id?: string | undefined;
  /** As the issuer wrote it; `scopes` of the principal is a list always. */
  readonly scope?: string | readonly string[] | undefined;
}

// Kept off the principal's visible properties: it is a rule of the platform, not a fact about the caller.
const API_MAP = Symbol('keyward.apiMap');

/** Finishes a principal: freezes it and its lists, and keeps the platform's own API map with it. */
export function sealPrincipal<P extends Principal>(principal: P, apis: ApiMap = scopePrefixes): P {
  if (apis !== scopePrefixes) Object.defineProperty(principal, API_MAP, { value: apis });
  for (const list of [principal.apis, principal.scopes, principal.channels]) Object.freeze(list);
  return Object.freeze(principal);
}

/** Whether a principal's API set names an API. */
export function reachesApi(principal: Principal, api: string): boolean {
  return principal.apis === 'all' || principal.apis.includes(api);
}

/** Whether a principal holds a scope: by name, or as one of the scopes of its APIs. */
export function holdsScope(principal: Principal, scope: string): boolean {
  if (principal.scopes !== 'all') return principal.scopes.includes(scope);
  return apiMapOf(principal)
    .apisOf(scope)
    .some((api) => reachesApi(principal, api));
}

/** Whether a principal may act through a channel. */
export function reachesChannel(principal: Principal, channel: string): boolean {
  return principal.channels === 'all' || principal.channels.includes(channel);
}

function apiMapOf(principal: Principal & { readonly [API_MAP]?: ApiMap }): ApiMap {
  return principal[API_MAP] ?? scopePrefixes;
}
