/**
 * Makes a gate from an OpenAPI document: it finds the operation of each request, and applies the requirement of the
 * operation.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../../credentials/principal.js';
import { KeywardError } from '../../errors/keyward-error.js';
import { createGate, type Gate } from '../../express/gate/gate-type.js';
import { reportDecision } from '../../express/gate/report-decision.js';
import { authContextOf, clearPrincipal, principalAt, setPrincipal } from '../../express/gate/request-principal.js';
import type { ExpressRequest } from '../../express/layers-to-route.js';
import type { Middleware } from '../../express/middleware.js';
import type { GateMetadata } from '../../express/route-metadata.js';
import { anything, type OptionTable, oneOf, readTable, withDefault } from '../../options/option-table.js';
import { plainChallenges } from '../../protocol/challenge.js';
import { linkOperations } from '../document/operation-requirements.js';
import { readDocument } from '../document/read-document.js';
import type { Schemes } from '../document/scheme-verifiers.js';
import { findRoute } from './find-express-route.js';
import { createDecisions, type RequestDecision } from './gate-per-requirement.js';
import { type Found, type IndexedOperation, OperationIndex, type Rivals } from './operation-index.js';
import { pathSettingsOf, routedPath } from './request-path.js';
import { securityAtRoute } from './route-security.js';

/** Options of `openApiGate`. */
export interface OpenApiGateOptions {
  /**
   * The verifier of each scheme in `components.securitySchemes`, or `'mutualTLS'`. A scheme that only webhooks and
   * callbacks require needs none.
   */
  readonly schemes: Schemes;
  /**
   * The prefix of every path of the document, such as `/v1`, from the root of the app. Default: the path of the URLs in
   * its `servers`, if they all have the same; if they differ, choose one of them.
   */
  readonly basePath?: string | undefined;
  /**
   * A request without an operation: `'refuse'` passes an error with the status 404 to `next`; `'pass'` lets it
   * continue, with the principal of an earlier gate if there is one. With `'pass'`, a request is still refused if the
   * document has its path with other methods, or has a path that a router takes for the same if it ignores case or
   * slashes; only a preflight request then passes. Default: `'refuse'`.
   */
  readonly undocumented?: 'refuse' | 'pass' | undefined;
}

const OPTIONS = {
  schemes: anything,
  basePath: anything,
  undocumented: withDefault(oneOf(['refuse', 'pass']), 'refuse'),
} satisfies OptionTable<OpenApiGateOptions>;

const BY = 'openApiGate';

/**
 * Makes a gate from an OpenAPI document: each request needs the credential and the scopes that the document requires
 * for its operation.
 *
 * The operation is found by the path that Express routes: not decoded, with mount paths, and with the app's settings
 * for case and for a slash at the end. A concrete path has priority over a templated one, and an operation for GET also
 * applies to HEAD. Mount the gate at the root of the app, or of a router, before the routes and after the middleware
 * that handles CORS.
 *
 * A request is refused with the same codes as by `requireBearer`: `credential_missing` (401), `invalid_request` (400),
 * `invalid_token` (401), `insufficient_scope` (403) or `temporarily_unavailable` (503). For a request without an
 * operation, or if its operation cannot be determined, `next` gets a `KeywardError` with `status` 404 and `code`
 * `undocumented_operation`.
 *
 * @param document - An OpenAPI 3.0, 3.1 or 3.2 document, parsed. It is read once and not stored.
 * @param options - `schemes` has a verifier for each security scheme of the document.
 * @returns A gate for Express 4 and 5. `gate.principal(req)` is the principal, `undefined` for an open operation, and
 *   for an optional one if no credential was presented.
 * @throws TypeError with the JSON pointer for a document that cannot be enforced, and for an option that is missing,
 *   unknown or wrong.
 * @example
 * ```ts
 * import { accessTokens } from 'keyward';
 * import { openApiGate } from 'keyward/openapi';
 *
 * const document = {
 *   openapi: '3.1.0',
 *   info: { title: 'Pets', version: '1' },
 *   components: { securitySchemes: { accessToken: { type: 'http', scheme: 'bearer' } } },
 *   paths: { '/pets/{id}': { get: { security: [{ accessToken: ['pets:read'] }], responses: {} } } },
 * };
 * const tokens = accessTokens({ issuer: 'https://login.example', audience: 'pets' });
 * app.use(openApiGate(document, { schemes: { accessToken: tokens } }));
 * ```
 */
export function openApiGate(document: object, options: OpenApiGateOptions): Gate {
  const { schemes, basePath, undocumented } = readTable(BY, options, OPTIONS);
  const decisions = createDecisions();
  const operations = linkOperations(BY, readDocument(BY, document, basePath), schemes).map(
    ({ operation, requirement }) => ({ operation, decision: decisions.of(requirement) }),
  );
  const index = new OperationIndex(operations);
  const passes = undocumented === 'pass';
  const gates = decisions.all().flatMap(({ metadata: gate }) => gate ?? []);
  const metadata = gateMetadata(gates, (refusing) => {
    const securityAt = securityAtRoute(index, passes, refusing);
    return (method, paths) => ({ ...securityAt(method, paths), refusesUndocumented: !passes });
  });
  const own = new Set([metadata, ...gates]);

  function handle(req: ExpressRequest, res: ServerResponse, next: (error?: unknown) => void): void {
    const decision = decide(req);
    if (decision === PASS) next();
    else if ('reason' in decision) refuse(req, next, decision.reason);
    else if (decision.handle === undefined) letPass(req, next);
    else decision.handle(req, res, next);
  }

  function decide(req: ExpressRequest): RequestDecision | RequestRefusal | typeof PASS {
    const path = routedPath(req);
    if (path === undefined) return UNKNOWN_ROUTE;
    const method = req.method?.toUpperCase() ?? '';
    const found = index.find(method, path, pathSettingsOf(req));
    if (found.rivals !== undefined) return askRouter(req, path, found, found.rivals)?.decision ?? UNKNOWN_ROUTE;
    if (found.operation !== undefined) return found.operation.decision;
    return passes && mayPass(req, path, method) ? PASS : UNDOCUMENTED;
  }

  /** Passes a request of an open operation. It keeps the principal of an earlier gate. */
  function letPass(req: IncomingMessage, next: (error?: unknown) => void): void {
    setPrincipal(req, metadata, authContextOf(req)?.principal);
    next();
  }

  /**
   * Whether a request without an operation may pass. It must not pass if its path could be a path of the document for a
   * router that ignores case, a slash at the end or a double slash. A preflight request for such a path passes, except
   * if its route also handles another method: the handler of that method would then run without a check.
   */
  function mayPass(req: ExpressRequest, path: string, method: string): boolean {
    if (!index.mayBeKnown(path)) return true;
    if (method !== 'OPTIONS') return false;
    const methods = Object.keys(findRoute(req, path, method)?.methods ?? {});
    return methods.every((name) => name === 'options');
  }

  function principal(req: IncomingMessage): Principal | undefined {
    let context = authContextOf(req);
    while (context !== undefined && !own.has(context.gate)) context = context.earlier;
    return principalAt(req, context?.gate ?? metadata);
  }

  return createGate(handle as Middleware, metadata, principal);
}

const CHALLENGE = Object.freeze({ realm: 'api', resourceMetadata: undefined });

/**
 * Makes the metadata of the whole gate from those of the gates of its requirements. `optional` is `true`, because an
 * operation without security passes without a principal, like a request without a credential at an optional gate.
 */
function gateMetadata(
  gates: readonly GateMetadata[],
  atRoute: (refusing: GateMetadata) => GateMetadata['atRoute'],
): GateMetadata {
  const kinds = gates.some((gate) => gate.kinds === undefined) ? undefined : gates.flatMap((gate) => gate.kinds ?? []);
  const facts = {
    name: BY,
    challenge: CHALLENGE,
    plainChallenges: plainChallenges(CHALLENGE),
    scopes: [],
    accept: [...new Set(gates.flatMap(({ accept }) => accept ?? []))],
    allowSchemeless: gates.some(({ allowSchemeless }) => allowSchemeless),
  };
  const refusing = Object.freeze({ ...facts, kinds: [], accept: [], optional: false });
  return Object.freeze({ ...facts, kinds: kinds && [...new Set(kinds)], optional: true, atRoute: atRoute(refusing) });
}

/** Why a request has no operation: for the operator, because the caller gets the same answer for every reason. */
interface RequestRefusal {
  readonly reason: string;
}

const UNDOCUMENTED: RequestRefusal = Object.freeze({ reason: 'undocumented_operation' });
const UNKNOWN_ROUTE: RequestRefusal = Object.freeze({ reason: 'unknown_route' });
const PASS = Symbol('pass');

function refuse(req: IncomingMessage, next: (error: unknown) => void, reason: string): void {
  reportDecision(req, { outcome: 'refused', by: BY, code: 'undocumented_operation', reason });
  clearPrincipal(req);
  next(
    new KeywardError('undocumented_operation', 'This API has no operation for this method and path', { status: 404 }),
  );
}

/**
 * Decides whether a request belongs to a concrete or a templated operation. It asks the router which route handles the
 * path, and which routes handle example paths that only a template matches. A route that handles such an example
 * belongs to the templated operation.
 *
 * @param found - The operation that the document and the settings of the router select.
 * @returns `undefined` if it cannot be decided: the router tries the templated route before the concrete one, or it
 *   finds no route and the path differs from the concrete one in case or in a slash at the end.
 */
function askRouter<D>(
  req: ExpressRequest,
  path: string,
  { operation, isExact }: Found<D>,
  { concrete, templated, probes }: Rivals<D>,
): IndexedOperation<D> | undefined {
  const method = req.method ?? '';
  const route = findRoute(req, path, method);
  if (route === undefined) return isExact ? operation : undefined;
  const isTemplated = probes.some((probe) => findRoute(req, probe, method) === route);
  if (isExact) return isTemplated ? undefined : concrete;
  return isTemplated ? templated : concrete;
}
