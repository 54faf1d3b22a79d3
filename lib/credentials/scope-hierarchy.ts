/**
 * Scopes that imply other scopes: `files:write`, for example, implies `files:read`. When the app starts,
 * `resolveImplies` finds all scopes that each scope implies. When a principal is created, `withImplied` adds them to
 * its scopes.
 */
import { kindOf } from '../options/options.js';
import { isScopeToken, SCOPE_CHARACTERS } from '../protocol/scope.js';

/**
 * Maps each scope to all scopes that it implies, directly or through another scope. The scope itself is not among them.
 */
export type ImpliedScopes = ReadonlyMap<string, readonly string[]>;

/**
 * Validates the option `implies` of `apiMap`, and finds all scopes that each scope implies.
 *
 * @param isListed - Tells whether an API of the map lists a scope.
 * @throws TypeError if `implies` does not map scopes to lists of scopes, names a scope that is not listed, or has a
 *   cycle.
 */
export function resolveImplies(implies: unknown, isListed: (scope: string) => boolean): ImpliedScopes {
  if (typeof implies !== 'object' || implies === null || Array.isArray(implies)) {
    throw new TypeError(
      `apiMap: option "implies" must be an object that maps a scope to a list of the scopes that it implies, got ${kindOf(implies)}`,
    );
  }
  const direct = new Map<string, readonly string[]>();
  for (const [scope, narrower] of Object.entries(implies)) {
    if (!Array.isArray(narrower) || narrower.length === 0 || ![...narrower].every(isScopeToken)) {
      throw new TypeError(
        `apiMap: option "implies" must map "${scope}" to a list of one or more scopes that consist of ${SCOPE_CHARACTERS}`,
      );
    }
    const unlisted = [scope, ...narrower].find((name) => !isListed(name));
    if (unlisted !== undefined) {
      throw new TypeError(
        `apiMap: option "implies" names "${unlisted}", which no API lists; add it to the scopes of an API`,
      );
    }
    direct.set(scope, [...narrower]);
  }
  return new Map([...direct.keys()].map((scope) => [scope, impliedBy(scope, direct)]));
}

/**
 * The only method of `ApiMap` that this file needs. An import of `ApiMap` would create a cycle, because api-map.ts
 * imports this file.
 */
interface ScopeHierarchy {
  implied?(scope: string): readonly string[];
}

/** Returns the scopes, followed by the scopes that they imply. If they imply no scopes, it returns the same list. */
export function withImplied(scopes: readonly string[], apis: ScopeHierarchy): readonly string[] {
  if (apis.implied === undefined) return scopes;
  const further = scopes.flatMap((scope) => apis.implied?.(scope) ?? []);
  return further.length === 0 ? scopes : [...new Set([...scopes, ...further])];
}

function impliedBy(scope: string, direct: ImpliedScopes): readonly string[] {
  const found = new Set<string>();
  const open = [...(direct.get(scope) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === scope) throw new TypeError(`apiMap: option "implies" has a cycle: "${scope}" implies itself`);
    if (found.has(next)) continue;
    found.add(next);
    open.push(...(direct.get(next) ?? []));
  }
  return Object.freeze([...found]);
}
