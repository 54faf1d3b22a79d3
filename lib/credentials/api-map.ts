/** Maps each scope to the APIs that it belongs to, and to the scopes that it implies. */
import { anything, type OptionTable, readTable } from '../options/option-table.js';
import { isScopeToken, SCOPE_CHARACTERS } from '../protocol/scope.js';
import { resolveImplies } from './scope-hierarchy.js';

/** Maps each scope to its APIs, and to the scopes that it implies. Create it with `apiMap`. */
export interface ApiMap {
  /** Returns the APIs to which a scope belongs; an empty list if there is none. */
  apisOf(scope: string): readonly string[];
  /**
   * Returns all scopes that a scope implies, directly or through another one, without the scope itself. If absent, no
   * scope implies another.
   */
  implied?(scope: string): readonly string[];
}

/** Options of `apiMap`. */
export interface ApiMapOptions {
  /**
   * For each broad scope, the narrower scopes that it implies: `{ 'files:write': ['files:read'] }`. A credential with
   * the broad scope also has the narrower scopes, and the scopes that they imply in turn. A key never gets an implied
   * scope of an API that its record does not list. All these scopes must be in the map. `memberByScopes()` ignores
   * implied scopes. Default: no scope implies another.
   */
  readonly implies?: Readonly<Record<string, readonly string[]>> | undefined;
}

const OPTIONS = { implies: anything } satisfies OptionTable<ApiMapOptions>;

/** The default map: a scope belongs to the API that is named before its first colon. */
export const scopePrefixes: ApiMap = Object.freeze({
  apisOf(scope: string): readonly string[] {
    const colon = scope.indexOf(':');
    return [colon === -1 ? scope : scope.slice(0, colon)];
  },
});

/**
 * Creates a map of APIs and their scopes. You need it if your scopes do not have the form `api` or `api:action`, or if
 * a scope implies another.
 *
 * @param scopesByApi - The scopes of each API: `{ payments: ['gateway', 'gateway:payment'] }`. A scope may belong to
 *   several APIs; a scope that is not listed belongs to none.
 * @param options - `implies`: with `{ 'files:write': ['files:read'] }`, a credential with `files:write` also has
 *   `files:read`, and the scopes that `files:read` implies. An implied scope never gives a key access to an API that
 *   its record does not list.
 * @throws TypeError if an API has no name or no scope, or a scope is not a scope-token (RFC 6749 section 3.3); if
 *   `implies` names a scope that is not listed, or has a cycle; for an unknown option.
 * @example
 * ```ts
 * import { accessTokens, apiMap } from 'keyward';
 *
 * const tokens = accessTokens({
 *   issuer: 'https://auth.example.com',
 *   audience: 'https://api.example.com',
 *   apis: apiMap({ files: ['files:read', 'files:write'] }, { implies: { 'files:write': ['files:read'] } }),
 * });
 * ```
 */
export function apiMap(scopesByApi: Readonly<Record<string, readonly string[]>>, options: ApiMapOptions = {}): ApiMap {
  const { implies } = readTable('apiMap', options, OPTIONS);
  if (typeof scopesByApi !== 'object' || scopesByApi === null || Array.isArray(scopesByApi)) {
    throw new TypeError('apiMap: expected an object that lists the scopes of each API');
  }
  const apisByScope = new Map<string, string[]>();
  for (const [api, scopes] of Object.entries(scopesByApi)) {
    if (api === '') throw new TypeError('apiMap: the name of an API must not be empty');
    if (!Array.isArray(scopes) || scopes.length === 0 || ![...scopes].every(isScopeToken)) {
      throw new TypeError(
        `apiMap: API "${api}" must list one or more scopes that consist of ${SCOPE_CHARACTERS} (RFC 6749 section 3.3)`,
      );
    }
    for (const scope of new Set(scopes)) apisByScope.set(scope, [...(apisByScope.get(scope) ?? []), api]);
  }
  if (apisByScope.size === 0) throw new TypeError('apiMap: expected an object with at least one API');
  const none: readonly string[] = [];
  const apisOf = (scope: string) => apisByScope.get(scope) ?? none;
  if (implies === undefined) return Object.freeze({ apisOf });
  const implied = resolveImplies(implies, (scope) => apisByScope.has(scope));
  return Object.freeze({ apisOf, implied: (scope: string) => implied.get(scope) ?? none });
}
