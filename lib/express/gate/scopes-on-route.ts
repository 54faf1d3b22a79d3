/** Finds the scopes of the guards on the route of a request, for a gate that refuses it before they run. */
import { ignoreRejection } from '../../events/run-callback.js';
import { isScopeToken } from '../../protocol/scope.js';
import { type ExpressApp, type ExpressRequest, layersToRoute } from '../layers-to-route.js';
import { type MountedLayer, readHandler } from '../mounted-handler.js';

/**
 * Finds the scopes of the gates and guards that a request meets, up to and including its route, so that a client that
 * lacks a scope of the gate also learns the scopes of the guards. It is called only for refused requests, decides
 * nothing, and never throws.
 *
 * @returns An empty list if the route cannot be found, as in an app that is mounted after the gate.
 */
export function scopesOnRoute(req: ExpressRequest): readonly string[] {
  const found: string[] = [];
  const entered = new Set<ExpressApp>();
  try {
    const path = new URL(req.originalUrl ?? '', 'http://localhost').pathname;
    for (const met of layersToRoute(req, path, req.method ?? '')) {
      if (met.type === 'route') return [...found, ...met.handlers.flatMap((handler) => scopesOf(handler, req))];
      if (met.type === 'function') {
        found.push(...scopesOf(met.layer, req));
        continue;
      }
      // An app is mounted once, so a second layer mounts another app, which is unknown and may have the route.
      if (met.app === undefined || entered.has(met.app)) return [];
      entered.add(met.app);
    }
  } catch {
    // A matcher, or `scopesOf` of a guard, threw.
  }
  return [];
}

function scopesOf(layer: MountedLayer, req: ExpressRequest): readonly string[] {
  const { gate, guard } = readHandler(layer);
  const scopes: unknown = gate?.scopes ?? guard?.scopes ?? guard?.scopesOf?.(req);
  ignoreRejection(scopes);
  return Array.isArray(scopes) ? scopes.filter(isScopeToken) : [];
}
