/** Splits lists into pages. */
import type { KeyPlace, KeySort, ListPlace } from '../store/repository/repository.js';
import { invalid } from './management-error.js';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const EXPECTED_CURSOR = 'expected the value of "next" from the previous page';
/** The latest time that a `Date` can have (ECMA-262 section 21.4.1.1). */
const MAX_DATE = 8.64e15;

export interface Page<T> {
  readonly items: readonly T[];
  /** Pass it as `after` to get the next page; `null` on the last page. */
  readonly next: string | null;
}

export function readLimit(value: unknown): number {
  if (value === undefined) return DEFAULT_LIMIT;
  const isLimit = Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_LIMIT;
  if (!isLimit) throw invalid('limit', `expected a whole number from 1 to ${MAX_LIMIT}`);
  return value as number;
}

/**
 * Parses a cursor that a list returned as `next`: a time and the id of the last entry of that page. The time is 0 in
 * lists that are ordered only by id.
 *
 * @throws ManagementError `invalid` for a value that does not have the form of a cursor.
 */
export function readAfter(value: unknown): ListPlace | undefined {
  if (value === undefined) return undefined;
  const [time, id] = groupsOf(value, /^(-?\d{1,16}) (\P{Cc}{1,300})$/u);
  if (Math.abs(Number(time)) > MAX_DATE) throw invalid('after', EXPECTED_CURSOR);
  return { time: Number(time), id };
}

/**
 * Parses the cursor of a list of keys. If the list is sorted by name, the cursor contains the id and the name of the
 * last key on the page; otherwise, a time and the id.
 *
 * @throws ManagementError `invalid`
 */
export function readKeyAfter(value: unknown, { by }: KeySort): KeyPlace | undefined {
  if (value === undefined) return undefined;
  if (by !== 'name') {
    const place = readAfter(value);
    return place && { value: place.time, id: place.id };
  }
  const [id, name] = groupsOf(value, /^name (\P{Cc}{1,300})\n(\P{Cc}{0,300})$/u);
  return { value: name, id };
}

/** Returns the two groups of a pattern that a decoded cursor must match. */
function groupsOf(value: unknown, pattern: RegExp): readonly [string, string] {
  const match = typeof value === 'string' ? pattern.exec(Buffer.from(value, 'base64url').toString()) : null;
  if (match === null) throw invalid('after', EXPECTED_CURSOR);
  return match.slice(1) as [string, string];
}

/**
 * Creates a page from the rows of a query.
 *
 * @param rows - At most `limit + 1` rows. The last one is not shown: it only proves that there is a next page.
 */
export function pageOf<Row, T>(
  rows: readonly Row[],
  limit: number,
  placeOf: (row: Row) => ListPlace | KeyPlace,
  viewOf: (row: Row) => T,
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { items: shown.map(viewOf), next: last === undefined ? null : cursorOf(placeOf(last)) };
}

/** Encodes the place of the last entry on a page as the cursor with which the client gets the next page. */
export function cursorOf(place: ListPlace | KeyPlace): string {
  const value = 'time' in place ? place.time : place.value;
  const text = typeof value === 'string' ? `name ${place.id}\n${value}` : `${value} ${place.id}`;
  return Buffer.from(text).toString('base64url');
}
