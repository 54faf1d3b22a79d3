/** The principal of a request, in the form that the MCP SDK passes to tools. */
import type { IncomingMessage } from 'node:http';
import { holdsScope, type Principal } from '../credentials/principal.js';
import { authContextOf, authOf, credentialOf } from '../express/gate/request-principal.js';

/** The `AuthInfo` of the MCP SDK, versions 1 and 2: a tool gets it as `authInfo`. */
export interface McpAuthInfo {
  /** The credential. The property is not enumerable, so logs, JSON and copies of the object do not contain it. */
  readonly token: string;
  /** The client ID of a token; the id of a key. */
  clientId: string;
  /**
   * The scopes of the principal. A key with all scopes has no list, so these are the scopes that the gate and its
   * metadata name, as far as the key has them.
   */
  scopes: string[];
  /**
   * Seconds since 1970, possibly with a fraction; absent for a key that does not expire, and for an opaque token whose
   * introspection response has no `exp`.
   */
  expiresAt?: number;
  /** The resource that a token is for; absent for a key, and if the gate has no `resourceMetadata()`. */
  resource?: URL;
  /** `principal`: the principal of the request. */
  extra: { principal: Principal };
}

/**
 * The `AuthInfo` of the MCP SDK for a request behind a gate. Behind `mcpAuth`, `req.auth` already has this type.
 *
 * @param req - The request, as a handler behind the gate gets it.
 * @returns A new object with its own list of `scopes`.
 * @throws KeywardError `gate_not_passed` if no gate ran before, or an optional gate got no credential.
 * @example
 * ```ts
 * import express from 'express';
 * import { requireBearer } from 'keyward';
 * import { mcpAuthInfo } from 'keyward/mcp';
 *
 * const app = express();
 * const gate = requireBearer({ issuer: 'https://login.example', audience: 'https://api.example/mcp' });
 * app.post('/mcp', gate, (req, res) => {
 *   res.json({ client: mcpAuthInfo(req).clientId });
 * });
 * ```
 */
export function mcpAuthInfo(req: IncomingMessage): McpAuthInfo {
  const principal = authOf(req);
  const gate = authContextOf(req)?.gate;
  const { expiresAt = Number.POSITIVE_INFINITY } = principal;
  const known = [...(gate?.scopes ?? []), ...(gate?.resource?.scopes_supported ?? [])];
  const info: Omit<McpAuthInfo, 'token'> = {
    clientId: principal.keyId,
    scopes:
      principal.scopes === 'all'
        ? [...new Set(known)].filter((scope) => holdsScope(principal, scope))
        : [...principal.scopes],
    ...(Number.isFinite(expiresAt) && { expiresAt }),
    ...(gate?.resource === undefined || principal.kind !== 'access'
      ? {}
      : { resource: new URL(gate.resource.resource) }),
    extra: { principal },
  };
  return Object.defineProperty(info, 'token', { value: credentialOf(req) }) as McpAuthInfo;
}
