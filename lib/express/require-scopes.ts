import { holdsScope } from '../credentials/principal.js';
import { namesOf } from '../options/options.js';
import { isScopeToken } from '../protocol/scope.js';
import { defineGuard, type Guard } from './guard.js';

/**
 * Lets a request pass whose principal holds every one of the scopes. A refusal names them (RFC 6750 §3.1).
 *
 * @param scopes - Scope-tokens, matched exactly: `payments` does not hold `payments:refund`, nor the reverse.
 * @throws TypeError where no scope is given, or one is no scope-token (RFC 6749 §3.3).
 */
export function requireScopes(...scopes: readonly string[]): Guard {
  const names = namesOf('requireScopes', scopes);
  if (!names.every(isScopeToken)) {
    throw new TypeError('requireScopes: each name must be a scope-token (RFC 6749 section 3.3)');
  }
  const refusal = Object.freeze({ scopes: names, reason: 'scope' });
  // Not frozen: V8 walks a frozen list several times slower.
  const needed = [...names];
  return defineGuard({
    name: `requireScopes(${names.join(', ')})`,
    check: (principal) => needed.every((scope) => holdsScope(principal, scope)) || refusal,
  });
}
