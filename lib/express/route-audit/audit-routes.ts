/** `auditRoutes`: lists every route of an Express app, with the gates and guards before it. */
import type { Kind } from '../../credentials/credential-kind.js';
import type { Segments } from '../path-segments.js';
import {
  callbacksOf,
  checksAmong,
  checksAt,
  isOpen,
  type Mount,
  mayEndRequest,
  mountsOf,
  type RouteCheck,
  takesRequests,
} from './checks-before-route.js';
import { joinSegments, UNKNOWN } from './path-coverage.js';
import { type Layer, layersOf } from './router-layers.js';

/** One route of an app. */
export interface RouteReport {
  /** `'GET'`, `'POST'` and so on; `'ALL'` for `app.all`; `'USE'` for a function, or another app, mounted at a path. */
  readonly method: string;
  /** The path of the route as it is written in the app, after the mount paths of its routers. */
  readonly path: string;
  /**
   * The gates before the route, in order. A request must pass all of them, and the handler gets the principal of the
   * last gate. If the list is empty, the route is open.
   */
  readonly gates: readonly { readonly kinds: readonly Kind[] | 'any'; readonly optional: boolean }[];
  /** The names of the guards before the route. */
  readonly guards: readonly string[];
  /**
   * Whether a request without a credential reaches the route. This is so if the route has no gate, or if all its gates
   * are optional and no guard refuses the request. `requireRateLimit` does not refuse it.
   */
  readonly open: boolean;
  /** The path parameters whose `router.param` callbacks run even for a request without a credential. */
  readonly openByParam: readonly string[];
  /** Whether the route is open because the document of its `openApiGate` says `security: []`. */
  readonly openByDocument: boolean;
  /**
   * Whether the Dashboard, the issuer or the management API of keyward serves the route. Such a route needs no gate,
   * because it authenticates its callers itself.
   */
  readonly ownEndpoint: boolean;
  /** Whether the last gate, or a guard after it, declares which kinds of credentials it accepts. */
  readonly namesKinds: boolean;
}

/** A route with the gates, guards and `router.param` callbacks that run before it. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly segments: readonly Segments[];
  readonly checks: readonly RouteCheck[];
  /** The mounts that a request may enter before the route, inside the router that holds the route. */
  readonly mounts: readonly Mount[];
  readonly ownEndpoint: boolean;
}

/**
 * A route whose gates are known in detail: `readRoutes` has replaced each `openApiGate` with gates and guards that
 * require the same on this route.
 */
interface CheckedRoute extends Route {
  readonly openByDocument: boolean;
  /** Whether a gate refuses the requests that its OpenAPI document does not describe. */
  readonly refusesUndocumented: boolean;
}

/**
 * Lists every route of an app or a router, and every function and app that is mounted at a path. They are in the order
 * in which they were mounted.
 *
 * A gate counts only if every request for the route is certain to pass it. So it does not count in these cases: its
 * path has a pattern, a wildcard or a regular expression; it is wrapped in a function; it is mounted after another
 * handler; it is mounted before an error handler that `bearerErrors` did not make, which may ignore the refusal; it is
 * mounted at a path, and a router or function at another path follows, which the gate does not cover. The last is so
 * for a gate at `/:tenant/admin` before a router at `/:tenant`. Mount this gate in the router or on the route.
 *
 * The wrappers of OpenTelemetry and express-async-errors are recognized. Middlewares of known packages that parse, log
 * or add headers are recognized by name, and do not count as handlers. A function that is mounted on the app itself
 * without a path is not listed, even if it answers requests. Changes of `req.url` by a middleware are not taken into
 * account.
 *
 * @param app - An Express 4 or 5 app or router.
 * @throws TypeError if `app` is not an Express app or router, and on Express 5 with a `router` package older than 2.3,
 *   which does not store the mount paths.
 * @example
 * ```ts
 * import express from 'express';
 * import { auditRoutes } from 'keyward';
 *
 * const app = express();
 * app.get('/payments', (_req, res) => void res.json([]));
 * for (const { method, path, open } of auditRoutes(app)) if (open) console.warn(`${method} ${path} is open`);
 * ```
 */
export function auditRoutes(app: object): readonly RouteReport[] {
  return readRoutes(app).map(reportOf);
}

/** Describes a route for `auditRoutes` and `assertGuarded`. */
export function reportOf({ method, path, checks, openByDocument, ownEndpoint }: CheckedRoute): RouteReport {
  const gates = checks.flatMap(({ gate }) => gate ?? []);
  const guards = checks.flatMap(({ guard }) => guard ?? []);
  const last = checks.findLastIndex(({ gate }) => gate !== undefined);
  const behind = checks.slice(last + 1);
  return {
    method,
    path,
    gates: gates.map(({ kinds, optional }) => ({ kinds: kinds ?? 'any', optional })),
    guards: guards.map(({ name }) => name),
    open: isOpen(checks),
    openByParam: openCallbacks(checks),
    openByDocument: openByDocument && isOpen(checks),
    ownEndpoint,
    namesKinds: gates.at(-1)?.kinds !== undefined || behind.some(({ guard }) => guard?.kinds !== undefined),
  };
}

/** Returns the names of the guards that run before the first gate. Such a guard answers every request with 500. */
export function guardsBeforeGate({ checks }: CheckedRoute): readonly string[] {
  const first = checks.findIndex(({ gate }) => gate !== undefined);
  return checks.slice(0, Math.max(first, 0)).flatMap(({ guard }) => guard?.name ?? []);
}

/**
 * Returns the routes of an app with the checks before them. Each gate whose requirements differ between routes, such as
 * `openApiGate`, is replaced with gates and guards that require the same on the route.
 *
 * @throws TypeError as `auditRoutes` does.
 */
export function readRoutes(app: object): readonly CheckedRoute[] {
  return routesOf(layersOf(app), false).map((route) => {
    const asked = route.checks.map(({ gate }) => gate?.atRoute?.(route.method, route.segments));
    const checks = route.checks.flatMap((check, index) => {
      const own = asked[index];
      if (own === undefined) return [check];
      return [...own.gates.map((gate) => ({ gate })), ...own.guards.map((guard) => ({ guard }))];
    });
    return {
      ...route,
      checks,
      openByDocument: asked.some((own) => own?.openByDocument),
      refusesUndocumented: asked.some((own) => own?.refusesUndocumented),
    };
  });
}

function openCallbacks(checks: readonly RouteCheck[]): readonly string[] {
  const open = checks.filter((_check, index) => isOpen(checks.slice(0, index)));
  return [...new Set(open.flatMap(({ callback }) => callback ?? []))];
}

/**
 * Returns the routes in a list of layers, and in the routers among them.
 *
 * @param nested - Whether the layers belong to a router that is mounted at a path other than `/`. In this router, a
 *   function without a path is an endpoint too.
 */
function routesOf(layers: readonly Layer[], nested: boolean): Route[] {
  return layers.flatMap((layer, index) => {
    const before = layers.slice(0, index);
    // After a refusal, Express skips a route together with its `router.param` callbacks, so earlier gates protect these
    // callbacks. `routesAt` adds them after the checks before the route. The callbacks of a router or a function run
    // even after a refusal (see `checksAt`).
    const callbacks = layer.type === 'route' ? [] : callbacksOf(layer);
    return routesAt(layer, nested).map((route) => {
      const paths = handledPaths(route);
      return {
        ...route,
        checks: [...checksAt(before, callbacks, paths, route.mounts), ...route.checks],
        mounts: [...before.flatMap((each) => mountsOf(each, paths)), ...route.mounts],
      };
    });
  });
}

/**
 * Returns the paths that a route handles. A function that is mounted with `use()` also handles all paths below its own.
 */
function handledPaths({ method, segments }: Route): readonly Segments[] {
  return method === 'USE' ? segments.map((path) => [...path, UNKNOWN]) : segments;
}

function routesAt(layer: Layer, nested: boolean): Route[] {
  switch (layer.type) {
    case 'route':
      return layer.methods
        .filter(({ handlers }) => handlers.some(takesRequests))
        .flatMap(({ method, handlers }) =>
          layer.paths.map(({ text, choices }) => ({
            method,
            path: text,
            segments: choices,
            checks: [...callbacksOf(layer), ...checksAmong(handlers)],
            mounts: [],
            ownEndpoint: handlers.filter(takesRequests).every(({ isOwnEndpoint }) => isOwnEndpoint),
          })),
        );
    case 'router':
      return routesOf(layer.layers, nested || !layer.takesEveryPath).flatMap((inner) =>
        layer.paths.map(({ text, choices }) => {
          const outer = choices.map((path) => [...path, ...layer.separator]);
          const mounts = inner.mounts.flatMap((mount) =>
            outer.map((path) => ({ ...mount, path: joinSegments(path, mount.path) })),
          );
          const own = { keepsLiterals: layer.isOutermost, holdsRoute: true };
          return {
            ...inner,
            path: joined(text, inner.path),
            segments: outer.flatMap((path) => inner.segments.map((rest) => joinSegments(path, rest))),
            mounts: layer.takesEveryPath ? inner.mounts : [...choices.map((path) => ({ ...own, path })), ...mounts],
          };
        }),
      );
    case 'function':
      if (!isEndpoint(layer, nested)) return [];
      return layer.paths.map(({ text, choices }) => ({
        method: 'USE',
        path: text,
        segments: choices,
        checks: [],
        mounts: [],
        ownEndpoint: layer.handler.isOwnEndpoint,
      }));
  }
}

function isEndpoint({ handler, isApp, takesEveryPath }: Layer & { type: 'function' }, nested: boolean): boolean {
  return isApp || (mayEndRequest(handler) && (nested || !takesEveryPath));
}

function joined(outer: string, inner: string): string {
  if (outer === '/') return inner;
  return inner === '/' ? outer : `${outer}${inner}`;
}
