/**
 * Types for the path of a route, parsed as far as its text shows which requests it matches. The route audit and
 * `openApiGate` compare such paths.
 */

/**
 * One part of a path, between slashes: a literal (case-sensitive if `sensitive`), a parameter, or unknown. An unknown
 * part, such as a pattern, may match anything.
 */
export type Segment =
  | { readonly literal: string; readonly sensitive: boolean }
  | { readonly parameter: string }
  | { readonly unknown: true };

/** A path, part by part. A slash at the end is an empty literal. */
export type Segments = readonly Segment[];
