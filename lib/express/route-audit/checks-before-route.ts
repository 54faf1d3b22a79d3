/** Finds the gates, guards and `router.param` callbacks that a request passes before it reaches a route. */

import type { Segment, Segments } from '../path-segments.js';
import type { GateMetadata, GuardMetadata } from '../route-metadata.js';
import type { Handler } from '../unwrap-handler.js';
import { coversPath, isPlain, mayBecome, mayMeet, UNKNOWN } from './path-coverage.js';
import type { Layer } from './router-layers.js';

/** A gate or a guard that every request for a route passes, or a callback that some requests may run. */
export interface RouteCheck {
  readonly gate?: GateMetadata | undefined;
  readonly guard?: GuardMetadata | undefined;
  /** The name of a parameter whose `router.param(name, callback)` runs here. */
  readonly callback?: string;
}

/**
 * The path of a function, router or app that a request may enter on its way to a route.
 *
 * Express cuts this path from the URL and puts it back later. It cuts as many characters as the path has after
 * `url.parse`. If the target of a request is a whole URL or contains `#`, that path may differ from the URL: `{`
 * becomes `%7B`, and a backslash becomes a slash. Express then cuts other characters, and the layers that follow match
 * another path than the layers before. So a gate at a path counts only if it covers every such mount too: no request
 * can enter the mount without passing the gate.
 */
export interface Mount {
  readonly path: Segments;
  /**
   * Whether a gate at a path of literals need not cover the mount. In an app that is not mounted in another, Express
   * never cuts such literals wrongly, unless there are further mounts inside this one.
   */
  readonly keepsLiterals: boolean;
  /** Whether it is a router that holds the route, so that every request for the route enters it. */
  readonly holdsRoute: boolean;
}

/** Covers any part of a path. */
const ANY: Segment = { parameter: '' };

/** Stands for the mounts in another app, which are not known. */
const UNKNOWN_MOUNT: Mount = {
  path: [UNKNOWN],
  keepsLiterals: false,
  holdsRoute: false,
};

/**
 * Names of middlewares of known packages that do not parse the body. The audit assumes that they never call `next` with
 * an error. After an error, Express would skip the gates that follow.
 */
const NO_PARSERS = ['cookieParser', 'compression', 'corsMiddleware', 'helmetMiddleware', 'logger'];

/**
 * Names of middlewares of known packages that prepare a request and do not respond to it, except to CORS preflights.
 * An app's own function with such a name and three parameters counts as one of them. So `session` and `query` are left
 * out: an app may give these names to a handler that responds.
 */
const PREPARATIONS: ReadonlySet<string> = new Set([
  ...['jsonParser', 'urlencodedParser', 'textParser', 'rawParser'],
  ...NO_PARSERS,
]);

/**
 * Names of functions that always call `next` without an error, as the audit assumes: known middlewares that do not
 * parse the body, and the functions that Express 4 itself mounts.
 */
const NEVER_FAIL: ReadonlySet<string> = new Set([...NO_PARSERS, 'query', 'expressInit']);

/**
 * Returns the checks that a request passes before it reaches a route. Each check in the list protects only the
 * callbacks that are listed after it. Checks before an error handler that may ignore a refusal do not count.
 *
 * After a refusal, Express still runs the `router.param` callbacks of `use()`, until an error handler ends the request.
 * A gate protects a later callback only if `bearerErrors` is mounted between the two. Otherwise the callback is listed
 * before the gate.
 *
 * @param layers - The layers that are mounted before the layer of the route.
 * @param own - The callbacks of the layer of the route.
 * @param inner - The mounts after all these layers: the router of the route, and the mounts before the route in it.
 */
export function checksAt(
  layers: readonly Layer[],
  own: readonly RouteCheck[],
  route: readonly Segments[],
  inner: readonly Mount[] = [],
): readonly RouteCheck[] {
  const swallower = layers.findLastIndex(isSwallower);
  const passed: RouteCheck[] = [];
  // Checks for whose refusals no `bearerErrors` has been found yet.
  let pending: RouteCheck[] = [];
  // Checks after a layer that may call `next` with an error: Express skips them for this request. A gate before that
  // layer is listed before these checks, and still protects the callbacks after it.
  const skipped: RouteCheck[] = [];
  let hasFailed = false;
  // Whether a gate or guard, even one that does not count, may have refused the request, and no `bearerErrors` has
  // answered yet.
  let isRefused = false;
  for (const [index, layer] of layers.entries()) {
    const mounts = () => [...inner, ...layers.slice(index + 1).flatMap((later) => mountsOf(later, route))];
    if (layer.type !== 'route' && meets(layer, route)) passed.push(...callbacksOf(layer));
    if (endsRefusals(layer) && covers(layer, route, mounts)) {
      passed.push(...pending);
      pending = [];
      isRefused = false;
    }
    hasFailed ||= mayFail(layer, route);
    const next = hasFailed ? skipped : pending;
    // The callbacks of a route are listed for that route, or for later routes if it has only gates and guards. Express
    // skips them after a refusal or another error.
    if (layer.type === 'route' && !hasEndpoint(layer) && meets(layer, route)) next.push(...callbacksOf(layer));
    // After a refusal, Express skips a router. So the pending checks protect the callbacks inside the router, which are
    // listed after them, but the checks inside the router do not run.
    const inRouter = hasFailed || isRefused ? next : passed;
    if (layer.type === 'router' && meets(layer, route)) inRouter.push(...callbacksIn(layer, route));
    const checks = index > swallower ? checksOfLayer(layer, route, mounts) : [];
    (endsOwnRefusals(layer) ? inRouter : next).push(...checks);
    isRefused ||= mayRefuse(layer, route);
  }
  return [...passed, ...own, ...pending, ...skipped];
}

/** Returns the checks among the handlers of a route, up to the first handler that may end the request. */
export function checksAmong(handlers: readonly Handler[]): readonly RouteCheck[] {
  const end = handlers.findIndex(mayEndRequest);
  // Checks before an error handler do not count: if it ignores a refusal, the request continues with the handlers after
  // it.
  const swallowed = handlers.slice(0, handlers.findLastIndex(takesRequests)).findLastIndex(swallowsErrors);
  const before = end === -1 ? handlers : handlers.slice(0, end);
  return before.slice(swallowed + 1).filter(isCheck);
}

/**
 * Returns the `router.param` callbacks of a layer. Express runs them before the function or router that is mounted
 * there.
 */
export function callbacksOf({ callbacks }: Layer): readonly RouteCheck[] {
  return callbacks.map((callback) => ({ callback }));
}

/** Whether a function handles requests: it is not a gate, a guard or an error handler. */
export function takesRequests(handler: Handler): boolean {
  return !isCheck(handler) && !isErrorHandler(handler);
}

/**
 * Whether a function may answer a request, or make it leave its router by `next('router')`. `true` for every
 * function that `takesRequests`, except for known middlewares that only prepare a request.
 */
export function mayEndRequest(handler: Handler): boolean {
  return takesRequests(handler) && !isPreparation(handler);
}

function hasEndpoint({ methods }: Layer & { type: 'route' }): boolean {
  return methods.some(({ handlers }) => handlers.some(takesRequests));
}

function isCheck({ gate, guard }: Handler): boolean {
  return gate !== undefined || guard !== undefined;
}

/**
 * Returns the `router.param` callbacks inside a router that may also run for a route after the router. Callbacks that a
 * gate or guard in the router protects from anonymous requests are left out.
 */
function callbacksIn(router: Layer & { type: 'router' }, route: readonly Segments[]): readonly RouteCheck[] {
  const checks = checksAt(router.layers, [], pathsIn(router, route));
  return checks.filter(({ callback }, index) => callback !== undefined && isOpen(checks.slice(0, index)));
}

function meets({ paths }: Layer, route: readonly Segments[]): boolean {
  const mounts = paths.flatMap(({ choices }) => choices);
  return mounts.some((mount) => route.some((segments) => mayMeet(mount, segments)));
}

/**
 * Returns the mounts of a layer, and of the routers in it, that a request may enter before it reaches a route. A mount
 * that never leads to the route is left out. In a router at a path, only the first part of a path is certain to stay.
 */
export function mountsOf(layer: Layer, route: readonly Segments[]): readonly Mount[] {
  if (layer.type === 'route') return [];
  const inner = layer.type === 'router' ? layer.layers.flatMap((each) => mountsOf(each, pathsIn(layer, route))) : [];
  const inside = layer.type === 'function' && layer.isApp ? [UNKNOWN_MOUNT] : inner;
  if (layer.takesEveryPath) return inside;
  const keepsLiterals = layer.isOutermost && inside.length === 0;
  return layer.paths
    .flatMap(({ choices }) => choices)
    .filter((path) => route.some((segments) => mayBecome(layer.isOutermost ? path : path.slice(0, 1), segments)))
    .map((path) => ({ path, keepsLiterals, holdsRoute: false }));
}

function checksOfLayer(
  layer: Layer,
  route: readonly Segments[],
  mounts: () => readonly Mount[],
): readonly RouteCheck[] {
  // A `router.param` callback can skip the mounted function by `next('route')`. So a gate that is mounted at a path
  // with such a parameter does not count.
  if (layer.type === 'route' || layer.callbacks.length > 0 || !covers(layer, route, mounts)) return [];
  if (layer.type === 'function') return [layer.handler].filter(isCheck);
  // If an error handler in the router ignores a refusal, the request leaves the router as if it had passed the gate.
  if (layer.layers.some(isSwallower)) return [];
  // Checks after another function or a `router.param` callback do not count: either may call `next('router')`, and the
  // request leaves the router before these checks.
  const stop = layer.layers.findIndex(
    (inner) => inner.type !== 'function' || inner.callbacks.length > 0 || mayEndRequest(inner.handler),
  );
  const rest = routeIn(layer, route);
  return layer.layers.slice(0, stop === -1 ? undefined : stop).flatMap((inner, index) => {
    const later = layer.layers.slice(index + 1);
    return checksOfLayer(inner, rest, () => [...later.flatMap((each) => mountsOf(each, rest)), ...mounts()]);
  });
}

/**
 * Returns the paths of a route as a router sees them. A router at `/` sees the whole path. For any other router, the
 * part of the path that remains is not computed, so the result is empty: `covers` then accepts only layers at `/`.
 */
function routeIn({ takesEveryPath }: Layer, route: readonly Segments[]): readonly Segments[] {
  return takesEveryPath ? route : [];
}

/** Returns the paths that a request for a route may have inside a router. */
function pathsIn({ takesEveryPath }: Layer, route: readonly Segments[]): readonly Segments[] {
  return takesEveryPath ? route : [[UNKNOWN]];
}

/**
 * Whether every request for a route passes a layer.
 *
 * @param mounts - Returns the mounts that the request may enter after the layer.
 */
function covers(
  { type, paths, takesEveryPath }: Layer,
  route: readonly Segments[],
  mounts: () => readonly Mount[],
): boolean {
  if (takesEveryPath) return true;
  const own = paths.flatMap(({ choices }) => choices);
  if (route.length === 0 || !coverAll(own, route)) return false;
  const areLiterals = own.every(isPlain);
  const entered = mounts();
  if (!coverAll(own, pathsOf(entered.filter(({ keepsLiterals }) => !areLiterals || !keepsLiterals)))) return false;
  const holders = pathsOf(entered.filter(({ holdsRoute }) => holdsRoute)).map((path) => [...path, UNKNOWN]);
  return type !== 'router' || isEntered(own, route, [ANY]) || (holders.length > 0 && isEntered(own, holders, []));
}

/**
 * Whether Express runs the functions in a router for every request for these paths. For the target `x://host/a`, no
 * path is left in a router at `/a`, and Express skips each router there. So a router at `/a` is entered only for routes
 * below `/a`, and for routes in another router at `/a`.
 */
function isEntered(mounts: readonly Segments[], paths: readonly Segments[], rest: Segments): boolean {
  return paths.every((path) =>
    mounts.every((mount) => !mayMeet(mount, path) || coversPath([...mount, ...rest].fill(ANY), path)),
  );
}

function pathsOf(mounts: readonly Mount[]): readonly Segments[] {
  return mounts.map(({ path }) => path);
}

/** Whether each path is covered by one of the mount paths. */
function coverAll(mounts: readonly Segments[], paths: readonly Segments[]): boolean {
  return paths.every((path) => mounts.some((mount) => coversPath(mount, path)));
}

function endsRefusals(layer: Layer): boolean {
  return layer.type === 'function' && layer.handler.isBearerErrors;
}

/**
 * Whether a router itself answers the refusals of its gates, because `bearerErrors` is mounted in the router after
 * them.
 */
function endsOwnRefusals(layer: Layer): boolean {
  if (layer.type !== 'router') return false;
  const last = layer.layers.findLastIndex(
    (inner) => inner.type === 'router' || (inner.type === 'function' && isCheck(inner.handler)),
  );
  return layer.layers.findLastIndex((inner) => endsRefusals(inner) && inner.takesEveryPath) > last;
}

/** Whether a gate or a guard in a layer may refuse a request, and the layer itself does not answer the refusal. */
function mayRefuse(layer: Layer, route: readonly Segments[]): boolean {
  if (!meets(layer, route) || endsOwnRefusals(layer)) return false;
  if (layer.type !== 'router') return layer.type === 'function' && isCheck(layer.handler);
  return layer.layers.some((inner) => mayRefuse(inner, pathsIn(layer, route)));
}

/**
 * Whether a layer may call `next` with an error for an anonymous request: for example, a body parser that gets
 * malformed JSON. `bearerErrors` passes this error on, because it is not a refusal, and Express then skips the gates
 * after the layer.
 */
function mayFail(layer: Layer, route: readonly Segments[]): boolean {
  if (!meets(layer, route)) return false;
  if (layer.type === 'route') return true;
  if (layer.type === 'function') return takesRequests(layer.handler) && !neverFails(layer.handler);
  const rest = pathsIn(layer, route);
  return layer.layers.some(
    (inner, index) => mayFail(inner, rest) && isOpen(checksAt(layer.layers.slice(0, index), [], rest)),
  );
}

function isSwallower(layer: Layer): boolean {
  return layer.type === 'function' && swallowsErrors(layer.handler);
}

/**
 * Whether an error handler may ignore a refusal, so the request continues. `true` for every error handler that
 * `bearerErrors` did not make.
 */
function swallowsErrors(handler: Handler): boolean {
  return isErrorHandler(handler) && !handler.isBearerErrors;
}

/** Whether a function is an error handler. Express recognizes an error handler by its four parameters. */
export function isErrorHandler({ length }: Handler): boolean {
  return length === 4;
}

/**
 * Whether a function only prepares requests. This is true for `resourceMetadata()`, which responds only at its own
 * path, and for a function with a known name and three parameters.
 */
function isPreparation({ name, length, isResourceMetadata }: Handler): boolean {
  return isResourceMetadata || (length === 3 && PREPARATIONS.has(name));
}

/** Whether the audit assumes that a function never calls `next` with an error. */
function neverFails({ name, length, isResourceMetadata }: Handler): boolean {
  return isResourceMetadata || (length === 3 && NEVER_FAIL.has(name));
}

/** Whether a request without a credential passes the checks. */
export function isOpen(checks: readonly RouteCheck[]): boolean {
  const gates = checks.flatMap(({ gate }) => gate ?? []);
  const isGuarded = checks.some(({ guard }) => guard !== undefined && !guard.passesAnonymous);
  return gates.length === 0 || (!isGuarded && gates.every(({ optional }) => optional));
}
