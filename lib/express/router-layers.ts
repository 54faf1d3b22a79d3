/** What an Express app is made of, read from its router: the one place that knows how Express 4 and 5 keep it. */
import { METHODS } from 'node:http';
import { readPath, type Segments, UNKNOWN } from './route-path.js';

/** One thing mounted in a router. */
export type Layer = LayerFacts &
  (
    | { readonly sort: 'route'; readonly methods: readonly RouteMethod[] }
    | { readonly sort: 'router'; readonly layers: readonly Layer[]; readonly joint: Segments }
    | { readonly sort: 'function'; readonly handle: unknown; readonly isApp: boolean }
  );

interface LayerFacts {
  readonly paths: readonly LayerPath[];
  /** Whether it is mounted at `/`, so that every request meets it. */
  readonly takesEveryPath: boolean;
  /** Whether a callback for one of its parameters can pass by it. */
  readonly hasCallbacks: boolean;
}

/** A path as it was written, and what it can stand for. */
export interface LayerPath {
  readonly text: string;
  readonly choices: readonly Segments[];
}

/** The handlers of a route for one method, in order. */
export interface RouteMethod {
  readonly method: string;
  readonly handles: readonly unknown[];
}

interface ExpressRouter {
  readonly stack: readonly ExpressLayer[];
  readonly caseSensitive?: boolean;
  readonly params?: Readonly<Record<string, unknown>>;
}

interface ExpressLayer {
  readonly handle: unknown;
  readonly name: string;
  readonly route?: ExpressRoute;
  /** Express 5, router 2.3 and later. */
  readonly rawPath?: unknown;
  readonly slash?: boolean;
  /** Express 4. */
  readonly regexp?: RegExp & { readonly fast_slash?: boolean };
  readonly keys?: readonly { readonly name: unknown }[];
}

interface ExpressRoute {
  readonly path: unknown;
  readonly stack: readonly { readonly method?: string; readonly handle: unknown }[];
}

/** Reads the layers of an app or a router. */
export function layersOf(app: unknown): readonly Layer[] {
  const router = routerOf(app);
  if (router === undefined) throw new TypeError('auditRoutes: expected an Express app or router');
  return router.stack.map((layer) => readLayer(layer, router));
}

function routerOf(app: unknown): ExpressRouter | undefined {
  if (typeof app !== 'function') return undefined;
  if (isRouter(app)) return app;
  // Express 4 keeps its router as _router, made at the first use, and its `router` throws.
  const { lazyrouter, _router } = app as { lazyrouter?: unknown; _router?: unknown };
  if (typeof lazyrouter === 'function') return _router === undefined ? { stack: [] } : routerOf(_router);
  const { router } = app as { router?: unknown };
  return isRouter(router) ? router : undefined;
}

/** Other frameworks have a `stack` too. */
function isRouter(value: unknown): value is ExpressRouter {
  if (typeof value !== 'function') return false;
  const { stack, use, params } = value as { stack?: unknown; use?: unknown; params?: unknown };
  if (!Array.isArray(stack) || typeof use !== 'function' || typeof params !== 'object') return false;
  return stack.every((layer) => typeof layer?.match === 'function');
}

function readLayer(layer: ExpressLayer, router: ExpressRouter): Layer {
  const takesEveryPath = layer.slash === true || layer.regexp?.fast_slash === true;
  const paths = pathsOf(layer, layer.regexp?.flags.includes('i') === false || router.caseSensitive === true);
  const facts = { paths, takesEveryPath, hasCallbacks: hasCallbacks(paths, router) };
  const { handle } = layer;
  if (layer.route !== undefined) return { ...facts, sort: 'route', methods: methodsOf(layer.route) };
  if (isRouter(handle)) {
    // Express 4 lets a mount path swallow a second slash, so that /api//payments comes in past a gate at /api/payments.
    const joint = layer.regexp !== undefined && !takesEveryPath ? [UNKNOWN] : [];
    return { ...facts, sort: 'router', layers: layersOf(handle), joint };
  }
  // `app.use` wraps another app in a function of this name; `router.use` mounts the app itself.
  const isApp = layer.name === 'mounted_app' || routerOf(handle) !== undefined;
  return { ...facts, sort: 'function', handle, isApp };
}

function hasCallbacks(paths: readonly LayerPath[], { params = {} }: ExpressRouter): boolean {
  return paths
    .flatMap(({ choices }) => choices.flat())
    .some((part) => 'parameter' in part && Object.hasOwn(params, part.parameter));
}

function methodsOf({ stack }: ExpressRoute): readonly RouteMethod[] {
  const methods = [...new Set(stack.map(({ method }) => method))].filter((method) => method !== undefined);
  const handlesFor = (method: string | undefined) =>
    stack.filter((step) => step.method === undefined || step.method === method).map(({ handle }) => handle);
  const named = methods.map((method) => ({ method: method.toUpperCase(), handles: handlesFor(method) }));
  const [first] = named;
  if (first !== undefined && isEveryMethod(named)) return [{ method: 'ALL', handles: first.handles }];
  return [...named, { method: 'ALL', handles: handlesFor(undefined) }];
}

/** `app.all` gives the same handlers to every method that Node knows, where `route.all` names none. */
function isEveryMethod(named: readonly RouteMethod[]): boolean {
  if (named.length !== METHODS.length) return false;
  return named.every(({ handles }) => handles.every((handle, index) => handle === named[0]?.handles[index]));
}

function pathsOf(layer: ExpressLayer, sensitive: boolean): readonly LayerPath[] {
  const written = layer.route === undefined ? mountPathOf(layer) : layer.route.path;
  return (Array.isArray(written) ? written.flat(Number.POSITIVE_INFINITY) : [written]).map((path: unknown) => {
    const text = path === '' || path === '*' ? `/${path}` : String(path);
    return { text, choices: readPath(path, sensitive) };
  });
}

function mountPathOf({ rawPath, regexp, keys = [] }: ExpressLayer): unknown {
  if (regexp !== undefined) return writtenPathsOf(regexp, keys);
  if (rawPath !== undefined) return rawPath;
  throw new TypeError('auditRoutes: this version of "router" keeps no mount paths; npm install router@^2.3');
}

/** Express 4 keeps a mount path only as the expression made of it, one alternative a path, and the names of its keys. */
function writtenPathsOf(regexp: RegExp, keys: readonly { readonly name: unknown }[]): readonly unknown[] {
  const names = keys.map(({ name }) => name);
  return regexp.source.split(/\|(?=\^)/).map((source) => {
    const path = /^\^(.*)\\\/\?\(\?=\\\/\|\$\)$/
      .exec(source)?.[1]
      ?.replaceAll('(?:\\/([^/]+?))', (group) => (names.length > 0 ? `/:${names.shift()}` : group))
      .replaceAll('\\/', '/')
      .replaceAll('\\.', '.');
    if (path !== undefined && !/[\\^$*+?()[\]{}|]|\/$/.test(path.replaceAll(/(:\w+)\?/g, '$1'))) return path;
    // How many of the names were its own cannot be told, so none is left for those behind it.
    names.length = 0;
    return regexp;
  });
}
