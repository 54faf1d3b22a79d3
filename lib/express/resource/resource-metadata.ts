/** `resourceMetadata()`: publishes the metadata of a protected resource (RFC 9728). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CredentialVerifier } from '../../contracts/credential-verifier.js';
import { secureUrl } from '../../http/secure-url.js';
import { type Option, type OptionTable, optional, readTable, text } from '../../options/option-table.js';
import { deepFreeze } from '../../protocol/strict-json.js';
import { toOriginForm } from '../../protocol/target-uri.js';
import { readAccept } from '../accepted-verifiers.js';
import type { Middleware } from '../middleware.js';
import { mark, markOf } from '../route-metadata.js';
import { scopeTokens } from '../scopes-option.js';
import { tokensFor } from './accepted-tokens.js';
import { boundTokenMembers, metadataUrl, type ResourceMetadataDocument } from './metadata-document.js';

/** Options of `resourceMetadata`. */
export interface ResourceMetadataOptions {
  /**
   * The resource identifier: the https URL by which clients know the resource, without a user name, password or
   * fragment. Plain http is accepted only for a loopback host.
   */
  readonly resource: string;
  /** The verifiers of the gate of the resource. Each verifier of access tokens must have `resource` as an audience. */
  readonly accept: readonly CredentialVerifier[];
  /** Published as `scopes_supported`: the scopes that a client should request first. */
  readonly scopes?: readonly string[] | undefined;
  /** The name of the resource, for people. */
  readonly name?: string | undefined;
  /** URL of the documentation for developers. */
  readonly documentation?: string | undefined;
  /** URL of the rules for clients that use data of the resource. */
  readonly policy?: string | undefined;
  /** URL of the terms of service. */
  readonly termsOfService?: string | undefined;
}

/** The result of `resourceMetadata`: a middleware that serves the document, for `app.use` and for `requireBearer`. */
export interface ResourceMetadata extends Middleware {
  /** The URL of the document. Challenges name it as `resource_metadata`. */
  readonly url: string;
  readonly document: ResourceMetadataDocument;
}

const EXPECTED_URL = 'an https URL (http only for a loopback host) without a user name, password or fragment';
const VISIBLE_ASCII = /^[\x21-\x7E]+$/;

const resourceUrl: Option<string> = (options, name) => {
  const resource = options.text(name);
  if (secureUrl(resource) !== undefined && VISIBLE_ASCII.test(resource)) return resource;
  throw options.wrongText(name, `${EXPECTED_URL}, and contain only ASCII characters and no spaces`);
};

const pageUrl: Option<string> = (options, name) => {
  const url = options.text(name);
  if (secureUrl(url) !== undefined) return url;
  throw options.wrongText(name, EXPECTED_URL);
};

const OPTIONS = {
  resource: resourceUrl,
  accept: readAccept,
  scopes: optional(scopeTokens),
  name: optional(text),
  documentation: optional(pageUrl),
  policy: optional(pageUrl),
  termsOfService: optional(pageUrl),
} satisfies OptionTable<ResourceMetadataOptions>;

/** Caches may keep the document for an hour. So a client learns of a new issuer after an hour at the latest. */
const CACHE_CONTROL = 'public, max-age=3600';
const METHODS = 'GET, HEAD, OPTIONS';

/** Any web page may read the document (RFC 9728 §3.1), because it is the same for everybody. */
const ANY_ORIGIN = { 'Access-Control-Allow-Origin': '*' };
const PREFLIGHT = {
  ...ANY_ORIGIN,
  'Access-Control-Allow-Methods': 'GET, HEAD',
  // A request for this document needs none of these headers, but MCP clients in a browser send them.
  'Access-Control-Allow-Headers': 'authorization, dpop, mcp-protocol-version',
  'Access-Control-Max-Age': '86400',
  Allow: METHODS,
};

/**
 * Makes the middleware that publishes the metadata of a protected resource (RFC 9728). A client that knows only the URL
 * of the resource can then find the issuers of its access tokens.
 *
 * Mount it with `app.use(metadata)`, at the root of the app and before any gate. Pass it to `requireBearer` too: the
 * challenges then name its URL.
 *
 * The document contains the issuers of the verifiers as `authorization_servers`, and `header` as the only bearer
 * method. It is served at the path of RFC 9728 §3.1, to every origin, and may be cached for an hour.
 *
 * @param options - The resource, and the verifiers of its gate.
 * @returns A middleware for Express 4 and 5, with the `url` and the `document` that it serves.
 * @throws TypeError for an option that is missing, unknown or of the wrong type; if `accept` has no verifier of access
 *   tokens; if a verifier of access tokens does not have `resource` as an audience (RFC 8707 §2).
 * @example
 * ```ts
 * import express from 'express';
 * import { accessTokens, requireBearer, resourceMetadata } from 'keyward';
 *
 * const resource = 'https://api.example.com/reports';
 * const tokens = accessTokens({ issuer: 'https://login.example', audience: resource });
 * const metadata = resourceMetadata({ resource, accept: [tokens], scopes: ['reports:read'] });
 * const app = express();
 * app.use(metadata); // GET /.well-known/oauth-protected-resource/reports
 * app.use('/reports', requireBearer({ accept: [tokens], scopes: ['reports:read'], resourceMetadata: metadata }));
 * ```
 */
export function resourceMetadata(options: ResourceMetadataOptions): ResourceMetadata {
  const { resource, accept, ...rest } = readTable('resourceMetadata', options, OPTIONS);
  const tokens = tokensFor('resourceMetadata', resource, accept);
  const document: ResourceMetadataDocument = deepFreeze({
    resource,
    authorization_servers: [...new Set(tokens.map(({ issuer }) => issuer))],
    bearer_methods_supported: ['header'] as const,
    ...(rest.scopes && { scopes_supported: [...new Set(rest.scopes)] }),
    ...boundTokenMembers(accept),
    ...(rest.name && { resource_name: rest.name }),
    ...(rest.documentation && { resource_documentation: rest.documentation }),
    ...(rest.policy && { resource_policy_uri: rest.policy }),
    ...(rest.termsOfService && { resource_tos_uri: rest.termsOfService }),
  });
  const url = metadataUrl(new URL(resource));
  const body = JSON.stringify(document);

  const serveMetadata: Middleware = (req, res, next) => {
    if (!isAskedFor(req)) {
      next();
      return;
    }
    if (req.method === 'GET' || req.method === 'HEAD') {
      const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
      answer(res, 200, { ...ANY_ORIGIN, 'Cache-Control': CACHE_CONTROL, ...headers }, req.method === 'GET' ? body : '');
    } else if (req.method === 'OPTIONS') {
      answer(res, 204, PREFLIGHT);
    } else {
      answer(res, 405, { ...ANY_ORIGIN, Allow: METHODS, 'Content-Length': 0 });
    }
  };

  /**
   * Whether a request is for the document. The path is that of `originalUrl`, because routers and outer apps shorten
   * `req.url`. The target may be in absolute form, because every server must accept it (RFC 9112 section 3.2.2).
   */
  function isAskedFor(req: IncomingMessage): boolean {
    const { originalUrl = req.url ?? '' } = req as { originalUrl?: string };
    const target = toOriginForm(originalUrl);
    if (!target.startsWith(url.pathname)) return false;
    const search = target.slice(url.pathname.length);
    // If the URL of the resource has no query, any query of the request is ignored. Otherwise both queries must be
    // equal: resources that differ only in the query have different documents.
    return url.search === '' ? search === '' || search.startsWith('?') : search === url.search;
  }

  Object.defineProperties(serveMetadata, {
    url: { value: url.href, enumerable: true },
    document: { value: document, enumerable: true },
  });
  return mark(serveMetadata, 'keyward.resourceMetadata', document) as ResourceMetadata;
}

function answer(
  res: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string | number>>,
  body = '',
): void {
  res.writeHead(status, headers).end(body);
}

/** Returns the value if `resourceMetadata` made it; otherwise `undefined`. */
export function asResourceMetadata(value: unknown): ResourceMetadata | undefined {
  return markOf(value, 'keyward.resourceMetadata') === undefined ? undefined : (value as ResourceMetadata);
}
