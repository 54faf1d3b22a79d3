/** `createManagementApi()`: a Router for Express, with which programs manage keys over HTTP. */
import type { IncomingMessage } from 'node:http';
import { type NextFunction, type Request, type Response, Router } from 'express';
import type { Awaitable } from '../../contracts/key-resolver.js';
import { fail } from '../../express/middleware.js';
import { ownEndpoint } from '../../express/route-metadata.js';
import { method, type OptionTable, readTable } from '../../options/option-table.js';
import type { Management } from '../create-management.js';
import { managementOption } from '../management-option.js';
import { type Member, readMember } from '../member.js';
import { SCOPE_PERMISSIONS } from '../permissions.js';
import { apiOperations } from './api-operations.js';
import { readJsonBody } from './json-body.js';
import { type OpenApiDocument, openApiDocument } from './openapi-document.js';
import type { ApiAnswer, ApiCall, ApiOperation } from './operation.js';
import { parseIfMatch, preconditionFailed } from './preconditions.js';
import { invalidParameter, type Problem, ProblemError, problemOf, toProblem } from './problem.js';
import { readQuery } from './query.js';

/** Options of `createManagementApi`. */
export interface ManagementApiOptions {
  /** The result of `createManagement`. */
  readonly management: Management;
  /**
   * Returns the member who sends a request. If it returns `undefined` or `null`, the response is 401. Use
   * `memberByScopes()` if `requireBearer` authenticates the requests. Do not identify the member by a cookie alone:
   * browsers may send the cookie with requests from pages of other sites (CSRF).
   */
  readonly memberOf: (req: IncomingMessage) => Awaitable<Member | null | undefined>;
}

/** The Router of the management API, with its OpenAPI document. */
export interface ManagementApi extends Router {
  /**
   * The OpenAPI 3.1 document. Its server is `/`, because the mount path is not known yet. The document that the API
   * serves at `GET /openapi.json` has the mount path as its server.
   */
  readonly openapi: OpenApiDocument;
}

const OPTIONS = {
  management: managementOption,
  memberOf: method<ManagementApiOptions['memberOf']>(),
} satisfies OptionTable<ManagementApiOptions>;

/**
 * Creates a Router with the management API: JSON operations on API keys, access keys, their usage and the audit log.
 * They have the same permissions, rules and audit log entries as in the Dashboard. Each error response is a problem
 * document (RFC 9457) with a `code`, for example `not_found`.
 *
 * Mount it after the middleware that authenticates requests, such as `requireBearer`. Unexpected errors go to `next`.
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
      serve(operation, req, res)
        .catch((error) => sendError(error, req, res, next))
        .catch((error) => fail(next, error));
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
          new ProblemError(405, 'method_not_allowed', `the method is not allowed for this path; use one of ${allow}`, {
            Allow: allow,
          }),
        ),
      );
    };
    router.all(toRoute(path), ownEndpoint(refuseMethod));
  }
  router.use(ownEndpoint((_req: Request, res: Response) => sendProblem(res, problemOf(noSuchPath()))));
  // For a path with an invalid escape, such as `/keys/%zz`, Express passes a URIError with the status 400 to this error
  // handler. A URIError that `memberOf` throws has no status. Express recognizes an error handler by its four
  // parameters.
  router.use((error: unknown, _req: Request, res: Response, next: NextFunction) => {
    if (error instanceof URIError && 'status' in error && error.status === 400)
      sendProblem(res, problemOf(noSuchPath()));
    else next(error);
  });

  async function serve(operation: ApiOperation, req: Request, res: Response): Promise<void> {
    if (operation.method !== 'get') assertNotCrossSite(req);
    const member = readMember(await memberOf(req));
    const isPermitted = operation.scopes.some((scope) =>
      member.permissions.some((one) => SCOPE_PERMISSIONS[scope] === one),
    );
    const input = isPermitted ? await readInput(operation, req) : NO_INPUT;
    const target = { member, params: req.params as Record<string, string>, base: req.baseUrl };
    send(res, await operation.handle({ ...target, ...input }));
  }

  return Object.assign(router, { openapi: openApiDocument(operations, '') });
}

type ApiInput = Pick<ApiCall, 'query' | 'body' | 'ifMatch' | 'ifNoneMatch' | 'idempotencyKey'>;

/**
 * The input of a call without the permission for the operation. The request is not validated: with this input, which
 * every operation accepts, the service refuses the call and writes the attempt to the audit log. `ifMatch` matches no
 * version, so the call could change nothing.
 */
const NO_INPUT: ApiInput = Object.freeze({
  ...{ query: {}, body: {}, ifMatch: [], ifNoneMatch: undefined, idempotencyKey: undefined },
});

/** @throws ManagementError or ProblemError if the request is invalid. */
async function readInput({ query, body, isRepeatable }: ApiOperation, req: Request): Promise<ApiInput> {
  const { headers, params } = req;
  for (const [name, value] of Object.entries(params)) {
    if (value.includes('\0')) throw invalidParameter(name, 'expected a string without NUL characters');
  }
  return {
    query: readQuery(req.url, query ?? []),
    body: body === undefined ? {} : await readJsonBody(req, body.types),
    ifMatch: parseIfMatch(headers['if-match']),
    ifNoneMatch: headers['if-none-match'],
    idempotencyKey: isRepeatable ? (headers['idempotency-key'] as string | undefined) : undefined,
  };
}

/**
 * Refuses requests from pages of other origins: if `memberOf` reads a cookie, they could be CSRF. Browsers set
 * `Sec-Fetch-Site`, and a page cannot change it; it is `none` for a request that the user starts. Other clients do not
 * send it. A request with a Bearer or DPoP credential is not refused: a page of another origin can send `Authorization`
 * only if CORS allows it.
 *
 * @throws ProblemError 403
 */
function assertNotCrossSite({ headers }: IncomingMessage): void {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  if (/^(?:bearer|dpop) /i.test(headers.authorization ?? '')) return;
  throw new ProblemError(
    403,
    'cross_site',
    'the request comes from a page on another origin; send a Bearer credential in the Authorization header',
  );
}

function sendError(error: unknown, req: Request, res: Response, next: NextFunction): void {
  const isConditional = req.headers['if-match'] !== undefined || req.headers['if-none-match'] !== undefined;
  const isStale = isConditional && (error as { code?: unknown })?.code === 'version_conflict';
  const inBody = req.method === 'POST' || req.method === 'PATCH';
  const problem = toProblem(isStale ? preconditionFailed() : error, inBody);
  if (problem === undefined) fail(next, error);
  else sendProblem(res, problem);
}

function noSuchPath(): ProblemError {
  return new ProblemError(404, 'not_found', 'the management API has no operation at this path');
}

function sendProblem(res: Response, { status, headers, body }: Problem): void {
  send(res, { status, headers: { 'Content-Type': 'application/problem+json', ...headers }, body });
}

function send(res: Response, { status, headers, body }: ApiAnswer): void {
  // The app may have responded already, for example because its own timeout has passed.
  if (res.headersSent) return;
  // `undefined` for a response without a body.
  const text = JSON.stringify(body) as string | undefined;
  res.writeHead(status, {
    'Cache-Control': 'no-store',
    ...(text === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
    ...headers,
  });
  res.end(text);
}

function allowedOn(operations: readonly ApiOperation[], path: string): string {
  const methods = operations.filter((operation) => operation.path === path).map((operation) => operation.method);
  const all = path === '/openapi.json' ? ['get'] : methods;
  return [...all.flatMap((name) => (name === 'get' ? ['GET', 'HEAD'] : [name.toUpperCase()])), 'OPTIONS'].join(', ');
}

/** Converts a path from the OpenAPI syntax, `/keys/{id}`, to the Express syntax, `/keys/:id`. */
function toRoute(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}
