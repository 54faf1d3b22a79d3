/**
 * Finds the layers that a request passes on its way to a route. Express calls each mounted function, router and app a
 * layer. The matchers of Express itself are called, so the result is the route that Express finds.
 */
import type { IncomingMessage } from 'node:http';
import { type MountedLayer, readHandler } from './unwrap-handler.js';

/** The properties that Express adds to a request. */
export interface ExpressRequest extends IncomingMessage {
  readonly originalUrl?: string;
  readonly baseUrl?: string;
  readonly app?: ExpressApp;
}

export interface ExpressApp {
  readonly parent?: ExpressApp;
  /** The path or the list of paths at which the app is mounted. */
  readonly mountpath?: unknown;
  readonly router?: unknown;
  /** Exists only in Express 4. It is checked before `router` is read, because reading `router` throws in Express 4. */
  readonly lazyrouter?: unknown;
  readonly _router?: unknown;
}

/** A route of an app. */
export interface ExpressRoute {
  /** The path, the regular expression or the list of both, as it is written in the app. */
  readonly path: unknown;
  /** The HTTP methods of the route in lower case; `_all` means every method. */
  readonly methods: Readonly<Record<string, unknown>>;
  readonly stack: readonly (MountedLayer & { readonly method?: string })[];
}

interface RoutedLayer extends MountedLayer {
  readonly route?: ExpressRoute;
  /** The path that the last call of `match` matched. It is needed for Express 4, where `match` returns only `true`. */
  readonly path?: string;
  match(path: string): boolean | { readonly path: string };
}

/** A layer that a request passes on its way to the route. */
export type MetLayer =
  /** A mounted function or router. The layers inside a router follow after it. */
  | { readonly type: 'function'; readonly layer: MountedLayer }
  /**
   * A mounted app. Express hides it in a function, so only the apps that the request has already entered can be known.
   * `app` is the entered app that may be mounted here; the layers inside it follow. `undefined`: the app is not known,
   * and its layers do not follow.
   */
  | { readonly type: 'app'; readonly layer: MountedLayer; readonly app: ExpressApp | undefined }
  /** The route that handles the request: the last layer. `handlers` are its functions for the method of the request. */
  | {
      readonly type: 'route';
      readonly layer: MountedLayer;
      readonly route: ExpressRoute;
      readonly handlers: readonly MountedLayer[];
    };

/**
 * Yields the layers that a request passes, from the outermost app to the route that handles it, in the order in which
 * Express tries them. If no route handles the request, it yields every layer that matches the path.
 *
 * @param path - The whole path, not decoded and without its query.
 * @param method - The method of the request. A HEAD request is also handled by a route for GET.
 * @throws any error of a matcher, for example if a path parameter cannot be decoded.
 */
export function* layersToRoute(req: ExpressRequest, path: string, method: string): Generator<MetLayer, void> {
  const apps: ExpressApp[] = [];
  for (let app = req.app; app !== undefined && !apps.includes(app); app = ownParent(app)) apps.unshift(app);
  const [outermost, ...mounted] = apps;
  yield* layersIn(routerOf(outermost), path, method.toLowerCase(), mounted);
}

/**
 * Returns the app in which an app is mounted. Only an own property counts, because Express sets `parent` on the mounted
 * app itself.
 */
function ownParent(app: ExpressApp): ExpressApp | undefined {
  return Object.hasOwn(app, 'parent') ? app.parent : undefined;
}

/** Returns the router of an app; `undefined` in Express 4 if the app has no layers. */
export function routerOf(app: ExpressApp | undefined): unknown {
  return app?.lazyrouter === undefined ? app?.router : app._router;
}

/**
 * Yields the layers of one router and of the routers and apps inside it. The generator returns `true` when it has
 * reached the route that handles the request.
 *
 * @param mounted - The apps inside this one that the request has already entered, from outer to inner.
 */
function* layersIn(
  router: unknown,
  path: string,
  method: string,
  mounted: readonly ExpressApp[],
): Generator<MetLayer, boolean> {
  const { stack } = Object(router) as { stack?: readonly RoutedLayer[] };
  for (const layer of stack ?? []) {
    const matched = layer.match(path);
    if (matched === false) continue;
    if (layer.route !== undefined) {
      const handlers = handlersFor(layer.route, method);
      if (handlers === undefined) continue;
      yield { type: 'route', layer, route: layer.route, handlers };
      return true;
    }
    const prefix = matched === true ? (layer.path ?? '') : matched.path;
    const rest = path.slice(prefix.length);
    const inner = rest.startsWith('/') ? rest : `/${rest}`;
    const { handle } = readHandler(layer);
    if (layer.name === 'mounted_app') {
      const [next, ...others] = mounted;
      const app = next !== undefined && mayBeMountedAt(next, prefix) ? next : undefined;
      yield { type: 'app', layer, app };
      if (yield* layersIn(routerOf(app), inner, method, others)) return true;
    } else if (isApp(handle)) {
      yield { type: 'app', layer, app: undefined };
    } else {
      yield { type: 'function', layer };
      if (yield* layersIn(handle, inner, method, mounted)) return true;
    }
  }
  return false;
}

/**
 * Whether an app may be mounted at a path. The answer is `true` for a mount path that cannot be compared, such as a
 * pattern or a list.
 */
function mayBeMountedAt({ mountpath }: ExpressApp, prefix: string): boolean {
  if (typeof mountpath !== 'string' || !/^[\w/.~-]*$/.test(mountpath)) return true;
  return withoutLastSlash(mountpath) === withoutLastSlash(prefix);
}

function withoutLastSlash(path: string): string {
  return path.toLowerCase().replace(/\/$/, '');
}

/** Returns the handlers of a route for a method; `undefined` if the route does not handle the method. */
function handlersFor({ methods, stack }: ExpressRoute, method: string): readonly MountedLayer[] | undefined {
  const handled = method === 'head' && !methods.head ? 'get' : method;
  if (!methods[handled] && !methods._all) return undefined;
  return stack.filter((handler) => handler.method === undefined || handler.method === handled);
}

/**
 * Whether a function is an Express app. `router.use` mounts an app without a wrapper. Express itself recognizes an app
 * by these two functions.
 */
function isApp(handle: unknown): boolean {
  const { handle: ownHandle, set } = Object(handle) as { handle?: unknown; set?: unknown };
  return typeof ownHandle === 'function' && typeof set === 'function';
}
