/** `mcpAuth()`: a Router that does everything that the MCP authorization specification requires of a server. */
import type { IncomingMessage } from 'node:http';
import { Router } from 'express';
import type { CredentialVerifier } from '../contracts/credential-verifier.js';
import type { AccessKeyResolver } from '../contracts/key-resolver.js';
import type { AccessPrincipal, Principal } from '../credentials/principal.js';
import { createGate, type Gate } from '../express/gate/gate-type.js';
import { requireBearer } from '../express/gate/require-bearer.js';
import type { PrincipalOf } from '../express/gate/require-bearer-options.js';
import { fail, type Middleware } from '../express/middleware.js';
import { type ResourceMetadata, resourceMetadata } from '../express/resource/resource-metadata.js';
import { mark } from '../express/route-metadata.js';
import type { AccessTokensOptions } from '../tokens/access-tokens-options.js';
import { mcpAuthInfo } from './mcp-auth-info.js';
import { type McpAuthOptions, type McpResourceOptions, readMcpAuthOptions } from './mcp-auth-options.js';

/** The result of `mcpAuth`: a Router for the root of the app. `P` is the type of the principals. */
export type McpAuth<P extends Principal = Principal> = Router & {
  /** The `requireBearer` of the Router, for other routes. It also sets `req.auth` to the `AuthInfo` of the MCP SDK. */
  readonly gate: Gate<P>;
  /** The middleware of the Router that publishes the resource metadata (RFC 9728). */
  readonly metadata: ResourceMetadata;
};

/**
 * Makes a Router that protects an MCP server as the MCP authorization specification 2026-07-28 requires. It publishes
 * the resource metadata (RFC 9728), and lets only authorized requests pass to the path of `resource` and all paths
 * below. After it, `req.auth` is the `AuthInfo` that the MCP SDK passes to tools.
 *
 * Mount it with `app.use(auth)` at the root of the app, before the routes; if it is mounted at another path, every
 * request fails. A refusal is passed to `next` as an error, as by `requireBearer`; `bearerErrors()` sends the response.
 *
 * @param options - `resource`: the URL of the server as clients know it. `scopes`: the scopes that every request needs.
 *   `accept`: a list of verifiers; or, if only access tokens are accepted, `issuer` and further options of
 *   `accessTokens`. Optional: `realm`, `browserOrigin` and the options of `resourceMetadata`.
 * @returns A Router with `gate` and `metadata`.
 * @throws TypeError for an option that is missing, unknown or of the wrong type, for the scope `offline_access`, and
 *   for all errors of `resourceMetadata`.
 * @example
 * ```ts
 * import express from 'express';
 * import { bearerErrors } from 'keyward';
 * import { mcpAuth } from 'keyward/mcp';
 *
 * const app = express();
 * const resource = 'https://api.example.com/mcp';
 * app.use(mcpAuth({ resource, issuer: 'https://login.example', scopes: ['mcp:tools'] }));
 * app.post('/mcp', (_req, res) => {
 *   res.json({}); // transport.handleRequest(req, res, req.body)
 * });
 * app.use(bearerErrors());
 * ```
 */
export function mcpAuth<V extends CredentialVerifier>(
  options: McpResourceOptions & { readonly accept: readonly V[] } & {
    readonly [name in keyof AccessTokensOptions]?: never;
  },
): McpAuth<PrincipalOf<V>>;
export function mcpAuth(
  options: McpResourceOptions &
    Omit<AccessTokensOptions, 'audience'> & { readonly accessKeys: AccessKeyResolver; readonly accept?: never },
): McpAuth<AccessPrincipal<string>>;
export function mcpAuth(
  options: McpResourceOptions & Omit<AccessTokensOptions, 'audience'> & { readonly accept?: never },
): McpAuth<AccessPrincipal>;
export function mcpAuth(options: McpAuthOptions): McpAuth {
  const read = readMcpAuthOptions(options);
  const metadata = resourceMetadata(read.metadata);
  const gate = withAuthInfo(requireBearer({ ...read.gate, resourceMetadata: metadata }));
  const router = Router();
  router.use(atRoot(metadata));
  // The pattern comes first: behind it, the route audit would not count the gate at the path.
  router.use(withMoreSlashes(read.path), gate);
  router.use(read.path, gate);
  return Object.assign(router, { gate: gate as Gate<Principal>, metadata });
}

/**
 * Returns a pattern for a path that has more slashes than needed. Express 4 ignores one after the path of a mounted
 * router: `/api//mcp` is not below the path `/api/mcp`, but reaches the route `/mcp` of a router at `/api`.
 */
function withMoreSlashes(path: string): RegExp {
  const parts = path.split('/').filter((part) => part !== '');
  return new RegExp(`^(?=.*//)${parts.map((part) => `/+${part.replaceAll('.', '\\.')}`).join('')}(?=/|$)`, 'i');
}

/**
 * Wraps the middleware that publishes the metadata. If the Router is not mounted at the root of the app, it passes an
 * error to `next` for every request. Otherwise the Router would see each path without the mount path, and the gate
 * would not protect the path of the resource.
 */
function atRoot(metadata: ResourceMetadata): Middleware {
  const serveMetadata: Middleware = (req, res, next) => {
    if ((req as { baseUrl?: string }).baseUrl)
      next(new Error('keyward: mcpAuth is mounted at a path; mount it at the root of the app: app.use(auth)'));
    else metadata(req, res, next);
  };
  return mark(serveMetadata, 'keyward.resourceMetadata', metadata.document);
}

/** Wraps a gate. For each request that the gate lets pass, sets `req.auth` to the `AuthInfo` of the MCP SDK. */
function withAuthInfo(gate: Gate): Gate {
  const mcpGate: Middleware = (req, res, next) => {
    gate(req, res, (error) => {
      if (error !== undefined) {
        next(error);
        return;
      }
      try {
        setAuthInfo(req);
      } catch (thrown) {
        fail(next, thrown);
        return;
      }
      next();
    });
  };
  return createGate(mcpGate, gate['keyward.gate'], gate.principal);
}

function setAuthInfo(req: IncomingMessage): void {
  const value = mcpAuthInfo(req);
  Object.defineProperty(req, 'auth', { value, writable: true, enumerable: true, configurable: true });
}
