/** Decides which scopes a token gets (RFC 6749 §3.3, docs/spec.md §4.1). */
import type { AccessKeyGrant } from '../credentials/records/access-key-grant.js';
import { parseScope } from '../protocol/scope.js';
import { TokenRequestError } from './token-request-error.js';

/**
 * Grants the requested scopes, or the default scopes if the request names none. They are returned in the order in which
 * they are assigned.
 *
 * @throws TokenRequestError `invalid_scope` if a requested scope is malformed or not assigned (then no scope is
 *   granted), or if none is requested and there are no default scopes.
 */
export function grantScopes({ scopes, defaultScopes }: AccessKeyGrant, asked: string | undefined): readonly string[] {
  if (asked === undefined) {
    if (defaultScopes.length === 0) throw new TokenRequestError('invalid_scope', 'no_default_scopes');
    return defaultScopes;
  }
  const wanted = parseScope(asked);
  if (wanted === undefined) throw new TokenRequestError('invalid_scope', 'scope_malformed');
  if (!wanted.every((scope) => scopes.includes(scope)))
    throw new TokenRequestError('invalid_scope', 'scope_not_assigned');
  return scopes.filter((scope) => wanted.includes(scope));
}
