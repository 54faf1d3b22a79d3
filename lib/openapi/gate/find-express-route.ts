/**
 * Finds the route that handles a path. It asks the matchers of the app's router, so it finds the same route as Express.
 */
import { readHandler } from '../../express/mounted-handler.js';
import { type ExpressApp, type ExpressRequest, routerOf } from './request-path.js';

/** A route of an app. */
export interface ExpressRoute {
  /** The methods that it handles, in lower case; `_all` for every method. */
  readonly methods?: Readonly<Record<string, unknown>>;
}

interface RoutedLayer {
  readonly name: string;
  readonly handle: unknown;
  readonly route?: ExpressRoute;
  /** The path that the last call of `match` matched. It is needed for Express 4, where `match` returns only `true`. */
  readonly path?: string;
  match(path: string): boolean | { readonly path: string };
}

/**
 * Finds the first route of a request's app that handles a path, in the order in which Express tries them.
 *
 * @param method - In upper case. A route for GET also handles HEAD.
 * @returns The route, always the same object of Express; `undefined` if there is none, or if it is inside a handler
 *   that hides its routes.
 */
export function findRoute(req: ExpressRequest, path: string, method: string): ExpressRoute | undefined {
  const apps: ExpressApp[] = [];
  for (let app = req.app; app !== undefined && !apps.includes(app); app = ownParent(app)) apps.unshift(app);
  const methods = method === 'HEAD' ? ['head', 'get', '_all'] : [method.toLowerCase(), '_all'];
  try {
    return findIn(routerOf(apps[0]), path, methods, apps.slice(1));
  } catch {
    // A matcher throws for a parameter that cannot be decoded. Express answers such a request with 400.
    return undefined;
  }
}

/** Returns the app in which an app is mounted. Express sets `parent` on the mounted app itself. */
function ownParent(app: ExpressApp): ExpressApp | undefined {
  return Object.hasOwn(app, 'parent') ? app.parent : undefined;
}

function findIn(
  router: unknown,
  path: string,
  methods: readonly string[],
  mounted: readonly ExpressApp[],
): ExpressRoute | undefined {
  const { stack } = Object(router) as { stack?: readonly RoutedLayer[] };
  for (const layer of stack ?? []) {
    const matched = layer.match(path);
    if (matched === false) continue;
    if (layer.route !== undefined) {
      if (methods.some((method) => layer.route?.methods?.[method])) return layer.route;
      continue;
    }
    const prefix = matched === true ? (layer.path ?? '') : matched.path;
    const rest = path.slice(prefix.length);
    const inner = rest.startsWith('/') ? rest : `/${rest}`;
    const found =
      layer.name === 'mounted_app'
        ? findIn(routerOf(mounted[0]), inner, methods, mounted.slice(1))
        : findIn(readHandler(layer).handle, inner, methods, mounted);
    if (found !== undefined) return found;
  }
  return undefined;
}
