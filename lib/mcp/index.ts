/** The entry point `keyward/mcp`: middleware that protects an MCP server (Model Context Protocol). */
export { type McpAuth, mcpAuth } from './mcp-auth.js';
export { type McpAuthInfo, mcpAuthInfo } from './mcp-auth-info.js';
export type { McpAuthOptions, McpResourceOptions } from './mcp-auth-options.js';
export { requireToolScopes } from './require-tool-scopes.js';
