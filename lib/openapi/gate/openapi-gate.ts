/**
 * Makes a gate from an OpenAPI document. The gate finds the operation of each request, and applies the security
 * requirement of the operation.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../../credentials/principal.js';
import { KeywardError } from '../../errors/keyward-error.js';
import { createGate, type Gate } from '../../express/gate/gate-type.js';
import { reportDecision } from '../../express/gate/report-decision.js';
import {
  authContextOf,
  clearPrincipal,
  earlierOf,
  principalAt,
  setPrincipal,
} from '../../express/gate/request-principal.js';
import type { ExpressRequest } from '../../express/layers-to-route.js';
import type { Middleware } from '../../express/middleware.js';
import type { GateMetadata } from '../../express/route-metadata.js';
import { anything, type OptionTable, oneOf, readTable, withDefault } from '../../options/option-table.js';
import { plainChallenges } from '../../protocol/challenge.js';
import { readOperationRequirements } from '../document/operation-requirements.js';
import { readDocument } from '../document/read-document.js';
import type { Schemes } from '../document/scheme-verifiers.js';
import { findRoute, hasPathList, hasPattern } from './find-express-route.js';
import { createRequirementGates, type RequirementGate } from './gate-per-requirement.js';
import { type Found, type IndexedOperation, OperationIndex, type Rivals } from './operation-index.js';
import { pathSettingsOf, routedPath } from './request-path.js';
import { securityAtRoute } from './route-audit-metadata.js';

/** Options of `openApiGate`. */
export interface OpenApiGateOptions {
  /**
   * The verifier for each scheme in `components.securitySchemes`, by the name of the scheme. For a scheme of the type
   * `mutualTLS`, set `'mutualTLS'`. A scheme that only webhooks and callbacks require needs no verifier.
   */
  readonly schemes: Schemes;
  /**
   * The prefix of every path of the document, from the root of the app, such as `/v1`. Default: the path of the URLs in
   * `servers` of the document. If these URLs have different paths, the option is required.
   */
  readonly basePath?: string | undefined;
  /**
   * What the gate does with a request that matches no operation. `'refuse'` passes an error with the status 404 to
   * `next`. `'pass'` lets the request continue, and keeps the principal of an earlier gate.
   *
   * Even with `'pass'`, the gate refuses a request for a path of the document with a method that the document does not
   * have. Paths that differ only in case or slashes count as the same path, because a router may ignore both. A
   * preflight request for such a path passes, unless its route in the app also handles other methods, or a mounted
   * function or app may answer it. Default: `'refuse'`.
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
 * The gate finds the operation by the path that Express routes: not decoded, and including mount paths. It uses the
 * app's settings `case sensitive routing` and `strict routing`. A concrete path has priority over a templated one, and
 * an operation for GET also applies to HEAD. Mount the gate at the root of the app, or of a router, before the routes
 * and after the middleware that handles CORS.
 *
 * A request is refused with the same error codes as by `requireBearer`: `credential_missing` (401), `invalid_request`
 * (400), `invalid_token` (401), `invalid_dpop_proof` and `use_dpop_nonce` (401, only with `dpop`), `insufficient_scope`
 * (403) or `temporarily_unavailable` (503). For a request that matches no operation, or whose operation cannot be
 * determined, `next` gets a `KeywardError` with `status` 404 and `code` `undocumented_operation`.
 *
 * @param document - An OpenAPI 3.0, 3.1 or 3.2 document, parsed. It is read once and not stored.
 * @param options - `schemes` has a verifier for each security scheme of the document.
 * @returns A gate for Express 4 and 5. `gate.principal(req)` returns the principal. For an operation without security,
 *   it returns the principal of an earlier gate, or `undefined`. If the credential is optional and the request has
 *   none, it returns `undefined`.
 * @throws TypeError if the document cannot be enforced, with a JSON pointer to the fault; and for an option that is
 *   missing, unknown or wrong.
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
  const requirementGates = createRequirementGates();
  const operations = readOperationRequirements(BY, readDocument(BY, document, basePath), schemes).map(
    ({ operation, requirement }) => ({ operation, decision: requirementGates.of(requirement) }),
  );
  const index = new OperationIndex(operations);
  const passes = undocumented === 'pass';
  const gates = requirementGates.all().flatMap(({ metadata: gate }) => gate ?? []);
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

  function decide(req: ExpressRequest): RequirementGate | RequestRefusal | typeof PASS {
    const path = routedPath(req);
    if (path === undefined) return UNKNOWN_ROUTE;
    const method = req.method?.toUpperCase() ?? '';
    const found = index.find(method, path, pathSettingsOf(req));
    if (found.rivals !== undefined)
      return askRouter(req, path, found, found.rivals, metadata)?.decision ?? UNKNOWN_ROUTE;
    if (found.operation !== undefined) return found.operation.decision;
    return passes && mayPass(req, path, method) ? PASS : UNDOCUMENTED;
  }

  /**
   * Lets a request for an operation without security pass. If an earlier gate set a principal, the request keeps it.
   */
  function letPass(req: IncomingMessage, next: (error?: unknown) => void): void {
    setPrincipal(req, metadata, authContextOf(req)?.principal);
    next();
  }

  /**
   * Whether a request that matches no operation may pass. It must not pass if a router that ignores case, double
   * slashes or a slash at the end could treat its path as a path of the document. A preflight request for such a path
   * passes, unless a mounted function or app may answer it, or its route also handles another method: then the handler
   * of the other method could run without a check.
   */
  function mayPass(req: ExpressRequest, path: string, method: string): boolean {
    if (!index.mayBeKnown(path)) return true;
    if (method !== 'OPTIONS') return false;
    const { route, hidden } = findRoute(req, path, method, metadata);
    return hidden.length === 0 && Object.keys(route?.methods ?? {}).every((name) => name === 'options');
  }

  function principal(req: IncomingMessage): Principal | undefined {
    let context = authContextOf(req);
    while (context !== undefined && !own.has(context.gate)) context = earlierOf(context);
    return principalAt(req, context?.gate ?? metadata);
  }

  return createGate(handle as Middleware, metadata, principal);
}

const CHALLENGE = Object.freeze({ realm: 'api', resourceMetadata: undefined });

/**
 * Combines the metadata of the gates of all requirements. `optional` is `true`, because a request for an operation
 * without security passes without a principal, as at an optional gate.
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

/**
 * The reason why no operation was found for a request. It is published in the event `keyward:decision`; the response is
 * the same for every reason.
 */
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
 * Decides whether a request is for a concrete operation, such as `/pets/mine`, or for a templated one, such as
 * `/pets/{id}`. It asks the router which route handles the path of the request, and which route handles an example path
 * that only the template matches. If it is the same route, the route belongs to the templated operation.
 *
 * @param found - The operation according to the document and the settings of the router.
 * @returns `undefined` if the operation cannot be determined: the router tries the templated route before the concrete
 *   one; a pattern, a list of paths, or a function or app that is mounted before the templated route may belong to
 *   either operation; or the router finds no route, and the path differs from the concrete path in case or in a slash at
 *   the end.
 */
function askRouter(
  req: ExpressRequest,
  path: string,
  { operation, isExact }: Found<RequirementGate>,
  { concrete, templated, probes }: Rivals<RequirementGate>,
  gate: GateMetadata,
): IndexedOperation<RequirementGate> | undefined {
  const method = req.method ?? '';
  const { route, layers, hidden } = findRoute(req, path, method, gate);
  if (route === undefined) return isExact ? operation : undefined;
  const others = probes.map((probe) => findRoute(req, probe, method, gate));
  if (others.every((other) => other.route !== route)) {
    // A pattern may match the concrete path and no example path, although its handlers belong to the template.
    const isSure = layers.every((layer) => !hasPattern(layer) || others.every((other) => other.layers.includes(layer)));
    return isSure ? concrete : undefined;
  }
  if (isExact) {
    // What is mounted only at the concrete path handles the request, or passes it to the templated route. The security
    // of the concrete operation is enough for both if the templated operation has none.
    const isMountedHere = hidden.some((layer) => others.every((other) => !other.hidden.includes(layer)));
    return isMountedHere && templated.decision.handle === undefined ? concrete : undefined;
  }
  const isSure = hidden.length === 0 && !layers.some((layer) => hasPattern(layer) || hasPathList(layer));
  return isSure ? templated : undefined;
}
