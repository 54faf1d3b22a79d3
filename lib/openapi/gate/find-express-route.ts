/** Finds the route that handles a path. */
import { type ExpressRequest, type ExpressRoute, layersToRoute } from '../../express/layers-to-route.js';

/**
 * Finds the first route of a request's app that handles a path, in the order in which Express tries them.
 *
 * @param method - A route for GET also handles HEAD.
 * @returns The route, always the same object of Express; `undefined` if there is none, or if it is inside a handler
 *   that hides its routes.
 */
export function findRoute(req: ExpressRequest, path: string, method: string): ExpressRoute | undefined {
  try {
    for (const layer of layersToRoute(req, path, method)) if (layer.type === 'route') return layer.route;
  } catch {
    // A matcher throws for a parameter that cannot be decoded. Express answers such a request with 400.
  }
  return undefined;
}
