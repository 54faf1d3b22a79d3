import type { IncomingMessage } from 'node:http';
import { holdsScope } from '../credentials/principal.js';
import { KeywardError } from '../errors/keyward-error.js';
import { defineGuard, type Guard } from '../express/guards/guard.js';
import { isResourceScope } from './is-resource-scope.js';

/**
 * The JSON-RPC messages of a request: one, or several in revision 2025-03-26 of MCP, which allows a list as the body.
 * `undefined` if no parser has set `req.body`.
 */
type Messages = readonly unknown[] | undefined;

const JSON_TYPE = /^application\/json[ \t]*(?:;|$)/i;
const WRONG_TYPE = [
  'unsupported_media_type',
  'The request must have a JSON body (Content-Type: application/json)',
  { status: 415 },
] as const;

/**
 * Lets a request pass if its principal has the scopes of the tools that it calls. It reads the JSON-RPC message, so
 * mount `express.json()` before it. If the challenge of the gate should also name the scopes of the tool, mount
 * `express.json()` before `mcpAuth`. Requests that call no tool pass.
 *
 * A request for a tool that is not listed is refused, and so is a body that is not a JSON-RPC message. For a POST
 * without a JSON body, `next` gets a `KeywardError` with `status` 415 and `code` `unsupported_media_type`.
 *
 * @param tools - For each tool, the scopes that it needs in addition to those of the gate; `[]` for none.
 * @returns A guard; its refusal names the scopes of the gate and of the tool in one challenge.
 * @throws TypeError if it is not an object of lists of scope-tokens.
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
   * Returns the scopes of all tools that the messages call; `undefined` if a tool is not listed, or a message is not a
   * JSON-RPC message.
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
      `requireToolScopes: "${tool}" must have a list of scopes without spaces, quotes or backslashes (RFC 6749 section 3.3), and without "offline_access"`,
    );
  });
  return new Map(read);
}

function messagesOf(req: IncomingMessage): Messages {
  const { body } = req as { body?: unknown };
  return body === undefined || Array.isArray(body) ? body : [body];
}

/** Whether a request has a JSON body by its headers, so that `express.json()` parses it. */
function hasJsonBody({ headers }: IncomingMessage): boolean {
  const isSent = headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
  return isSent && JSON_TYPE.test(headers['content-type'] ?? '');
}

/**
 * Whether a value is a JSON-RPC message. Another object, such as `{}`, is refused even though it names no tool: a
 * parser may set `req.body` to `{}` without reading the body, and the transport could then read an unchecked message
 * from it.
 */
function isRpcMessage(message: unknown): message is { readonly method?: unknown; readonly params?: unknown } {
  return Object(message).jsonrpc === '2.0';
}
