import { reachesApi } from '../credentials/principal.js';
import { namesOf } from '../options/options.js';
import { defineGuard, type Guard } from './guard.js';

/**
 * Lets a request pass whose principal reaches every one of the APIs (spec section 2.1, rule 2: a key limited to one API
 * has no access to the others).
 *
 * @param apis - Names, matched exactly; `*` is no wildcard.
 * @throws TypeError where no name is given, or one is empty.
 */
export function requireApi(...apis: readonly string[]): Guard {
  // A copy that is not frozen: V8 walks a frozen list several times slower.
  const names = [...namesOf('requireApi', apis)];
  return defineGuard({
    name: `requireApi(${names.join(', ')})`,
    check: (principal) => names.every((api) => reachesApi(principal, api)) || { reason: 'api' },
  });
}
