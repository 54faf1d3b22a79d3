/**
 * Finds the scopes that the guards on the route of a request require. A gate names them in its challenge when it
 * refuses the request before the guards run.
 */
import { ignoreRejection } from '../../events/run-callback.js';
import { isScopeToken } from '../../protocol/scope.js';
import { type ExpressApp, type ExpressRequest, layersToRoute } from '../layers-to-route.js';
import type { GateMetadata } from '../route-metadata.js';
import { type MountedLayer, readHandler } from '../unwrap-handler.js';

/**
 * Returns the scopes of the gates and guards that a request would pass, up to and including its route. A client that
 * lacks a scope of the gate then also learns the scopes of the guards, and can request all of them at once.
 *
 * The result is used only in the challenge of a refusal; it never gives access. This function never throws.
 *
 * @param gate - The gate that refuses the request.
 * @returns An empty list if the route cannot be found, for example because it is in an app that is mounted after the
 *   gate.
 */
export function challengeScopesOf(req: ExpressRequest, gate: GateMetadata): readonly string[] {
  const found: string[] = [];
  const entered = new Set<ExpressApp | undefined>();
  // Whether the route may be inside a mounted app that is not known. It cannot be inside an app that is mounted before
  // the gate, because the request has already left that app.
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
      // If the request has already met `met.app`, this layer must be another app, which is not known.
      isHidden = met.app === undefined || entered.has(met.app);
      entered.add(met.app);
    }
  } catch {
    // The request target is not a valid URL (such as `//`), or a matcher of Express or `scopesOf` of a guard threw an
    // error. The challenge then names only the scopes of the gate.
  }
  return [];
}

function scopesOf(layer: MountedLayer, req: ExpressRequest): readonly string[] {
  const { gate, guard } = readHandler(layer);
  const scopes: unknown = gate?.scopes ?? guard?.scopes ?? guard?.scopesOf?.(req);
  ignoreRejection(scopes);
  return Array.isArray(scopes) ? scopes.filter(isScopeToken) : [];
}
