/** Finds the Express route that handles a path. */
import {
  type ExpressApp,
  type ExpressRequest,
  type ExpressRoute,
  layersToRoute,
} from '../../express/layers-to-route.js';
import { mayEndRequest } from '../../express/route-audit/checks-before-route.js';
import { routerIn, writtenPaths } from '../../express/route-audit/router-layers.js';
import type { GateMetadata } from '../../express/route-metadata.js';
import { type MountedLayer, readHandler } from '../../express/unwrap-handler.js';

/** What the router of an app does with a path. */
export interface RouteSearch {
  /** The route of the path: the first match in the order in which Express tries routes. */
  readonly route: ExpressRoute | undefined;
  /** The layers of the routers that contain the route, from outer to inner, and the layer of the route itself. */
  readonly layers: readonly MountedLayer[];
  /** The mounted functions and apps that may answer the request before the route does. */
  readonly hidden: readonly MountedLayer[];
}

/**
 * Finds the route that handles a path in the app of a request, and what may handle the path before the route does.
 *
 * @param method - The HTTP method. For HEAD, a route for GET matches too.
 * @param gate - The gate that asks. What is mounted before it cannot answer the request any more, so `hidden` does not
 *   have it.
 */
export function findRoute(req: ExpressRequest, path: string, method: string, gate: GateMetadata): RouteSearch {
  let hidden: MountedLayer[] = [];
  let isBehindGate = false;
  const routers: MountedLayer[] = [];
  const entered = new Set<ExpressApp>();
  try {
    for (const met of layersToRoute(req, path, method)) {
      const { layer } = met;
      if (met.type === 'route') {
        // The gate itself is the route, as in `app.all('*', gate)`. The handlers after it are not known.
        const last = met.handlers.at(-1);
        if (last !== undefined && readHandler(last).gate === gate) hidden.push(layer);
        return { route: met.route, layers: [...routersOf(layer, routers), layer], hidden };
      }
      if (met.type === 'app') {
        // If the request has already met `met.app`, this layer must be another app, which is not known.
        if (met.app === undefined || entered.has(met.app)) hidden.push(layer);
        else entered.add(met.app);
        continue;
      }
      const handler = readHandler(layer);
      if (routerIn(handler) !== undefined) routers.push(layer);
      else if (handler.gate === gate && !isBehindGate) {
        isBehindGate = true;
        hidden = [];
      } else if (mayEndRequest(handler)) hidden.push(layer);
    }
  } catch {
    // Matching throws if a parameter in the path cannot be decoded. Express answers the request with 400.
  }
  return { route: undefined, layers: [], hidden };
}

/** Whether a layer has several paths. */
export function hasPathList(layer: MountedLayer): boolean {
  return writtenPaths(layer).length > 1;
}

/**
 * Whether the path of a layer is a regular expression, or has one for a parameter, such as `/:id(\\d+)` in Express 4. It
 * may match a path and not another one, although both have the same form. The path of a mounted router is not known
 * before version 2.3 of the package "router"; it counts as a plain one.
 */
export function hasPattern(layer: MountedLayer): boolean {
  return writtenPaths(layer).some((path) => path instanceof RegExp || String(path).includes('('));
}

/** Returns those routers, out of a list in the order of the request, that contain a layer. */
function routersOf(layer: MountedLayer, routers: readonly MountedLayer[]): readonly MountedLayer[] {
  const found: MountedLayer[] = [];
  for (const router of routers.toReversed()) {
    const inner: unknown = found[0] ?? layer;
    if (routerIn(readHandler(router))?.stack.some((other) => other === inner)) found.unshift(router);
  }
  return found;
}
