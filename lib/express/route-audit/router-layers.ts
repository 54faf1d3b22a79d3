/** Reads the layers of an Express 4 or 5 app from its router, for the route audit. */
import { METHODS } from 'node:http';
import { type ExpressApp, routerOf } from '../layers-to-route.js';
import type { Segments } from '../path-segments.js';
import { type Handler, isSameHandler, readHandler } from '../unwrap-handler.js';
import { type PathRules, readPath, UNKNOWN } from './path-coverage.js';

/** One function, router or route that is mounted in a router. */
export type Layer = LayerFacts &
  (
    | { readonly type: 'route'; readonly methods: readonly RouteMethod[] }
    | { readonly type: 'router'; readonly layers: readonly Layer[]; readonly separator: Segments }
    | { readonly type: 'function'; readonly handler: Handler; readonly isApp: boolean }
  );

interface LayerFacts {
  readonly paths: readonly LayerPath[];
  /** Whether the layer is mounted at `/` and therefore gets every request. */
  readonly takesEveryPath: boolean;
  /**
   * Whether the layer belongs to the app itself, or to a router at `/` of the app. Layers in a router at a path, and in
   * an app that is mounted in another app, may get a URL that Express has shortened.
   */
  readonly isOutermost: boolean;
  /**
   * The parameters in the paths of the layer that have a `router.param(name, callback)`. The callback runs before the
   * mounted function, and can skip it.
   */
  readonly callbacks: readonly string[];
}

/**
 * A path as it is written in the app, and what it can match: one entry in `choices` for each combination of its
 * optional parts.
 */
export interface LayerPath {
  readonly text: string;
  readonly choices: readonly Segments[];
}

/** The handlers of a route for one method, in order. */
export interface RouteMethod {
  readonly method: string;
  readonly handlers: readonly Handler[];
}

interface ExpressRouter {
  readonly stack: readonly ExpressLayer[];
  readonly caseSensitive?: boolean;
  readonly strict?: boolean;
  readonly params?: Readonly<Record<string, unknown>>;
}

interface ExpressLayer {
  readonly handle: unknown;
  readonly name: string;
  readonly route?: ExpressRoute;
  /** Only in Express 5 with version 2.3 or later of the package `router`. */
  readonly rawPath?: unknown;
  readonly slash?: boolean;
  /** Only in Express 4. */
  readonly regexp?: RegExp & { readonly fast_slash?: boolean };
  readonly keys?: readonly { readonly name: unknown }[];
}

interface ExpressRoute {
  readonly path: unknown;
  readonly stack: readonly { readonly method?: string; readonly handle: unknown; readonly name: string }[];
}

/** Reads the layers of an app or a router. */
export function layersOf(app: unknown): readonly Layer[] {
  const router = readRouter(app);
  if (router === undefined) throw new TypeError('auditRoutes: expected an Express app or router');
  const isOutermost = !isRouter(app) && (app as ExpressApp).parent === undefined;
  return router.stack.map((layer) => readLayer(layer, router, isOutermost));
}

function readRouter(app: unknown): ExpressRouter | undefined {
  if (typeof app !== 'function') return undefined;
  if (isRouter(app)) return app;
  const router = routerOf(app as ExpressApp);
  // Express 4 creates the router of an app at its first use.
  if (router === undefined && (app as ExpressApp).lazyrouter !== undefined) return { stack: [] };
  return isRouter(router) ? router : undefined;
}

/**
 * Whether a value is an Express router. A `stack` alone is not enough, because routers of other frameworks have one
 * too.
 */
export function isRouter(value: unknown): value is ExpressRouter {
  return hasLayers(value) && typeof (value as { use?: unknown }).use === 'function';
}

function hasLayers(value: unknown): value is ExpressRouter {
  if (typeof value !== 'function') return false;
  const { stack, params } = value as { stack?: unknown; params?: unknown };
  if (!Array.isArray(stack) || typeof params !== 'object') return false;
  return stack.every((layer) => typeof layer?.match === 'function');
}

/** Returns the router that is mounted in a layer; `undefined` if the layer is a function or an app. */
export function routerIn(handler: Handler): ExpressRouter | undefined {
  const { handle, isCopy, name } = handler;
  // The wrapper of express-async-errors copies only the own properties of a router, so inherited properties, such as
  // `use`, are missing.
  return isRouter(handle) || (isCopy && name === 'router' && hasLayers(handle)) ? handle : undefined;
}

function readLayer(layer: ExpressLayer, router: ExpressRouter, isOutermost: boolean): Layer {
  const takesEveryPath = layer.slash === true || layer.regexp?.fast_slash === true;
  const paths = pathsOf(layer, router);
  const facts = { paths, takesEveryPath, isOutermost, callbacks: callbacksOf(layer, router) };
  if (layer.route !== undefined) return { ...facts, type: 'route', methods: methodsOf(layer.route) };
  const handler = readHandler(layer);
  const inside = routerIn(handler);
  if (inside !== undefined) {
    // In Express 4, a router at `/api` also gets `/api//payments`, which a gate at `/api/payments` does not match. With
    // an unknown separator, this gate does not count.
    const separator = layer.regexp !== undefined && !takesEveryPath ? [UNKNOWN] : [];
    const layers = inside.stack.map((inner) => readLayer(inner, inside, isOutermost && takesEveryPath));
    return { ...facts, type: 'router', layers, separator };
  }
  // `app.use` wraps another app in a function with the name `mounted_app`; `router.use` mounts the app itself.
  const isApp = handler.name === 'mounted_app' || readRouter(handler.handle) !== undefined;
  return { ...facts, type: 'function', handler, isApp };
}

function callbacksOf(layer: ExpressLayer, { params = {} }: ExpressRouter): readonly string[] {
  return parametersOf(layer).filter((name) => Object.hasOwn(params, name));
}

function parametersOf({ keys, regexp, route, rawPath }: ExpressLayer): readonly string[] {
  if (regexp !== undefined) return (keys ?? []).map(({ name }) => String(name));
  const paths = [route === undefined ? rawPath : route.path].flat(Number.POSITIVE_INFINITY);
  return [...new Set(paths.flatMap((path) => (path instanceof RegExp ? groupsOf(path) : namesIn(String(path)))))];
}

const PARAMETERS = /\\.|[:*](?:"((?:[^"\\]|\\.)*)"|([\p{ID_Start}$_][\p{ID_Continue}$]*))/gu;

function namesIn(path: string): readonly string[] {
  return [...path.matchAll(PARAMETERS)].flatMap(
    ([, quoted, plain]) => plain ?? quoted?.replaceAll(/\\(.)/g, '$1') ?? [],
  );
}

/**
 * Returns the parameters of a path that is a regular expression: the names and the numbers of its groups. The
 * expression gets an empty alternative and then matches the empty text, so the result of `exec` lists all groups.
 */
function groupsOf({ source, flags }: RegExp): readonly string[] {
  const found = new RegExp(`${source}|`, flags).exec('');
  const numbers = Array.from({ length: (found?.length ?? 1) - 1 }, (_, index) => String(index));
  return [...Object.keys(found?.groups ?? {}), ...numbers];
}

function methodsOf({ stack }: ExpressRoute): readonly RouteMethod[] {
  const methods = [...new Set(stack.map(({ method }) => method))].filter((method) => method !== undefined);
  const handlersFor = (method: string | undefined) =>
    stack.filter((step) => step.method === undefined || step.method === method).map(readHandler);
  const named = methods.map((method) => ({ method: method.toUpperCase(), handlers: handlersFor(method) }));
  const [first] = named;
  if (first !== undefined && isEveryMethod(named, first.handlers)) return [{ method: 'ALL', handlers: first.handlers }];
  return [...named, { method: 'ALL', handlers: handlersFor(undefined) }];
}

/**
 * Whether every method that Node knows has the same handlers, as in a route that `app.all` made. It is `false` for a route
 * that `route.all` made, because its handlers have no method; `methodsOf` lists them as `ALL` anyway.
 */
function isEveryMethod(named: readonly RouteMethod[], first: readonly Handler[]): boolean {
  if (named.length !== METHODS.length) return false;
  return named.every(({ handlers }) => handlers.every((handler, index) => isSameHandler(handler, first[index])));
}

function pathsOf(layer: ExpressLayer, router: ExpressRouter): readonly LayerPath[] {
  const { regexp, route, slash, rawPath } = layer;
  if (route === undefined && regexp === undefined && rawPath === undefined) {
    throw new TypeError(
      'auditRoutes: this version of the package "router" does not store the paths of mounted routers; run: npm install router@^2.3',
    );
  }
  const rules: PathRules = {
    version: regexp === undefined ? 5 : 4,
    sensitive: regexp?.flags.includes('i') === false || router.caseSensitive === true,
    strict: route !== undefined && router.strict === true,
  };
  const paths = writtenPaths(layer);
  // In Express 4, a layer whose list of paths is empty matches every path.
  return (paths.length === 0 && regexp !== undefined ? [regexp] : paths).map((path: unknown) => {
    const text = path === '' || path === '*' ? `/${path}` : String(path);
    return { text, choices: slash === true ? [[]] : readPath(path, rules) };
  });
}

/**
 * Returns the paths and regular expressions of a layer, as they are written in the app. A mounted function or router
 * has the path `undefined` if the version of Express does not store it.
 */
export function writtenPaths({ route, rawPath, regexp, keys = [] }: ExpressLayer): readonly unknown[] {
  const written = route === undefined ? ((regexp && mountPathsOf(regexp, keys)) ?? rawPath) : route.path;
  return [written].flat(Number.POSITIVE_INFINITY);
}

/** What Express 4 makes of `/:id`: the second form is that of Express 4.18 and older. Text after it is no parameter. */
const PARAMETER_SOURCE = /(?:\(\?:\\\/\(\[\^\\?\/\]\+\?\)\)|\\\/\(\?:\(\[\^\\?\/\]\+\?\)\))(?!\w)/g;

/**
 * Returns the mount paths as they are written in the app. Express 4 does not store them: it stores a regular
 * expression, with one alternative for each path, and the names of the parameters.
 */
function mountPathsOf(regexp: RegExp, keys: readonly { readonly name: unknown }[]): readonly unknown[] {
  // A regular expression of the app with the flag `g` or `y` does not match every second time.
  if (!/^i?$/.test(regexp.flags)) return [regexp];
  const names = keys.map(({ name }) => name);
  return regexp.source
    .replace(/^\(\?:(\^.*)\)$/, '$1')
    .split(/\|(?=\^)/)
    .map((source) => {
      const path = /^\^(.*)\\\/\?\(\?=\\\/\|\$\)$/
        .exec(source)?.[1]
        ?.replaceAll(PARAMETER_SOURCE, (group) => (names.length > 0 ? `/:${names.shift()}` : group))
        .replaceAll('\\/', '/')
        .replaceAll('\\.', '.');
      if (path !== undefined && !/[\\^$*+?()[\]{}|]|\/$/.test(path.replaceAll(/(:\w+)\?/g, '$1'))) return path;
      // This alternative cannot be converted back to a path, so the number of its parameters is not known. The
      // alternatives after it get no parameter names.
      names.length = 0;
      return regexp;
    });
}
