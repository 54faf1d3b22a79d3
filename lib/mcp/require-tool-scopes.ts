import type { IncomingMessage } from 'node:http';
import { holdsScope } from '../credentials/principal.js';
import { KeywardError } from '../errors/keyward-error.js';
import { defineGuard, type Guard } from '../express/guards/guard.js';
import { SCOPE_CHARACTERS } from '../protocol/scope.js';
import { isResourceScope } from './is-resource-scope.js';

/**
 * The JSON-RPC messages in the body of a request. MCP 2025-03-26 allows a list of several messages; later versions
 * allow only one message. `undefined` if no parser has set `req.body`.
 */
type Messages = readonly unknown[] | undefined;

const JSON_TYPE = /^application\/json[ \t]*(?:;|$)/i;
const WRONG_TYPE = [
  'unsupported_media_type',
  'The request must have a JSON body (Content-Type: application/json)',
  { status: 415 },
] as const;

/**
 * Makes a guard for the calls of MCP tools: the principal of a request needs the scopes of each tool that the request
 * calls. A request that calls no tool passes. A call of a tool that is not in `tools` is refused, and so is a body that
 * is not a JSON-RPC message. A POST without a JSON body is an error: `next` gets a `KeywardError` with `status` 415 and
 * `code` `unsupported_media_type`.
 *
 * The guard reads `req.body`, so mount `express.json()` before it. If you mount `express.json()` before `mcpAuth`, the
 * challenge of the gate also names the scopes of the tool.
 *
 * @param tools - The scopes that each tool needs in addition to the scopes of the gate; `[]` for none.
 * @returns A guard. If it refuses a request, its challenge names the scopes of the gate and of the tool.
 * @throws TypeError if `tools` is not an object with a list of scopes for each tool, or if it contains
 *   `offline_access`.
 * @example
 * ```ts
 * import express from 'express';
 * import { requireToolScopes } from 'keyward/mcp';
 *
 * const app = express();
 * app.post('/mcp', express.json(), requireToolScopes({ read_note: [], write_note: ['notes:write'] }), (_req, res) => {
 *   res.json({}); // transport.handleRequest(req, res, req.body)
 * });
 * ```
 */
export function requireToolScopes(tools: Readonly<Record<string, readonly string[]>>): Guard {
  const scopesOfTool = readTools(tools);

  /**
   * Returns the scopes of all tools that the messages call. Returns `undefined` if a tool is not in `tools`, or if a
   * message is not a JSON-RPC message.
   */
  function scopesOf(messages: readonly unknown[]): readonly string[] | undefined {
    const needed = new Set<string>();
    for (const message of messages) {
      if (!isRpcMessage(message)) return undefined;
      if (message.method !== 'tools/call') continue;
      const scopes = scopesOfTool.get(Object(message.params).name);
      if (scopes === undefined) return undefined;
      for (const scope of scopes) needed.add(scope);
    }
    return [...needed];
  }

  return defineGuard({
    name: 'requireToolScopes',
    scopesOf: (req) => scopesOf(messagesOf(req) ?? []) ?? [],
    check(principal, req) {
      if (req.method !== 'POST') return true;
      const messages = messagesOf(req);
      if (!messages?.every(isRpcMessage) && !hasJsonBody(req)) throw new KeywardError(...WRONG_TYPE);
      if (messages === undefined)
        throw new Error('keyward: requireToolScopes found no req.body; mount express.json() before requireToolScopes');
      const scopes = scopesOf(messages);
      if (scopes === undefined) return { reason: 'tool' };
      return scopes.every((scope) => holdsScope(principal, scope)) || { scopes, reason: 'scope' };
    },
  });
}

function readTools(tools: unknown): ReadonlyMap<unknown, readonly string[]> {
  if (typeof tools !== 'object' || tools === null || Array.isArray(tools)) {
    throw new TypeError('requireToolScopes: expected an object with a list of scopes for each tool');
  }
  const read = Object.entries(tools).map(([tool, scopes]) => {
    if (Array.isArray(scopes) && scopes.every(isResourceScope)) return [tool, [...scopes]] as const;
    throw new TypeError(
      `requireToolScopes: "${tool}" must have a list of scopes; a scope consists of ${SCOPE_CHARACTERS} (RFC 6749 section 3.3), and must not be "offline_access"`,
    );
  });
  return new Map(read);
}

function messagesOf(req: IncomingMessage): Messages {
  const { body } = req as { body?: unknown };
  return body === undefined || Array.isArray(body) ? body : [body];
}

/** Whether the headers of a request say that it has a JSON body, which `express.json()` would parse. */
function hasJsonBody({ headers }: IncomingMessage): boolean {
  const isSent = headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
  return isSent && JSON_TYPE.test(headers['content-type'] ?? '');
}

/**
 * Whether a value is a JSON-RPC message. Any other object, such as `{}`, is refused, although it calls no tool: a
 * parser may set `req.body` to `{}` without reading the body. The MCP transport could then read the body itself, and
 * run a message that was not checked.
 */
function isRpcMessage(message: unknown): message is { readonly method?: unknown; readonly params?: unknown } {
  return Object(message).jsonrpc === '2.0';
}
