import { reachesApi } from '../../credentials/principal.js';
import { namesOf } from '../../options/options.js';
import { defineGuard, type Guard } from './guard.js';

/**
 * Lets a request pass if its principal can use all of the given APIs (docs/spec.md §2.1, rule 2: a key limited to one
 * API has no access to the others).
 *
 * @param apis - The names of the APIs. They are compared exactly; `*` is not a wildcard.
 * @throws TypeError if no name is given, or if a name is empty.
 * @example
 * ```ts
 * import express from 'express';
 * import { requireApi, requireBearer } from 'keyward';
 *
 * const app = express();
 * app.use('/payments', requireBearer({ issuer: 'https://login.example', audience: 'api' }), requireApi('payments'));
 * ```
 */
export function requireApi(...apis: readonly string[]): Guard {
  // A copy that is not frozen, because V8 iterates over a frozen list several times slower.
  const names = [...namesOf('requireApi', apis)];
  return defineGuard({
    name: `requireApi(${names.join(', ')})`,
    check(principal) {
      for (const api of names) if (!reachesApi(principal, api)) return { reason: 'api' };
      return true;
    },
  });
}
