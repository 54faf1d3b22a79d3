/**
 * Finds the layers of Express that a request meets, up to the route that handles it. It asks the matchers of the
 * routers, so it finds the same route as Express.
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
  /** The methods that it handles, in lower case; `_all` for every method. */
  readonly methods: Readonly<Record<string, unknown>>;
  readonly stack: readonly (MountedLayer & { readonly method?: string })[];
}

interface RoutedLayer extends MountedLayer {
  readonly route?: ExpressRoute;
  /** The path that the last call of `match` matched. It is needed for Express 4, where `match` returns only `true`. */
  readonly path?: string;
  match(path: string): boolean | { readonly path: string };
}

/** A layer that a request meets. */
export type MetLayer =
  /** A function, or a router, whose own layers follow. */
  | { readonly type: 'function'; readonly layer: MountedLayer }
  /**
   * A mounted app, whose own layers follow; if it is `undefined`, they do not. Express hides a mounted app in a
   * function, so only the apps in which the request already is are known. `app` is the one that may be mounted here.
   */
  | { readonly type: 'app'; readonly app: ExpressApp | undefined }
  /** The route that handles the request; nothing follows it. `handlers` are those for the method of the request. */
  | { readonly type: 'route'; readonly route: ExpressRoute; readonly handlers: readonly MountedLayer[] };

/**
 * Yields the layers that a request meets, from the outermost app to the route that handles it, in the order in which
 * Express tries them. Without a route, it yields every layer that matches the path.
 *
 * @param path - The whole path, not decoded and without its query.
 * @param method - A route for GET also handles HEAD.
 * @throws any error of a matcher: for a parameter that cannot be decoded, Express answers 400.
 */
export function* layersToRoute(req: ExpressRequest, path: string, method: string): Generator<MetLayer, void> {
  const apps: ExpressApp[] = [];
  for (let app = req.app; app !== undefined && !apps.includes(app); app = ownParent(app)) apps.unshift(app);
  const [outermost, ...mounted] = apps;
  yield* layersIn(routerOf(outermost), path, method.toLowerCase(), mounted);
}

/** Returns the app in which an app is mounted. Express sets `parent` on the mounted app itself. */
function ownParent(app: ExpressApp): ExpressApp | undefined {
  return Object.hasOwn(app, 'parent') ? app.parent : undefined;
}

/** Returns the router of an app; `undefined` in Express 4 if the app has no layers. */
export function routerOf(app: ExpressApp | undefined): unknown {
  return app?.lazyrouter === undefined ? app?.router : app._router;
}

/** Yields the layers of one router. It returns whether the last one is the route that handles the request. */
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
      yield { type: 'route', route: layer.route, handlers };
      return true;
    }
    const prefix = matched === true ? (layer.path ?? '') : matched.path;
    const rest = path.slice(prefix.length);
    const inner = rest.startsWith('/') ? rest : `/${rest}`;
    const { handle } = readHandler(layer);
    if (layer.name === 'mounted_app') {
      const [next, ...others] = mounted;
      const app = next !== undefined && mayBeMountedAt(next, prefix) ? next : undefined;
      yield { type: 'app', app };
      if (yield* layersIn(routerOf(app), inner, method, others)) return true;
    } else if (isApp(handle)) {
      yield { type: 'app', app: undefined };
    } else {
      yield { type: 'function', layer };
      if (yield* layersIn(handle, inner, method, mounted)) return true;
    }
  }
  return false;
}

/** Whether an app may be the one that is mounted at a path. It is not, if it is mounted at another path. */
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

/** Whether a function is an app, which `router.use` mounts without a wrapper. Express tells apps in the same way. */
function isApp(handle: unknown): boolean {
  const { handle: ownHandle, set } = Object(handle) as { handle?: unknown; set?: unknown };
  return typeof ownHandle === 'function' && typeof set === 'function';
}
