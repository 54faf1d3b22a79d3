/** Finds the routes of an app that answer more requests than the document describes. */
import type { OperationRequirement } from '../document/operation-requirements.js';
import type { Operation } from '../document/read-document.js';
import type { Requirement } from '../document/requirement.js';
import { type AppRoute, hasPath, hasUnknownPath, routeFor, takes } from './app-routes.js';

/**
 * If a route of `app.all` requires no credential, the document must describe these methods of its path. HEAD is
 * answered like GET, and OPTIONS is for preflight requests, so the document does not need them.
 */
const COMMON_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

interface UndocumentedRoutes {
  readonly unknown: readonly AppRoute[];
  readonly broader: readonly AppRoute[];
}

/**
 * Returns two lists. `unknown` has the routes that have no operation in the document, and the routes with a wildcard
 * that require no credential. `broader` has the routes that have an operation and require no credential, but also
 * answer requests that the document does not describe: mounts, because they answer longer paths, and routes of
 * `app.all`, unless the document describes the methods GET, POST, PUT, PATCH and DELETE, or each operation has its own
 * route too.
 *
 * A route for preflight requests (OPTIONS) needs no operation. A route behind an `openApiGate` that refuses
 * undocumented requests is never `broader`.
 */
export function undocumentedRoutes(
  operations: readonly OperationRequirement[],
  routes: readonly AppRoute[],
): UndocumentedRoutes {
  const byKey = new Map<string, Operation[]>();
  for (const { operation } of operations) {
    const { looseKey } = operation.template;
    byKey.set(looseKey, [...(byKey.get(looseKey) ?? []), operation]);
  }
  const served = new Map<AppRoute | undefined, OperationRequirement[]>();
  for (const linked of operations) {
    const route = routeFor(linked.operation, routes);
    served.set(route, [...(served.get(route) ?? []), linked]);
  }

  const operationsAt = (route: AppRoute, loose: string) =>
    (byKey.get(loose) ?? []).filter(
      ({ method, template }) => takes(route, method) && describes(method, route) && hasPath(route, template),
    );
  const isDescribedAt = (route: AppRoute, loose: string) => operationsAt(route, loose).length > 0;
  const isDescribed = (route: AppRoute) => {
    if (route.method === 'OPTIONS') return true;
    // A route with an optional part, such as `/pets{/:id}`, has several paths, and the document needs an operation for
    // each of them.
    if (route.keys.length > 1 && !hasUnknownPath(route))
      return route.keys.every(({ loose }) => isDescribedAt(route, loose));
    const isServed = served.get(route)?.some(({ operation }) => describes(operation.method, route));
    return isServed || route.keys.some(({ loose }) => isDescribedAt(route, loose));
  };

  /**
   * Whether the route is a mount that requires no credential, and its operations require none in the document either.
   * If an operation requires a credential, this is already reported as a difference.
   */
  const isOpenMount = (route: AppRoute) =>
    route.isMount && isOpen(route.requirement) && served.get(route)?.every(({ requirement }) => isOpen(requirement));
  const hasOwnRoute = ({ method, template }: Operation) =>
    routes.some((other) => other.method !== 'ALL' && takes(other, method) && hasPath(other, template));
  /**
   * Whether the route is an `app.all` that requires no credential, and is the only route of one of its operations. If
   * each operation also has a route for its method, the `app.all` only prepares requests or refuses other methods.
   */
  const handlesEveryMethod = (route: AppRoute) =>
    route.method === 'ALL' &&
    isOpen(route.requirement) &&
    served.get(route)?.some(({ operation }) => !hasOwnRoute(operation));
  const hasCommonMethods = (route: AppRoute) =>
    route.keys.every(({ loose }) => {
      const methods = operationsAt(route, loose).map(({ method }) => method);
      return COMMON_METHODS.every((method) => methods.includes(method));
    });
  const answersMore = (route: AppRoute) =>
    !route.refusesUndocumented && (isOpenMount(route) || (handlesEveryMethod(route) && !hasCommonMethods(route)));

  const isUnknown = (route: AppRoute) => isOpenWildcard(route) || !isDescribed(route);
  return {
    unknown: routes.filter(isUnknown),
    broader: routes.filter((route) => !isUnknown(route) && answersMore(route)),
  };
}

/** A route for GET also handles HEAD, but an operation for HEAD does not describe its GET requests. */
function describes(method: string, route: AppRoute): boolean {
  return method !== 'HEAD' || route.method !== 'GET';
}

function isOpenWildcard({ isWildcard, requirement }: AppRoute): boolean {
  return isWildcard && isOpen(requirement);
}

function isOpen(requirement: Requirement | undefined): boolean {
  return requirement?.alternatives.length === 0 && !requirement.isClosed;
}
