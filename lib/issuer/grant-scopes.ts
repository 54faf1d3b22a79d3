/** Which scopes a token gets (RFC 6749 §3.3, spec section 4.1). */
import type { AccessKeyGrant } from '../credentials/access-key-grant.js';
import { parseScope } from '../protocol/scope.js';
import { TokenRefusal } from './token-refusal.js';

/**
 * Grants scopes: those asked for, or the defaults where none is. They come in the order in which they were assigned.
 *
 * @throws TokenRefusal `invalid_scope` where one is not assigned (then none is granted), the text breaks the grammar, or
 *   none is asked for and there are no defaults.
 */
export function grantScopes({ scopes, defaultScopes }: AccessKeyGrant, asked: string | undefined): readonly string[] {
  if (asked === undefined) {
    if (defaultScopes.length === 0) throw new TokenRefusal('invalid_scope', 'no_default_scopes');
    return defaultScopes;
  }
  const wanted = parseScope(asked);
  if (wanted === undefined) throw new TokenRefusal('invalid_scope', 'scope_malformed');
  if (!wanted.every((scope) => scopes.includes(scope))) throw new TokenRefusal('invalid_scope', 'scope_not_assigned');
  return scopes.filter((scope) => wanted.includes(scope));
}
