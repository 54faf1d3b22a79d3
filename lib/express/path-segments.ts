/**
 * Types for the parsed path of a route, such as `/keys/:id`. The route audit and `openApiGate` compare parsed paths to
 * find out which requests a route can get.
 */

/**
 * One part of a path, between two slashes: a literal (case-sensitive if `sensitive`), a parameter, or unknown. An
 * unknown part, such as a regular expression, may match anything.
 */
export type Segment =
  | { readonly literal: string; readonly sensitive: boolean }
  | { readonly parameter: string }
  | { readonly unknown: true };

/** The parts of a path, in order. A slash at the end of the path becomes an empty literal. */
export type Segments = readonly Segment[];
