import { isScopeToken } from '../protocol/scope.js';

/**
 * Whether a value is a scope that an MCP server may require: a valid scope, but not `offline_access`. A client uses
 * `offline_access` to request refresh tokens; no resource needs it (MCP authorization, section Refresh Tokens).
 */
export function isResourceScope(scope: unknown): scope is string {
  return isScopeToken(scope) && scope !== 'offline_access';
}
