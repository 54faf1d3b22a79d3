import { holdsScope } from '../../credentials/principal.js';
import { namesOf } from '../../options/options.js';
import { isScopeToken, SCOPE_CHARACTERS } from '../../protocol/scope.js';
import { defineGuard, type Guard } from './guard.js';

/**
 * Lets a request pass if its principal has all of the given scopes. Otherwise the challenge names these scopes (RFC
 * 6750 section 3.1).
 *
 * @param scopes - Scope-tokens. They are compared exactly: a principal with `payments` does not have `payments:refund`.
 * @throws TypeError if no scope is given, or if a scope is not a scope-token (RFC 6749 section 3.3).
 * @example
 * ```ts
 * import { requireScopes } from 'keyward';
 *
 * const mayRefund = requireScopes('payments', 'payments:refund');
 * ```
 */
export function requireScopes(...scopes: readonly string[]): Guard {
  const names = namesOf('requireScopes', scopes);
  if (!names.every(isScopeToken)) {
    throw new TypeError(`requireScopes: a scope consists of ${SCOPE_CHARACTERS} (RFC 6749 section 3.3)`);
  }
  const refusal = Object.freeze({ scopes: names, reason: 'scope' });
  // A copy that is not frozen, because V8 iterates over a frozen list several times slower.
  const needed = [...names];
  return defineGuard({
    name: `requireScopes(${names.join(', ')})`,
    scopes: names,
    check(principal) {
      for (const scope of needed) if (!holdsScope(principal, scope)) return refusal;
      return true;
    },
  });
}
