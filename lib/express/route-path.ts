/**
 * Which requests a path can stand for, as far as can be told from its text. Whatever is not plainly a literal or a
 * parameter counts as unknown: a gate that may not be met is not met.
 */

/** One part of a path, between slashes. */
export type Segment =
  | { readonly literal: string; readonly sensitive: boolean }
  | { readonly parameter: string }
  | { readonly unknown: true };

/** A path, part by part. */
export type Segments = readonly Segment[];

export const UNKNOWN: Segment = Object.freeze({ unknown: true });

const LITERAL = /^[^:*?+(){}[\]\\!|^$]+$/;
const PARAMETER = /^:(\w+)$/;

/**
 * Reads a path as Express 4 or 5 writes it, once for each choice of what may be left out (`{/:id}`, `/:id?`).
 *
 * @param sensitive - Whether it is matched with regard to case.
 */
export function readPath(path: unknown, sensitive: boolean): readonly Segments[] {
  if (typeof path !== 'string') return [[UNKNOWN]];
  const optional = /\{([^{}]*)\}|(\/:\w+)\?/.exec(path);
  if (optional === null) return [readParts(path, sensitive)];
  const [whole, braced, marked] = optional;
  const [before, after] = [path.slice(0, optional.index), path.slice(optional.index + whole.length)];
  return [braced ?? marked, ''].flatMap((choice) => readPath(before + choice + after, sensitive));
}

function readParts(path: string, sensitive: boolean): Segments {
  const [start, ...parts] = path.replace(/\/$/, '').split('/');
  // Express takes such a path, and no request matches it.
  if (start !== '') return [UNKNOWN];
  return parts.map((part) => {
    const parameter = PARAMETER.exec(part)?.[1];
    if (parameter !== undefined) return { parameter };
    return LITERAL.test(part) ? { literal: part, sensitive } : UNKNOWN;
  });
}

/** Whether every request for a route meets what is mounted at a path. */
export function coversPath(mount: Segments, route: Segments): boolean {
  return mount.every((part, index) => {
    const faced = route[index];
    return faced !== undefined && coversPart(part, faced);
  });
}

function coversPart(mount: Segment, route: Segment): boolean {
  if ('unknown' in mount || 'unknown' in route) return false;
  if ('parameter' in mount) return true;
  if ('parameter' in route) return false;
  if (mount.sensitive) return route.sensitive && mount.literal === route.literal;
  return mount.literal.toLowerCase() === route.literal.toLowerCase();
}
