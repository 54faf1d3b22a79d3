/** Decides which scopes a token gets (RFC 6749 §3.3, docs/spec.md §4.1). */
import type { AccessKeyClient } from '../credentials/records/access-key-client.js';
import { parseScope } from '../protocol/scope.js';
import { TokenRequestError } from './token-request-error.js';

/**
 * Returns the requested scopes, in the order in which they are assigned to the access key. If the request names no
 * scopes, returns the default scopes of the access key.
 *
 * @throws TokenRequestError `invalid_scope` if a requested scope is malformed or not assigned to the access key, or if
 *   no scope is requested and the access key has no default scopes.
 */
export function grantScopes({ scopes, defaultScopes }: AccessKeyClient, asked: string | undefined): readonly string[] {
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
