/** The routes of an app, and which of them handles the requests of an operation. */

import type { Segments } from '../../express/path-segment.js';
import { type Route, readRoutes } from '../../express/route-audit/audit-routes.js';
import { fillTemplate, looseParts, mayShare, type PathTemplate, type TemplatePart } from '../document/path-template.js';
import type { Operation } from '../document/read-document.js';
import type { Requirement } from '../document/requirement.js';
import { requirementOf } from './route-requirement.js';

/** A route of an app. `appRoutesOf` returns the routes in the order in which Express tries them. */
export interface AppRoute {
  /** The name that `auditRoutes` gives it: `GET /pets/:id`. */
  readonly name: string;
  readonly method: string;
  /** Whether it is a function or an app mounted at a path, which handles every request below the path. */
  readonly isMount: boolean;
  /** Whether an `openApiGate` before it refuses the requests that the document does not describe. */
  readonly refusesUndocumented: boolean;
  /** `undefined` if an OpenAPI document cannot express the requirement. */
  readonly requirement: Requirement | undefined;
  /** Its paths, to find the route of an operation. */
  readonly keys: readonly RouteKey[];
  /** Whether its path has a wildcard, `/files/*path`, which a document cannot express. */
  readonly isWildcard: boolean;
  /** Matches its paths, if it has a wildcard or a parameter beside text: `/files/:name.:ext`. */
  readonly pattern: RegExp | undefined;
  readonly segments: readonly Segments[];
}

/** A path of a route, in the form of `key` of a template: `pets/{}`. */
interface RouteKey {
  readonly text: string;
  /** The same in lower case and without a slash at the end, to compare with `looseKey` of a template. */
  readonly loose: string;
  readonly isCaseSensitive: boolean;
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
    refusesUndocumented: route.refusesUndocumented,
    requirement: requirementOf(route.checks),
    keys: keysOf(route),
    isWildcard: patternOf(route, '*') !== undefined,
    pattern: patternOf(route, '*') ?? patternOf(route, ':'),
    segments: route.segments,
  }));
}

/**
 * Returns the route that handles the requests of an operation: the first route with its path and method, otherwise a
 * function that is mounted at or above its path.
 */
export function routeFor({ template, method }: Operation, routes: readonly AppRoute[]): AppRoute | undefined {
  const exact = routes.find((route) => takes(route, method) && hasPath(route, template));
  return exact ?? routes.find((route) => route.isMount && isAbove(route, template));
}

/** Whether a route has the path of an operation. */
export function hasPath({ keys }: AppRoute, { key, looseKey }: PathTemplate): boolean {
  return keys.some(({ text, loose, isCaseSensitive }) => {
    if (loose !== looseKey || (text.endsWith('/') && !key.endsWith('/'))) return false;
    return !isCaseSensitive || text === key || text === key.replace(/\/$/, '');
  });
}

/**
 * Returns an earlier route that handles the requests of the operation instead, because it has more parameters or a
 * wildcard.
 */
export function earlierRoute(
  { template, method }: Operation,
  route: AppRoute,
  routes: readonly AppRoute[],
): AppRoute | undefined {
  const before = routes.slice(0, routes.indexOf(route));
  return before.find(
    (other) =>
      !other.isMount &&
      takes(other, method) &&
      (other.segments.some((path) => matches(path, template)) ||
        (!hasPath(other, template) && other.pattern?.test(fillTemplate(template, 'x')))),
  );
}

/** Whether the route audit could not find out which paths a route handles, for example because of a wildcard. */
export function hasUnknownPath({ segments }: Pick<AppRoute, 'segments'>): boolean {
  return segments.some((path) => path.some((segment) => 'unknown' in segment));
}

/** Returns the error text for an operation whose requests are handled by this route, instead of its own route. */
export function handledBy({ name }: AppRoute): string {
  return `the app handles these requests with the route ${name}, which has other requirements`;
}

/** Whether a route handles a method. */
export function takes(route: AppRoute, method: string): boolean {
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
  return (
    part.type === 'literal' &&
    (segment.sensitive ? part.text === segment.literal : part.lower === segment.literal.toLowerCase())
  );
}

function keysOf({ path, segments }: Route): readonly RouteKey[] {
  const known = segments.filter((choice) => choice.every((segment) => !('unknown' in segment)));
  const keys = known.map((choice) => {
    const text = choice.map((part) => ('literal' in part ? part.literal : '{}')).join('/');
    return keyOf(
      text,
      choice.some((part) => 'literal' in part && part.sensitive),
    );
  });
  if (!hasUnknownPath({ segments })) return keys;
  // The route audit reports a parameter beside text, and a parameter with a pattern, as unknown. So another key is made
  // from the written path, with `{}` for each parameter.
  const written = path.replaceAll(/:\w+(?:\([^)]*\))?|\*\w*/g, '{}').replace(/^\//, '');
  return [...keys, keyOf(written.replace(/\/$/, ''), false)];
}

function keyOf(text: string, isCaseSensitive: boolean): RouteKey {
  return { text, loose: text.toLowerCase().replace(/\/$/, ''), isCaseSensitive };
}

/**
 * Returns a regular expression for a path with a wildcard or a parameter beside text; `undefined` for any other path.
 *
 * @param sign - `*` for a path with a wildcard, `:` for a path with a parameter.
 */
function patternOf({ path, segments }: Route, sign: '*' | ':'): RegExp | undefined {
  if (!path.includes(sign) || !hasUnknownPath({ segments }) || /[\\^$+?()[\]|"]/.test(path)) return undefined;
  const source = path
    .replaceAll('.', '\\.')
    .replaceAll(/:\w+/g, '[^/]+')
    .replaceAll(/\*\w*/g, '.*')
    .replaceAll('{', '(?:')
    .replaceAll('}', ')?');
  return new RegExp(`^${source}$`, 'i');
}
