/**
 * Parses the paths of routes, and compares which requests they match. A part that is not clearly a literal or a
 * parameter is unknown, because a gate may count only if every request is certain to pass it.
 */
import type { Segment, Segments } from '../path-segments.js';

/** How a router matches paths. */
export interface PathRules {
  /** The major version of Express. */
  readonly version: 4 | 5;
  /** Whether paths are case-sensitive. */
  readonly sensitive: boolean;
  /** Whether a slash at the end matters, as for the routes of a strict router. */
  readonly strict: boolean;
}

export const UNKNOWN: Segment = Object.freeze({ unknown: true });

const LITERAL = /^[^:*?+(){}[\]\\!|^$]+$/;
const PARAMETER = /^:(\w+)$/;
const OPTIONAL = { 4: /(\/:\w+)\?/, 5: /\{([^{}]*)\}/ } as const;
const ASCII = /^\p{ASCII}*$/u;
const PLAIN_NAME = /^[\w.~-]+$/;

/**
 * Parses a path as Express does. The result has one entry for each combination of the optional parts in the path, such
 * as `{/:id}` in Express 5 and `/:id?` in Express 4.
 */
export function readPath(path: unknown, rules: PathRules): readonly Segments[] {
  if (typeof path !== 'string') return [[UNKNOWN]];
  return choicesOf(loosened(path, rules), OPTIONAL[rules.version]).map((choice) => readParts(choice, rules));
}

/**
 * Removes slashes at the end of a path, as Express does. Express 4 removes one slash. Express 5 removes all slashes,
 * except those of a strict router and of the path `/`, and does this before it parses optional parts.
 *
 * So in Express 5, the path `/` in a list of paths matches only `/` itself, and no path below it. The same is true for
 * `/{v1}` without its optional part.
 */
function loosened(path: string, { version, strict }: PathRules): string {
  if (version === 4) return path.replace(/\/$/, '');
  return strict || path === '/' ? path : path.replace(/\/+$/, '');
}

function choicesOf(path: string, optional: RegExp): readonly string[] {
  const found = optional.exec(path);
  if (found === null) return [path];
  const [whole, part = ''] = found;
  const [before, after] = [path.slice(0, found.index), path.slice(found.index + whole.length)];
  return [part, ''].flatMap((choice) => choicesOf(glued(glued(before, choice), after), optional));
}

/**
 * Joins two parts of a path. If text follows a parameter, as in `/{:id}x`, a backslash between the two makes the part
 * unknown. Without it, the text would become a part of the name of the parameter.
 */
function glued(one: string, other: string): string {
  return /:\w+$/.test(one) && /^\w/.test(other) ? `${one}\\${other}` : one + other;
}

function readParts(path: string, { version, sensitive }: PathRules): Segments {
  const [start, ...parts] = path.split('/');
  // Express accepts a path that does not start with a slash, but no request matches it.
  if (start !== '') return [UNKNOWN];
  return parts.map((part) => {
    if (part === '' && version === 5) return { literal: '', sensitive };
    const parameter = PARAMETER.exec(part)?.[1];
    if (parameter !== undefined) return { parameter };
    return LITERAL.test(part) ? { literal: part, sensitive } : UNKNOWN;
  });
}

/** Joins the mount path of a router and the path of a route in this router. */
export function joinSegments(outer: Segments, inner: Segments): Segments {
  // The path `/` in a router also matches the mount path of the router itself.
  return outer.length > 0 && isEmpty(inner[0]) && inner.length === 1 ? outer : [...outer, ...inner];
}

/**
 * Whether every request for a route also matches a mount path. An empty mount path matches every path with a slash at
 * its start: not `*`, the target of some OPTIONS requests.
 */
export function coversPath(mount: Segments, route: Segments): boolean {
  const [first] = route;
  if (first !== undefined && 'unknown' in first) return false;
  return mount.every((part, index) => {
    const faced = route[index];
    return faced !== undefined && coversPart(part, faced);
  });
}

function coversPart(mount: Segment, route: Segment): boolean {
  if ('unknown' in mount || 'unknown' in route) return false;
  if ('parameter' in mount) return !isEmpty(route);
  if ('parameter' in route) return false;
  if (mount.literal === route.literal) return !mount.sensitive || route.sensitive;
  return !mount.sensitive && isSameLetters(mount.literal, route.literal);
}

/** Whether a request for a route may also match a mount path. */
export function mayMeet(mount: Segments, route: Segments): boolean {
  return mayMatchBoth(mount, route, (name, faced) => name === faced || isSameLetters(name, faced));
}

/**
 * Whether Express may change a path that matches a mount path into a path of a route. The changed path starts with the
 * parts that matched the mount path, and the last of them may be longer.
 */
export function mayBecome(mount: Segments, route: Segments): boolean {
  return mayMatchBoth(
    mount,
    route,
    (name, faced) => !PLAIN_NAME.test(faced) || faced.toLowerCase().startsWith(name.toLowerCase()),
  );
}

/** Whether a path consists of literals in which `url.parse` changes no character. */
export function isPlain(path: Segments): boolean {
  return path.every((part) => 'literal' in part && PLAIN_NAME.test(part.literal));
}

function mayMatchBoth(mount: Segments, route: Segments, isSameName: (name: string, faced: string) => boolean): boolean {
  for (const [index, part] of mount.entries()) {
    const faced = route[index];
    if ('unknown' in part || (faced !== undefined && 'unknown' in faced)) return true;
    if (faced === undefined) return isEmpty(part);
    if ('literal' in part && 'literal' in faced && !isSameName(part.literal, faced.literal)) return false;
  }
  return true;
}

function isEmpty(part: Segment | undefined): boolean {
  return part !== undefined && 'literal' in part && part.literal === '';
}

/**
 * Whether two literals are equal without regard to case. Only ASCII letters count as equal: for other characters, lower
 * case and the flag `i` of a regular expression differ (U+212A in lower case is `k`, but `/k/i` does not match it).
 */
function isSameLetters(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase() && ASCII.test(one + other);
}
