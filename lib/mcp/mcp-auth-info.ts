/** Converts the principal of a request to the `AuthInfo` that the MCP SDK passes to tools. */
import type { IncomingMessage } from 'node:http';
import { holdsScope, type Principal } from '../credentials/principal.js';
import { authContextOf, authOf, credentialOf } from '../express/gate/request-principal.js';

/** The type `AuthInfo` of the MCP SDK, versions 1 and 2. The SDK passes it to each tool as `authInfo`. */
export interface McpAuthInfo {
  /**
   * The credential. The property is not enumerable, so that it does not get into logs, JSON or copies of the object.
   */
  readonly token: string;
  /** The client ID of an access token, or the id of an API key. */
  clientId: string;
  /**
   * The scopes of the principal. A secret key with all scopes of its APIs has no list of scopes. It then gets the
   * scopes that the gate requires and that the resource metadata publishes, if the key has them.
   */
  scopes: string[];
  /**
   * When the credential expires, in seconds since 1970, possibly with a fraction. Absent for a key that does not
   * expire, and for an opaque token whose introspection response has no `exp`.
   */
  expiresAt?: number;
  /**
   * The URL of the resource that the token is for. Absent for an API key, and if the gate has no `resourceMetadata`.
   */
  resource?: URL;
  /** Further data: `principal` is the principal of the request, as `authOf` returns it. */
  extra: { principal: Principal };
}

/**
 * Returns the `AuthInfo` of the MCP SDK for a request that passed `requireBearer`. After `mcpAuth`, it is not
 * needed: `req.auth` is already such an object.
 *
 * @param req - The request, as a handler after `requireBearer` gets it.
 * @returns A new object with its own list of `scopes`.
 * @throws KeywardError `gate_not_passed` if no `requireBearer` ran before, or if it was optional and the request has no
 *   credential.
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
