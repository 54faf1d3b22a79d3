/** Which scopes belong to which API. */
import { isScopeToken } from '../protocol/scope.js';

/** Tells the APIs that a scope belongs to. Make one with `apiMap`. */
export interface ApiMap {
  apisOf(scope: string): readonly string[];
}

/** Where nothing else is said, a scope belongs to the API that its text names before the first colon. */
export const scopePrefixes: ApiMap = Object.freeze({
  apisOf(scope: string): readonly string[] {
    const colon = scope.indexOf(':');
    return [colon === -1 ? scope : scope.slice(0, colon)];
  },
});

/**
 * Says which scopes belong to which API, for scopes that are not named `api` or `api:action`.
 *
 * @param scopesByApi - For each API its scopes: `{ payments: ['gateway', 'gateway:payment'] }`. A scope may belong to
 *   several APIs; one that is not listed belongs to none.
 * @throws TypeError where an API has no name or no scope, or a scope is no scope-token (RFC 6749 §3.3).
 */
export function apiMap(scopesByApi: Readonly<Record<string, readonly string[]>>): ApiMap {
  if (typeof scopesByApi !== 'object' || scopesByApi === null || Array.isArray(scopesByApi)) {
    throw new TypeError('apiMap: expected an object that lists the scopes of each API');
  }
  const apisByScope = new Map<string, string[]>();
  for (const [api, scopes] of Object.entries(scopesByApi)) {
    if (api === '') throw new TypeError('apiMap: an API must have a name');
    if (!Array.isArray(scopes) || scopes.length === 0 || ![...scopes].every(isScopeToken)) {
      throw new TypeError(`apiMap: "${api}" must list one scope-token or more (RFC 6749 section 3.3)`);
    }
    for (const scope of new Set(scopes)) apisByScope.set(scope, [...(apisByScope.get(scope) ?? []), api]);
  }
  if (apisByScope.size === 0) throw new TypeError('apiMap: expected one API or more');
  const none: readonly string[] = [];
  return Object.freeze({ apisOf: (scope: string) => apisByScope.get(scope) ?? none });
}
