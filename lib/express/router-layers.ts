/** What an Express app is made of, read from its router: the one place that knows how Express 4 and 5 keep it. */
import { METHODS } from 'node:http';

/** One thing mounted in a router. */
export type Layer = LayerFacts &
  (
    | { readonly sort: 'route'; readonly methods: readonly RouteMethod[] }
    | { readonly sort: 'router'; readonly layers: readonly Layer[] }
    | { readonly sort: 'function'; readonly handle: unknown; readonly isApp: boolean; readonly isErrorHandler: boolean }
  );

interface LayerFacts {
  readonly paths: readonly LayerPath[];
  /** Whether it is mounted at `/`, so that every request meets it. */
  readonly takesEveryPath: boolean;
  /** Whether a request to a path meets it. */
  covers(path: string): boolean;
}

/** A path as it was written. */
export interface LayerPath {
  readonly text: string;
  /** Paths of its kind to try on other layers; none for a regular expression, which may match anything. */
  readonly samples: readonly string[];
}

/** The handlers of a route for one method, in order. */
export interface RouteMethod {
  readonly method: string;
  readonly handles: readonly unknown[];
}

interface ExpressLayer {
  readonly handle: unknown;
  readonly name: string;
  readonly route?: ExpressRoute;
  /** Express 5, router 2.3 and later. */
  readonly rawPath?: unknown;
  readonly slash?: boolean;
  match?(path: string): unknown;
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
  const stack = stackOf(app);
  if (stack === undefined) throw new TypeError('auditRoutes: expected an Express app or router');
  return stack.map(readLayer);
}

function stackOf(app: unknown): readonly ExpressLayer[] | undefined {
  if (typeof app !== 'function' && (typeof app !== 'object' || app === null)) return undefined;
  // Express 4 keeps its router as _router, made at the first use, and its `router` throws.
  const { stack, lazyrouter, _router } = app as { stack?: unknown; lazyrouter?: unknown; _router?: unknown };
  if (Array.isArray(stack)) return stack;
  if (typeof lazyrouter === 'function') return _router === undefined ? [] : stackOf(_router);
  return stackOf((app as { router?: unknown }).router);
}

function readLayer(layer: ExpressLayer): Layer {
  const covers = (path: string) => matches(layer, path);
  const facts = { paths: pathsOf(layer), takesEveryPath: takesEveryPath(layer), covers };
  if (layer.route !== undefined) return { ...facts, sort: 'route', methods: methodsOf(layer.route) };
  const stack = typeof layer.handle === 'function' ? (layer.handle as { stack?: unknown }).stack : undefined;
  if (Array.isArray(stack)) return { ...facts, sort: 'router', layers: layersOf(layer.handle) };
  const isErrorHandler = typeof layer.handle === 'function' && layer.handle.length === 4;
  return { ...facts, sort: 'function', handle: layer.handle, isApp: layer.name === 'mounted_app', isErrorHandler };
}

function methodsOf({ stack }: ExpressRoute): readonly RouteMethod[] {
  const methods = [...new Set(stack.map(({ method }) => method))].filter((method) => method !== undefined);
  const handlesFor = (method: string | undefined) =>
    stack.filter((step) => step.method === undefined || step.method === method).map(({ handle }) => handle);
  const named = methods.map((method) => ({ method: method.toUpperCase(), handles: handlesFor(method) }));
  const [first] = named;
  if (first !== undefined && isEveryMethod(named)) return [{ method: 'ALL', handles: first.handles }];
  const all = handlesFor(undefined);
  return all.length === 0 ? named : [...named, { method: 'ALL', handles: all }];
}

/** `app.all` gives the same handlers to every method that Node knows, where `route.all` names none. */
function isEveryMethod(named: readonly RouteMethod[]): boolean {
  if (named.length !== METHODS.length) return false;
  return named.every(({ handles }) => handles.every((handle, index) => handle === named[0]?.handles[index]));
}

function takesEveryPath({ slash, regexp, route }: ExpressLayer): boolean {
  return route === undefined && (slash === true || regexp?.fast_slash === true);
}

function matches(layer: ExpressLayer, path: string): boolean {
  try {
    return layer.regexp === undefined ? Boolean(layer.match?.(path)) : layer.regexp.test(path);
  } catch {
    return false;
  }
}

function pathsOf(layer: ExpressLayer): readonly LayerPath[] {
  const written = layer.route === undefined ? mountPathOf(layer) : layer.route.path;
  return (Array.isArray(written) ? written.flat(Number.POSITIVE_INFINITY) : [written]).map((path: unknown) => {
    if (typeof path !== 'string') return { text: String(path), samples: [] };
    const text = path === '' || path === '*' ? `/${path}` : path;
    return { text, samples: samplesOf(layer, text) };
  });
}

function mountPathOf({ rawPath, regexp, keys = [] }: ExpressLayer): unknown {
  if (regexp !== undefined) return regexp.fast_slash ? '/' : writtenPathsOf(regexp, keys);
  if (rawPath !== undefined) return rawPath;
  throw new TypeError('auditRoutes: this version of "router" keeps no mount paths; npm install router@^2.3');
}

/** Express 4 keeps a mount path only as the expression made of it, one alternative a path, and the names of its keys. */
function writtenPathsOf(regexp: RegExp, keys: readonly { readonly name: unknown }[]): readonly unknown[] {
  const names = keys.map(({ name }) => name);
  return regexp.source.split(/\|(?=\^)/).map((source) => {
    const path = /^\^(.*)\\\/\?\(\?=\\\/\|\$\)$/
      .exec(source)?.[1]
      ?.replaceAll('(?:\\/([^/]+?))', () => `/:${names.shift()}`)
      .replaceAll('\\/', '/')
      .replaceAll('\\.', '.');
    return path === undefined || /[\\^$*+?()[\]{}|]/.test(path.replaceAll(/:\w+\?/g, '')) ? regexp : path;
  });
}

/**
 * Paths that a layer takes. A router that takes /PAYMENTS for /payments behind one that does not would let the former
 * past a gate of the latter; so would a wildcard, which takes slashes, past one at a parameter, which takes none.
 */
function samplesOf(layer: ExpressLayer, path: string): readonly string[] {
  const variants = variantsOf(path).map((variant) => variant || '/');
  const samples = [...variants, ...variants.map((variant) => variant.toUpperCase())];
  const taken = samples.filter((sample) => matches(layer, sample));
  return taken.length === 0 ? [path] : [...new Set(taken)];
}

/** Express 5 writes what may be left out as `{/:id}`, Express 4 as `/:id?`; both have wildcards, Express 4 patterns. */
function variantsOf(path: string): readonly string[] {
  const variable = /\{([^{}]*)\}|\/?:\w+(?:\([^)]*\))?\?|\*\w*|:\w+\([^)]*\)/.exec(path);
  if (variable === null) return [path];
  const [whole, inner] = variable;
  const [before, after] = [path.slice(0, variable.index), path.slice(variable.index + whole.length)];
  const optional = inner ?? (whole.endsWith('?') ? whole.slice(0, -1) : undefined);
  const choices = optional === undefined ? STAND_INS : [optional, ''];
  return choices.flatMap((choice) => variantsOf(before + choice + after));
}

/** What may stand in the place of a wildcard or a pattern: texts that nothing else is mounted at, a slash, nothing. */
const STAND_INS = ['standin', '8675309', '/', ''];
