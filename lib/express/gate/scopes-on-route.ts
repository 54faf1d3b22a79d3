/** Finds the scopes of the guards on the route of a request, for a gate that refuses it before they run. */
import type { IncomingMessage } from 'node:http';
import { ignoreRejection } from '../../events/run-callback.js';
import { isScopeToken } from '../../protocol/scope.js';
import { type MountedLayer, readHandler } from '../mounted-handler.js';

interface RoutedApp {
  readonly parent?: RoutedApp;
  readonly router?: unknown;
  /** Exists only in Express 4. It is checked before `router` is read, because reading `router` throws in Express 4. */
  readonly lazyrouter?: unknown;
  readonly _router?: unknown;
}

interface RoutedLayer extends MountedLayer {
  readonly route?: { readonly stack: readonly (MountedLayer & { readonly method?: string })[] };
  /** The last matched path, for Express 4, where `match` returns `true`. */
  readonly path?: string;
  match(path: string): boolean | { readonly path: string };
}

/**
 * Finds the scopes of the guards with the matchers of Express, so that a client that lacks a scope of the gate also
 * learns the scopes of the guards. It is called only for refused requests, decides nothing, and never throws.
 *
 * @returns An empty list if the route cannot be found, as in a mounted app.
 */
export function scopesOnRoute(req: IncomingMessage): readonly string[] {
  const { app, originalUrl } = req as IncomingMessage & { app?: RoutedApp; originalUrl?: string };
  try {
    const path = new URL(originalUrl ?? '', 'http://localhost').pathname;
    return scopesIn(routerOf(app), path, req) ?? [];
  } catch {
    return [];
  }
}

function routerOf(app: RoutedApp | undefined): unknown {
  let outermost = app;
  while (outermost?.parent !== undefined && Object.hasOwn(outermost, 'parent')) outermost = outermost.parent;
  return outermost?.lazyrouter === undefined ? outermost?.router : outermost._router;
}

/**
 * Finds the scopes of the gates and guards that a request meets in one router, up to and including its route;
 * `undefined` if no route of the router handles the request.
 */
function scopesIn(router: unknown, path: string, req: IncomingMessage): readonly string[] | undefined {
  const method = req.method?.toLowerCase();
  const { stack } = Object(router) as { stack?: readonly RoutedLayer[] };
  const found: string[] = [];
  for (const layer of stack ?? []) {
    const matched = layer.match(path);
    if (matched === false) continue;
    const steps = layer.route?.stack.filter((step) => step.method === undefined || step.method === method);
    if (steps !== undefined && steps.length > 0) return [...found, ...steps.flatMap((step) => scopesOf(step, req))];
    if (layer.route !== undefined) continue;
    found.push(...scopesOf(layer, req));
    const prefix = matched === true ? (layer.path ?? '') : matched.path;
    const inner = scopesIn(readHandler(layer).handle, path.slice(prefix.length) || '/', req);
    if (inner !== undefined) return [...found, ...inner];
  }
  return undefined;
}

function scopesOf(layer: MountedLayer, req: IncomingMessage): readonly string[] {
  const { gate, guard } = readHandler(layer);
  const scopes: unknown = gate?.scopes ?? guard?.scopes ?? guard?.scopesOf?.(req);
  ignoreRejection(scopes);
  return Array.isArray(scopes) ? scopes.filter(isScopeToken) : [];
}
