import { KINDS, type Kind } from '../../credentials/credential-kind.js';
import { namesOf } from '../../options/options.js';
import { defineGuard, type Guard } from './guard.js';

/**
 * Lets a request pass if its credential has one of the given kinds (docs/spec.md §2).
 *
 * @param kinds - One or more of `'secret'` and `'public'` (API keys), and `'access'` (access tokens).
 * @throws TypeError if no kind is given, or if a kind is unknown.
 * @example
 * ```ts
 * import { requireKeyKind } from 'keyward';
 *
 * const serversOnly = requireKeyKind('secret', 'access');
 * ```
 */
export function requireKeyKind(...kinds: readonly Kind[]): Guard {
  const named = namesOf('requireKeyKind', kinds, KINDS);
  return defineGuard({
    name: `requireKeyKind(${named.join(', ')})`,
    kinds: named,
    check: (principal) => named.includes(principal.kind) || { reason: 'kind' },
  });
}
