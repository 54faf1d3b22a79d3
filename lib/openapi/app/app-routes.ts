/** The routes of an app, and which of them handles the requests of an operation. */

import type { Segments } from '../../express/path-segment.js';
import { type Route, readRoutes } from '../../express/route-audit/audit-routes.js';
import { looseParts, mayShare, type PathTemplate, type TemplatePart } from '../document/path-template.js';
import type { Operation } from '../document/read-document.js';
import type { Requirement } from '../document/verifier-requirement.js';
import { requirementOf } from './route-requirement.js';

/** A route in the order in which Express tries them. */
export interface AppRoute {
  /** The name that `auditRoutes` gives it: `GET /pets/:id`. */
  readonly name: string;
  readonly method: string;
  /** Whether it is a function or an app mounted at a path, which handles every request below the path. */
  readonly isMount: boolean;
  /** `undefined` if an OpenAPI document cannot express the requirement. */
  readonly requirement: Requirement | undefined;
  /** Its paths in the form of `looseKey` of a template, to find the route of an operation: `pets/{}`. */
  readonly keys: readonly string[];
  readonly segments: readonly Segments[];
}

/**
 * Returns the routes of an app, with their requirements.
 *
 * @throws TypeError as `auditRoutes` does.
 */
export function appRoutesOf(app: object): readonly AppRoute[] {
  return readRoutes(app).map((route) => ({
    name: `${route.method} ${route.path}`,
    method: route.method,
    isMount: route.method === 'USE',
    requirement: requirementOf(route.checks),
    keys: keysOf(route),
    segments: route.segments,
  }));
}

/**
 * Returns the route that handles the requests of an operation: the first route with its path and method, otherwise a
 * function that is mounted at or above its path.
 */
export function routeFor({ template, method }: Operation, routes: readonly AppRoute[]): AppRoute | undefined {
  const exact = routes.find((route) => takes(route, method) && route.keys.includes(template.looseKey));
  return exact ?? routes.find((route) => route.isMount && isAbove(route, template));
}

/** Returns an earlier route that has a parameter where the operation has text, and so handles its requests instead. */
export function earlierRoute(
  { template, method }: Operation,
  route: AppRoute,
  routes: readonly AppRoute[],
): AppRoute | undefined {
  const before = routes.slice(0, routes.indexOf(route));
  return before.find(
    (other) => !other.isMount && takes(other, method) && other.segments.some((path) => matches(path, template)),
  );
}

function takes(route: AppRoute, method: string): boolean {
  return route.method === method || route.method === 'ALL' || (method === 'HEAD' && route.method === 'GET');
}

function isAbove({ segments }: AppRoute, template: PathTemplate): boolean {
  const parts = looseParts(template);
  return segments.some(
    (path) => path.length <= parts.length && path.every((segment, index) => meets(segment, parts[index])),
  );
}

function matches(path: Segments, template: PathTemplate): boolean {
  const parts = looseParts(template);
  return path.length === parts.length && path.every((segment, index) => meets(segment, parts[index]));
}

function meets(segment: Segments[number], part: TemplatePart | undefined): boolean {
  if (part === undefined || 'unknown' in segment) return false;
  if ('parameter' in segment) return mayShare({ type: 'parameter' }, part);
  return part.type === 'literal' && part.lower === segment.literal.toLowerCase();
}

/** Returns a key for each path of a route. The template of the same path has the same `looseKey`: `pets/{}`. */
function keysOf({ path, segments }: Route): readonly string[] {
  const known = segments.filter((choice) => choice.every((segment) => !('unknown' in segment)));
  const keys = known.map((choice) => choice.map((part) => ('literal' in part ? part.literal : '{}')).join('/'));
  // The route audit reports a parameter beside text, and a parameter with a pattern, as unknown. So another key is made
  // from the written path, with `{}` for each parameter.
  const written = path.replaceAll(/:\w+(?:\([^)]*\))?|\*\w+/g, '{}').replace(/^\//, '');
  return [...new Set([...keys, written].map((key) => key.toLowerCase().replace(/\/$/, '')))];
}
