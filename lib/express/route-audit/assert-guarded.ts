import { type Option, type OptionTable, readTable } from '../../options/option-table.js';
import { guardsBeforeGate, type RouteReport, readRoutes, reportOf } from './audit-routes.js';
import { warnWithoutErrorHandler } from './error-handler-warning.js';

/** Options of `assertGuarded`. */
export interface AssertGuardedOptions {
  /**
   * Routes that are not checked, for example because they are public. Each entry is a method and a path, as in
   * `auditRoutes`: `'GET /health'`.
   */
  readonly except?: readonly string[] | undefined;
}

const routeNames: Option<readonly string[]> = (options, name) => {
  const value = options.raw(name) ?? [];
  if (Array.isArray(value) && value.every((route) => typeof route === 'string')) return value;
  throw options.wrongList(name, "a list of routes such as 'GET /health'");
};

const OPTIONS = { except: routeNames } satisfies OptionTable<AssertGuardedOptions>;

/**
 * Checks at startup that every route is protected: a gate, such as `requireBearer`, must run before it. A route that
 * may accept keys must also say which kinds of keys: an endpoint that does not state key authentication accepts no keys
 * (docs/spec.md §5.3).
 *
 * The routes of `createDashboard`, `createSignIn`, `createIssuer` and `createManagementApi` need no gate, because they
 * authenticate their callers themselves. If the app has gates but no error handler after them, a process warning
 * recommends `bearerErrors`.
 *
 * Call this function after all routes and error handlers are mounted. It checks the routes that `auditRoutes` lists.
 *
 * @throws Error with a list of the faults: a route without a gate, a guard before the gate, a route with only an
 *   optional gate and no guard, a `router.param` callback that runs before the gate, or a route that does not say which
 *   kinds of keys it accepts.
 * @throws TypeError if an entry of `except` is not a route of the app, or if `auditRoutes` throws it.
 * @example
 * ```ts
 * import express from 'express';
 * import { assertGuarded, requireBearer } from 'keyward';
 *
 * const app = express();
 * app.get('/health', (_req, res) => void res.send('ok'));
 * app.use(requireBearer({ issuer: 'https://login.example', audience: 'api' }));
 * app.get('/payments', (_req, res) => void res.json([]));
 * assertGuarded(app, { except: ['GET /health'] });
 * ```
 */
export function assertGuarded(app: object, options: AssertGuardedOptions = {}): void {
  const { except } = readTable('assertGuarded', options, OPTIONS);
  const routes = readRoutes(app).map((route) => ({ ...reportOf(route), earlyGuards: guardsBeforeGate(route) }));
  const stale = except.filter((name) => !routes.some((route) => nameOf(route) === name));
  if (stale.length > 0) {
    const hint = stale.every(hasMethod) ? '' : "; write an entry as a method and a path, such as 'GET /health'";
    throw new TypeError(
      `assertGuarded: option "except" has entries that are not routes of the app: ${stale.join(', ')}${hint}`,
    );
  }
  const faults = routes.filter((route) => !except.includes(nameOf(route))).flatMap(faultOf);
  if (faults.length > 0) throw new Error([headline(faults.length), ...faults].join('\n'));
  warnWithoutErrorHandler(app);
}

function headline(count: number): string {
  const [are, them] = count === 1 ? ['route is', 'it'] : ['routes are', 'them'];
  return `assertGuarded: ${count} ${are} not guarded; guard ${them}, or name ${them} in "except":`;
}

function hasMethod(name: string): boolean {
  return /^[A-Z-]+ /.test(name);
}

function faultOf(route: RouteReport & { readonly earlyGuards: readonly string[] }): readonly string[] {
  // A route that is public on purpose may also run its `router.param` callbacks for everybody.
  if (route.openByDocument || route.ownEndpoint) return [];
  if (route.gates.length === 0)
    return [
      `  ${nameOf(route)} has no requireBearer that runs for every request; mount requireBearer before it, at the start of the app or of its router, or on the route`,
    ];
  if (route.earlyGuards.length > 0)
    return [
      `  ${nameOf(route)} runs ${route.earlyGuards.join(' and ')} before requireBearer, so every request gets 500; mount requireBearer before it`,
    ];
  if (route.open)
    return [
      `  ${nameOf(route)} accepts requests without a credential; make its gate require a credential (for requireBearer, remove the option "optional"), or add a guard after the gate`,
    ];
  if (route.openByParam.length > 0) return [`  ${nameOf(route)} ${callbackFault(route.openByParam)}`];
  return route.namesKinds
    ? []
    : [`  ${nameOf(route)} may accept keys, but no guard restricts the kinds of keys; add requireKeyKind()`];
}

/**
 * Describes the fault that a `router.param` callback runs before the gate. The callback looks up what the path names
 * even for an anonymous caller. Its response, such as a 404, then reveals what exists.
 */
function callbackFault(params: readonly string[]): string {
  const names = params.map((name) => `router.param('${name}')`).join(' and ');
  const parameters = params.map((name) => `"${name}"`).join(' or ');
  return `runs the callback of ${names} before requireBearer has accepted the request; call router.use(requireBearer(...), bearerErrors()) before the first path with the parameter ${parameters}`;
}

function nameOf({ method, path }: RouteReport): string {
  return `${method} ${path}`;
}
