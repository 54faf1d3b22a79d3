/** Reads the routes of an Express app, and finds the route that handles the requests of an OpenAPI operation. */

import type { Segments } from '../../express/path-segments.js';
import { type Route, readRoutes } from '../../express/route-audit/audit-routes.js';
import { fillTemplate, looseParts, mayShare, type PathTemplate, type TemplatePart } from '../document/path-template.js';
import type { Operation } from '../document/read-document.js';
import type { Requirement } from '../document/requirement.js';
import { requirementOf } from './route-requirement.js';

/** A route of an app. `appRoutesOf` returns the routes in the order in which Express tries them. */
export interface AppRoute {
  /** The name of the route in `auditRoutes`, such as `GET /pets/:id`. */
  readonly name: string;
  readonly method: string;
  /**
   * Whether the route is a function or an app that was mounted with `use()`. Such a route handles every request at or
   * below its path.
   */
  readonly isMount: boolean;
  /** Whether an `openApiGate` before this route refuses the requests that the document does not describe. */
  readonly refusesUndocumented: boolean;
  /** `undefined` if an OpenAPI document cannot express the requirement. */
  readonly requirement: Requirement | undefined;
  /**
   * The paths of the route, in a form to compare with path templates. A route with an optional part, such as
   * `/pets{/:id}`, has several paths.
   */
  readonly keys: readonly RouteKey[];
  /**
   * Whether the path has a wildcard, such as `/files/*path`, which a document cannot express. Also `false` if the path
   * has a character such as `(`, because no `pattern` can be made for it.
   */
  readonly isWildcard: boolean;
  /** Matches the paths of a route that has a wildcard, or a parameter beside text, such as `/files/:name.:ext`. */
  readonly pattern: RegExp | undefined;
  readonly segments: readonly Segments[];
}

/** A path of a route. `text` is written like `PathTemplate.key`, to compare the two: `/pets/:id` becomes `pets/{}`. */
interface RouteKey {
  readonly text: string;
  /** `text` in lower case and without a slash at the end, to compare with `PathTemplate.looseKey`. */
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
 * Returns the route of an operation: the first route with its path and method, otherwise the first function or app that
 * is mounted at or above its path.
 */
export function routeFor({ template, method }: Operation, routes: readonly AppRoute[]): AppRoute | undefined {
  const exact = routes.find((route) => takes(route, method) && hasPath(route, template));
  return exact ?? routes.find((route) => route.isMount && isAbove(route, template));
}

/**
 * Whether a route has the path of an operation. The names of parameters are not compared, and case only if the route is
 * case-sensitive. A slash at the end of the route's path must also be in the operation's path, but the operation's path
 * may have an additional slash at the end.
 */
export function hasPath({ keys }: AppRoute, { key, looseKey }: PathTemplate): boolean {
  return keys.some(({ text, loose, isCaseSensitive }) => {
    if (loose !== looseKey || (text.endsWith('/') && !key.endsWith('/'))) return false;
    return !isCaseSensitive || text === key || text === key.replace(/\/$/, '');
  });
}

/**
 * Returns a route that handles the requests of an operation before the operation's own route does. Its path has a
 * parameter or a wildcard where the operation's path has text: for example `/pets/:id`, if it is before `/pets/mine`.
 *
 * @param route - The operation's own route.
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

/** Whether `auditRoutes` cannot tell which paths a route handles, for example because of a wildcard. */
export function hasUnknownPath({ segments }: Pick<AppRoute, 'segments'>): boolean {
  return segments.some((path) => path.some((segment) => 'unknown' in segment));
}

/**
 * Returns the error text for an operation whose requests are handled by this route and not by the operation's own
 * route. Call it only if this route has other security requirements than the operation, because the text says so.
 */
export function handledBy({ name }: AppRoute): string {
  return `its requests are handled by an earlier route, ${name}, which has different security requirements`;
}

/**
 * Whether a route handles a method. A route for GET also handles HEAD, and a route of `app.all` handles every method.
 * For a mount, the result is `false`.
 */
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
  // `readRoutes` returns a wildcard, a parameter beside text, and a parameter with a pattern as `unknown`. For such a
  // path, a key is made from the path in the app's code, with `{}` for each parameter and wildcard.
  const written = path.replaceAll(/:\w+(?:\([^)]*\))?|\*\w*/g, '{}').replace(/^\//, '');
  return [...keys, keyOf(written.replace(/\/$/, ''), false)];
}

function keyOf(text: string, isCaseSensitive: boolean): RouteKey {
  return { text, loose: text.toLowerCase().replace(/\/$/, ''), isCaseSensitive };
}

/**
 * Returns a regular expression for a path with a part that `readRoutes` could not read, such as a wildcard or a
 * parameter beside text. It ignores case.
 *
 * @param sign - The path must contain this character: `*` for a wildcard, `:` for a parameter.
 * @returns `undefined` for any other path, and for a path with a character that has a meaning in regular expressions,
 *   such as `(`.
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
