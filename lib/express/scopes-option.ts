import type { Option } from '../options/option-table.js';
import { isScopeToken, SCOPE_CHARACTERS } from '../protocol/scope.js';

/** An option whose value is a list of one or more scopes. */
export const scopeTokens: Option<readonly string[]> = (options, name) => {
  const given = options.raw(name);
  const scopes: unknown[] = Array.isArray(given) ? [...given] : [];
  if (scopes.length > 0 && scopes.every(isScopeToken)) return Object.freeze(scopes);
  throw options.wrongList(
    name,
    `a list of one or more scopes that consist of ${SCOPE_CHARACTERS} (RFC 6749 section 3.3)`,
  );
};
