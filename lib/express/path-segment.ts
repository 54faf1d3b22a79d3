/** The path of a route, as far as it can be read from its text. */

/** One part of a path, between slashes. */
export type Segment =
  | { readonly literal: string; readonly sensitive: boolean }
  | { readonly parameter: string }
  | { readonly unknown: true };

/** A path, part by part. A slash at the end is an empty literal. */
export type Segments = readonly Segment[];
