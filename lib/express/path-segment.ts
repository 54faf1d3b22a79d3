/** The path of a route, as far as it can be read from its text. */

/**
 * One part of a path, between slashes: a literal text, compared with regard to case if `sensitive`; a parameter; or
 * unknown, such as a pattern, which may match anything.
 */
export type Segment =
  | { readonly literal: string; readonly sensitive: boolean }
  | { readonly parameter: string }
  | { readonly unknown: true };

/** A path, part by part. A slash at the end is an empty literal. */
export type Segments = readonly Segment[];
