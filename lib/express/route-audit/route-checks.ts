/** The gates, guards and parameter callbacks on the way to a route. */

import type { Segments } from '../path-segments.js';
import type { GateMetadata, GuardMetadata } from '../route-metadata.js';
import type { Handler } from '../unwrap-handler.js';
import { coversPath, mayMeet, UNKNOWN } from './path-coverage.js';
import type { Layer } from './router-layers.js';

/** A gate or a guard that every request for a route passes, or a callback that some requests may run. */
export interface RouteCheck {
  readonly gate?: GateMetadata | undefined;
  readonly guard?: GuardMetadata | undefined;
  /** The name of a parameter whose `router.param(name, callback)` runs here. */
  readonly callback?: string;
}

/** The names of middlewares that do not parse the body, so it is assumed that no request makes them fail. */
const NO_PARSERS = ['cookieParser', 'compression', 'corsMiddleware', 'helmetMiddleware', 'logger'];

/**
 * The names of middlewares that prepare a request and do not respond to it, except to CORS preflights. Names that an
 * app may use for its own handler (`session`, `query`) are left out.
 */
const PREPARATIONS: ReadonlySet<string> = new Set([
  ...['jsonParser', 'urlencodedParser', 'textParser', 'rawParser'],
  ...NO_PARSERS,
]);

/**
 * The names of functions that are assumed to pass every request on without an error: the middlewares that do not parse
 * the body, and the functions that Express 4 itself mounts.
 */
const NEVER_FAIL: ReadonlySet<string> = new Set([...NO_PARSERS, 'query', 'expressInit']);

/**
 * Returns the checks that a request for a route passes in the layers before the layer of the route, and `own`, the
 * callbacks of that layer. Checks before an error handler that may ignore refusals do not count.
 *
 * After a refusal, Express still runs the parameter callbacks of `use()`, until an error handler ends the request. So a
 * callback is listed before each gate whose refusals no `bearerErrors` has ended yet: that gate does not protect it.
 */
export function checksAt(
  layers: readonly Layer[],
  own: readonly RouteCheck[],
  route: readonly Segments[],
): readonly RouteCheck[] {
  const swallower = layers.findLastIndex(isSwallower);
  const passed: RouteCheck[] = [];
  // Checks whose refusals no error handler has ended yet.
  let pending: RouteCheck[] = [];
  // Checks after a layer that may fail: Express skips them for a request with an error.
  const skipped: RouteCheck[] = [];
  let hasFailed = false;
  for (const [index, layer] of layers.entries()) {
    passed.push(...callbacksBefore(layer, route));
    if (endsRefusals(layer) && covers(layer, route)) {
      passed.push(...pending);
      pending = [];
    }
    hasFailed ||= isOpen([...passed, ...pending]) && mayFail(layer, route);
    // After a refusal, Express skips a router. So the callbacks inside the router come after the pending checks.
    const next = hasFailed ? skipped : pending;
    if (layer.type === 'router' && meets(layer, route)) next.push(...callbacksIn(layer, route));
    const checks = index > swallower ? checksOfLayer(layer, route) : [];
    (!hasFailed && pending.length === 0 && endsOwnRefusals(layer) ? passed : next).push(...checks);
  }
  return [...passed, ...own, ...pending, ...skipped];
}

/** Returns the checks among the handlers of a route, up to the first handler that may end the request. */
export function checksAmong(handlers: readonly Handler[]): readonly RouteCheck[] {
  const end = handlers.findIndex(mayEndRequest);
  // If an error handler ignores a refusal, the request continues with all handlers after it.
  const swallowed = handlers.slice(0, handlers.findLastIndex(takesRequests)).findLastIndex(swallowsErrors);
  const before = end === -1 ? handlers : handlers.slice(0, end);
  return before.slice(swallowed + 1).filter(isCheck);
}

/** Returns the parameter callbacks of a layer, which run before the functions that are mounted there. */
export function callbacksOf({ callbacks }: Layer): readonly RouteCheck[] {
  return callbacks.map((callback) => ({ callback }));
}

/** Whether a function handles requests: it is neither a gate nor a guard nor an error handler. */
export function takesRequests(handler: Handler): boolean {
  return !isCheck(handler) && !isErrorHandler(handler);
}

/**
 * Whether a function handles requests and may end one, or make it leave its router. `true` for all such functions
 * except known ones that only prepare requests.
 */
export function mayEndRequest(handler: Handler): boolean {
  return takesRequests(handler) && !isPreparation(handler);
}

function isCheck({ gate, guard }: Handler): boolean {
  return gate !== undefined || guard !== undefined;
}

/**
 * Returns the callbacks of a layer that may run for a request before it reaches a later route. Callbacks of a layer
 * that is itself a route are left out: they are listed for that route.
 */
function callbacksBefore(layer: Layer, route: readonly Segments[]): readonly RouteCheck[] {
  return layer.type !== 'route' && layer.callbacks.length > 0 && meets(layer, route) ? callbacksOf(layer) : [];
}

/**
 * Returns the callbacks inside a router that also run for a route after the router, and that no check in the router
 * protects from anonymous requests.
 */
function callbacksIn(router: Layer & { type: 'router' }, route: readonly Segments[]): readonly RouteCheck[] {
  const checks = checksAt(router.layers, [], router.takesEveryPath ? route : [[UNKNOWN]]);
  return checks.filter(({ callback }, index) => callback !== undefined && isOpen(checks.slice(0, index)));
}

function meets({ paths }: Layer, route: readonly Segments[]): boolean {
  const mounts = paths.flatMap(({ choices }) => choices);
  return mounts.some((mount) => route.some((segments) => mayMeet(mount, segments)));
}

function checksOfLayer(layer: Layer, route: readonly Segments[]): readonly RouteCheck[] {
  // A parameter callback may end the request itself, so gates that are mounted at a path with such a parameter do not
  // count.
  if (layer.type === 'route' || layer.callbacks.length > 0 || !covers(layer, route)) return [];
  if (layer.type === 'function') return [layer.handler].filter(isCheck);
  // If an error handler in the router ignores a refusal, the request leaves the router as if it had passed.
  if (layer.layers.some(isSwallower)) return [];
  // Any other function, or a parameter callback, could let the request leave the router before its gates.
  const stop = layer.layers.findIndex(
    (inner) => inner.type !== 'function' || inner.callbacks.length > 0 || mayEndRequest(inner.handler),
  );
  return layer.layers
    .slice(0, stop === -1 ? undefined : stop)
    .flatMap((inner) =>
      layer.takesEveryPath || inner.takesEveryPath ? checksOfLayer(inner, routeIn(layer, route)) : [],
    );
}

/**
 * Returns the path of a route inside a router. A router at `/` gets the whole path; inside any other router, the rest
 * of the path is not known.
 */
function routeIn({ takesEveryPath }: Layer, route: readonly Segments[]): readonly Segments[] {
  return takesEveryPath ? route : [];
}

function covers({ paths, takesEveryPath }: Layer, route: readonly Segments[]): boolean {
  if (takesEveryPath) return true;
  const mounts = paths.flatMap(({ choices }) => choices);
  return route.length > 0 && route.every((segments) => mounts.some((mount) => coversPath(mount, segments)));
}

function endsRefusals(layer: Layer): boolean {
  return layer.type === 'function' && layer.handler.isBearerErrors;
}

/** Whether a router ends the refusals of its own gates, so that they do not reach the layers after it. */
function endsOwnRefusals(layer: Layer): boolean {
  if (layer.type !== 'router') return false;
  const last = layer.layers.findLastIndex(
    (inner) => inner.type === 'router' || (inner.type === 'function' && isCheck(inner.handler)),
  );
  return layer.layers.findLastIndex((inner) => endsRefusals(inner) && inner.takesEveryPath) > last;
}

/**
 * Whether a layer may call `next` with an error that is not a refusal, for an anonymous request: for example, a parser
 * that gets malformed JSON. `bearerErrors` passes such an error on, and Express then skips the gates after the layer.
 */
function mayFail(layer: Layer, route: readonly Segments[]): boolean {
  if (!meets(layer, route)) return false;
  if (layer.type === 'route') return true;
  if (layer.type === 'function') return takesRequests(layer.handler) && !neverFails(layer.handler);
  const rest = layer.takesEveryPath ? route : [[UNKNOWN]];
  return layer.layers.some(
    (inner, index) => mayFail(inner, rest) && isOpen(checksAt(layer.layers.slice(0, index), [], rest)),
  );
}

function isSwallower(layer: Layer): boolean {
  return layer.type === 'function' && swallowsErrors(layer.handler);
}

/** Whether an error handler may let a refused request continue: `true` for all that `bearerErrors` did not make. */
function swallowsErrors(handler: Handler): boolean {
  return isErrorHandler(handler) && !handler.isBearerErrors;
}

/** Whether Express calls a function only with an error. */
export function isErrorHandler({ length }: Handler): boolean {
  return length === 4;
}

/**
 * Whether a function only prepares requests: it responds only at its own well-known path, or has a known name and three
 * parameters.
 */
function isPreparation({ name, length, isResourceMetadata }: Handler): boolean {
  return isResourceMetadata || (length === 3 && PREPARATIONS.has(name));
}

/** Whether a function calls `next` without an error, whatever the request is. */
function neverFails({ name, length, isResourceMetadata }: Handler): boolean {
  return isResourceMetadata || (length === 3 && NEVER_FAIL.has(name));
}

/** Whether a request without a credential passes the checks. */
export function isOpen(checks: readonly RouteCheck[]): boolean {
  const gates = checks.flatMap(({ gate }) => gate ?? []);
  const isGuarded = checks.some(({ guard }) => guard !== undefined && !guard.passesAnonymous);
  return gates.length === 0 || (!isGuarded && gates.every(({ optional }) => optional));
}
