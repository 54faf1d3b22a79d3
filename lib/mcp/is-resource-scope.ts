import { isScopeToken } from '../protocol/scope.js';

/**
 * Whether a value is a scope that an MCP server may require: a scope-token, but not `offline_access`. That scope asks
 * for refresh tokens, and is not needed for access to a resource (MCP authorization, section Refresh Tokens).
 */
export function isResourceScope(scope: unknown): scope is string {
  return isScopeToken(scope) && scope !== 'offline_access';
}
