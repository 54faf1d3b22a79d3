import { Options } from '../options/options.js';
import { auditRoutes, type RouteReport } from './audit-routes.js';

/** Options of `assertGuarded`. */
export interface AssertGuardedOptions {
  /** Routes that are meant to be open, as `auditRoutes` names them: `'GET /health'`. */
  readonly except?: readonly string[] | undefined;
}

/**
 * Makes sure, when the app starts, that no route was forgotten: each has a gate before it, and each that may take keys
 * says which kinds (spec section 5.3: an endpoint that does not state key authentication does not take keys). It sees what
 * `auditRoutes` sees.
 *
 * Call it after the routes are mounted.
 *
 * @throws Error that lists the routes without a gate, those with an optional one and no guard behind it, and those whose
 *   gate does not say which kinds it takes.
 * @throws TypeError where an entry of `except` is no route of the app, and what `auditRoutes` throws.
 */
export function assertGuarded(app: object, options: AssertGuardedOptions = {}): void {
  const except = readExcept(new Options('assertGuarded', options, ['except']));
  const routes = auditRoutes(app);
  const stale = except.filter((name) => !routes.some((route) => nameOf(route) === name));
  if (stale.length > 0) {
    throw new TypeError(`assertGuarded: "except" names no route of the app: ${stale.map(withHint).join(', ')}`);
  }
  const faults = routes.filter((route) => !except.includes(nameOf(route))).flatMap(faultOf);
  if (faults.length > 0) throw new Error([headline(faults.length), ...faults].join('\n'));
}

function headline(count: number): string {
  const [are, them] = count === 1 ? ['route is', 'it'] : ['routes are', 'them'];
  const mend = `mount requireBearer before ${them}, or name ${them} in "except"`;
  return `assertGuarded: ${count} ${are} not guarded (${mend}):`;
}

function withHint(name: string): string {
  return /^[A-Z-]+ /.test(name) ? name : `${name} (written like 'GET /health')`;
}

function faultOf(route: RouteReport): readonly string[] {
  if (route.gates.length === 0) return [`  ${nameOf(route)} has no requireBearer that every request is sure to meet`];
  if (route.open) return [`  ${nameOf(route)} lets anonymous requests in: its requireBearer is optional`];
  return route.namesKinds ? [] : [`  ${nameOf(route)} may take keys and names no kind (requireKeyKind)`];
}

function nameOf({ method, path }: RouteReport): string {
  return `${method} ${path}`;
}

function readExcept(options: Options): readonly string[] {
  const except = options.raw('except') ?? [];
  if (!Array.isArray(except) || !except.every((name) => typeof name === 'string')) {
    throw options.mistake('except', "a list of routes such as 'GET /health'");
  }
  return except;
}
