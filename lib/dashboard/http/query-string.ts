/** Reads and builds the query string of a page with a list: the filters, the cursor and the page size. */
import type { Fields } from './request-fields.js';

export function filtersIn(fields: Fields, names: readonly string[]): Readonly<Record<string, string>> {
  const pairs = names.map((name) => [name, fields.one(name)] as const);
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** `?kind=secret&after=...`; empty without filters. */
export function queryString(filters: Readonly<Record<string, string | undefined>>): string {
  const set = Object.entries(filters).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return set.length === 0 ? '' : `?${new URLSearchParams(set)}`;
}

/** Reads the page size. A value that is not a number becomes `NaN`, which management refuses with an error message. */
export function limitIn(fields: Fields): number | undefined {
  const text = fields.one('limit');
  if (text === undefined) return undefined;
  return /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
}
