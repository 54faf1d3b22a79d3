/** Finds the scopes of the guards on the route of a request, for a gate that refuses it before they run. */
import { ignoreRejection } from '../../events/run-callback.js';
import { isScopeToken } from '../../protocol/scope.js';
import { type ExpressApp, type ExpressRequest, layersToRoute } from '../layers-to-route.js';
import type { GateMetadata } from '../route-metadata.js';
import { type MountedLayer, readHandler } from '../unwrap-handler.js';

/**
 * Finds the scopes of the gates and guards that a request meets, up to and including its route, so that a client that
 * lacks a scope of the gate also learns the scopes of the guards. It is called only for refused requests, decides
 * nothing, and never throws.
 *
 * @param gate - The gate that refuses the request.
 * @returns An empty list if the route cannot be found, as in an app that is mounted after the gate.
 */
export function scopesOnRoute(req: ExpressRequest, gate: GateMetadata): readonly string[] {
  const found: string[] = [];
  const entered = new Set<ExpressApp>();
  // Whether an unknown app may have the route. An app that was passed before the gate does not have it.
  let isHidden = false;
  try {
    const path = new URL(req.originalUrl ?? '', 'http://localhost').pathname;
    for (const met of layersToRoute(req, path, req.method ?? '')) {
      if (met.type === 'route') {
        const isHere = met.handlers.some((handler) => readHandler(handler).gate === gate);
        return isHidden && !isHere ? [] : [...found, ...met.handlers.flatMap((handler) => scopesOf(handler, req))];
      }
      if (met.type === 'function') {
        if (readHandler(met.layer).gate === gate) isHidden = false;
        found.push(...scopesOf(met.layer, req));
        continue;
      }
      // An app is mounted once, so a second layer mounts another app, which is unknown.
      isHidden = met.app === undefined || entered.has(met.app);
      if (met.app !== undefined) entered.add(met.app);
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
