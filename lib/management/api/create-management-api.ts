/** The management API, by which programs manage keys over HTTP. */
import type { IncomingMessage } from 'node:http';
import { type NextFunction, type Request, type Response, Router } from 'express';
import type { Awaitable } from '../../contracts/key-resolver.js';
import { ownEndpoint } from '../../express/route-metadata.js';
import { method, type OptionTable, readTable } from '../../options/option-table.js';
import type { Management } from '../create-management.js';
import { managementOption } from '../management-option.js';
import { type Member, readMember } from '../member.js';
import { apiOperations } from './api-operations.js';
import { readJsonBody } from './json-body.js';
import { type OpenApiDocument, openApiDocument } from './openapi-document.js';
import type { ApiAnswer, ApiOperation } from './operation.js';
import { parseIfMatch, preconditionFailed } from './preconditions.js';
import { type Problem, ProblemError, toProblem } from './problem.js';
import { readQuery } from './query.js';

/** Options of `createManagementApi`. */
export interface ManagementApiOptions {
  /** The result of `createManagement`. */
  readonly management: Management;
  /**
   * Returns the member who sends a request, or `undefined` if there is none (401). `memberByScopes()` returns such a
   * function: it derives the member from a keyward principal. Do not rely on a cookie alone: browsers also send it with
   * requests that a page of another site makes.
   */
  readonly memberOf: (req: IncomingMessage) => Awaitable<Member | null | undefined>;
}

/** A Router, with its OpenAPI document. */
export interface ManagementApi extends Router {
  /**
   * The OpenAPI 3.1 document. Its only server is `/`. The document at `GET /openapi.json` has the mount path as its
   * server.
   */
  readonly openapi: OpenApiDocument;
}

const OPTIONS = {
  management: managementOption,
  memberOf: method<ManagementApiOptions['memberOf']>(),
} satisfies OptionTable<ManagementApiOptions>;

/**
 * Creates a Router with the management API: JSON for keys, access keys, their usage and the audit log, under its mount
 * path. Permissions, rules and audit are those of the Dashboard. Each error is a problem document (RFC 9457) with a
 * `code`, such as that of the `ManagementError`.
 *
 * Mount it behind your authentication, such as a `requireBearer`. Unexpected errors go to `next`.
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type.
 * @example
 * ```ts
 * import express from 'express';
 * import { createManagement, createManagementApi } from 'keyward/management';
 * import { openStore } from 'keyward/store';
 *
 * const management = createManagement({ store: await openStore('file:./keyward.db') });
 * const memberOf = () => ({ id: 'ada@example.com', account: 'acme', permissions: ['owner'] }) as const;
 * const app = express();
 * app.use('/api', createManagementApi({ management, memberOf }));
 * ```
 */
export function createManagementApi(options: ManagementApiOptions): ManagementApi {
  const { management, memberOf } = readTable('createManagementApi', options, OPTIONS);
  const operations = apiOperations(management);
  const router = Router({ caseSensitive: true });

  const serveDocument = (req: Request, res: Response) =>
    send(res, { status: 200, body: openApiDocument(operations, req.baseUrl) });
  router.get('/openapi.json', ownEndpoint(serveDocument));
  for (const operation of operations) {
    const handle = (req: Request, res: Response, next: NextFunction) => {
      serve(operation, req, res).catch((error) => fail(error, req, res, next));
    };
    router[operation.method](toRoute(operation.path), ownEndpoint(handle));
  }
  for (const path of new Set(['/openapi.json', ...operations.map((operation) => operation.path)])) {
    const allow = allowedOn(operations, path);
    const refuseMethod = (req: Request, res: Response) => {
      if (req.method === 'OPTIONS') return send(res, { status: 204, headers: { Allow: allow } });
      sendProblem(
        res,
        problemOf(
          new ProblemError(405, 'method_not_allowed', `this path does not allow this method; use ${allow}`, {
            Allow: allow,
          }),
        ),
      );
    };
    router.all(toRoute(path), ownEndpoint(refuseMethod));
  }
  router.use(ownEndpoint((_req: Request, res: Response) => sendProblem(res, problemOf(nothingHere()))));
  // Express calls this error handler, which it recognizes by the four parameters, for paths with invalid escapes.
  router.use((error: unknown, _req: Request, res: Response, next: NextFunction) => {
    if (error instanceof URIError) sendProblem(res, problemOf(nothingHere()));
    else next(error);
  });

  async function serve(operation: ApiOperation, req: Request, res: Response): Promise<void> {
    if (operation.method !== 'get') assertNotCrossSite(req);
    const member = readMember(await memberOf(req));
    const { headers, params, baseUrl: base } = req;
    const query = readQuery(req.url, operation.query ?? []);
    const { body: expected } = operation;
    const body = expected === undefined ? {} : await readJsonBody(req, expected.types);
    const ifMatch = operation.ifMatch === undefined ? undefined : parseIfMatch(headers['if-match']);
    const idempotencyKey = operation.isRepeatable ? (headers['idempotency-key'] as string | undefined) : undefined;
    const call = { member, params: params as Record<string, string>, query, body, base };
    const conditions = { ifMatch, idempotencyKey, ifNoneMatch: headers['if-none-match'] };
    send(res, await operation.handle({ ...call, ...conditions }));
  }

  return Object.assign(router, { openapi: openApiDocument(operations, '') });
}

/**
 * Protection against CSRF, if `memberOf` reads a cookie. Browsers send `Sec-Fetch-Site` with every request, and a page
 * cannot change it; it is `none` for a request that the user starts. Other clients do not send it. A page of another
 * origin can send a Bearer or DPoP credential only if CORS allows it, so such a request is not refused.
 *
 * @throws ProblemError 403
 */
function assertNotCrossSite({ headers }: IncomingMessage): void {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  if (/^(?:bearer|dpop) /i.test(headers.authorization ?? '')) return;
  throw new ProblemError(403, 'cross_site', 'the request comes from a page of another origin, without a Bearer token');
}

function fail(error: unknown, req: Request, res: Response, next: NextFunction): void {
  const isStale = (error as { code?: unknown })?.code === 'version_conflict' && req.headers['if-match'] !== undefined;
  const inBody = req.method === 'POST' || req.method === 'PATCH';
  const problem = toProblem(isStale ? preconditionFailed() : error, inBody);
  if (problem === undefined) next(error);
  else sendProblem(res, problem);
}

function problemOf(error: ProblemError): Problem {
  const { status, headers, code, message } = error;
  return toProblem(error, false) ?? { status, headers, body: { code, detail: message } };
}

function nothingHere(): ProblemError {
  return new ProblemError(404, 'not_found', 'there is nothing at this path');
}

function sendProblem(res: Response, { status, headers, body }: Problem): void {
  send(res, { status, headers: { 'Content-Type': 'application/problem+json', ...headers }, body });
}

function send(res: Response, { status, headers, body }: ApiAnswer): void {
  // The host app may have responded already, for example after its own timeout.
  if (res.headersSent) return;
  const text = body === undefined ? '' : JSON.stringify(body);
  res.writeHead(status, {
    'Cache-Control': 'no-store',
    ...(body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
    ...headers,
  });
  res.end(text);
}

function allowedOn(operations: readonly ApiOperation[], path: string): string {
  const methods = operations.filter((operation) => operation.path === path).map((operation) => operation.method);
  const all = path === '/openapi.json' ? ['get'] : methods;
  return [...all.flatMap((name) => (name === 'get' ? ['GET', 'HEAD'] : [name.toUpperCase()])), 'OPTIONS'].join(', ');
}

/** Converts a path of OpenAPI, `/keys/{id}`, to a path of Express, `/keys/:id`. */
function toRoute(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}
