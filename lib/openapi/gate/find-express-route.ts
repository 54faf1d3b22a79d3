/** Finds the Express route that handles a path. */
import { type ExpressRequest, type ExpressRoute, layersToRoute } from '../../express/layers-to-route.js';

/**
 * Finds the route that handles a path in the app of a request: the first match in the order in which Express tries
 * routes.
 *
 * @param method - The HTTP method. For HEAD, a route for GET matches too.
 * @returns The route object of Express, so two results can be compared with `===`; `undefined` if no route matches, or
 *   if the route is inside a function that hides it.
 */
export function findRoute(req: ExpressRequest, path: string, method: string): ExpressRoute | undefined {
  try {
    for (const layer of layersToRoute(req, path, method)) if (layer.type === 'route') return layer.route;
  } catch {
    // Matching throws if a parameter in the path cannot be decoded. Express answers the request with 400.
  }
  return undefined;
}
