/** The query string of a list: its filters, and the place in the list. */
import type { Fields } from './request-fields.js';

/** The filters of a request that have a value, by name. */
export function filtersIn(fields: Fields, names: readonly string[]): Readonly<Record<string, string>> {
  const pairs = names.map((name) => [name, fields.one(name)] as const);
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** `?kind=secret&after=…`; empty without filters. */
export function queryString(filters: Readonly<Record<string, string | undefined>>): string {
  const set = Object.entries(filters).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return set.length === 0 ? '' : `?${new URLSearchParams(set)}`;
}

/** The page size. An invalid number becomes `NaN`, which management refuses. */
export function limitIn(fields: Fields): number | undefined {
  const text = fields.one('limit');
  if (text === undefined) return undefined;
  return /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
}
