/** Addresses of lists: the filters, and the place in the list. */
import type { Fields } from './fields.js';

/** The filters of a request that are set, by their names. */
export function filtersIn(fields: Fields, names: readonly string[]): Readonly<Record<string, string>> {
  const pairs = names.map((name) => [name, fields.one(name)] as const);
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** `?kind=secret&after=…`; nothing for no filter. */
export function queryText(filters: Readonly<Record<string, string | undefined>>): string {
  const set = Object.entries(filters).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return set.length === 0 ? '' : `?${new URLSearchParams(set)}`;
}

/** How many to a page; what is no number is none, which management refuses. */
export function limitIn(fields: Fields): number | undefined {
  const text = fields.one('limit');
  if (text === undefined) return undefined;
  return /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
}
