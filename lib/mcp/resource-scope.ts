import { isScopeToken } from '../protocol/scope.js';

/**
 * Whether a server may require a scope. MCP, section Refresh Tokens: a resource should not require `offline_access`.
 */
export function isResourceScope(scope: unknown): scope is string {
  return isScopeToken(scope) && scope !== 'offline_access';
}
