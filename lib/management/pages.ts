/** Lists, page by page. */
import type { ListPlace } from '../store/ledger.js';
import { invalid } from './management-error.js';

const DEFAULT_LIMIT = 50;
const MOST = 200;

export interface Page<T> {
  readonly items: readonly T[];
  /** Give it as `after` for the next page; `null` on the last one. */
  readonly next: string | null;
}

export function readLimit(value: unknown): number {
  if (value === undefined) return DEFAULT_LIMIT;
  const isLimit = Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MOST;
  if (!isLimit) throw invalid('limit', `expected a whole number from 1 to ${MOST}`);
  return value as number;
}

/** @throws ManagementError `invalid` for what no page gave as `next`. */
export function readAfter(value: unknown): ListPlace | undefined {
  if (value === undefined) return undefined;
  const text = typeof value === 'string' ? Buffer.from(value, 'base64url').toString() : '';
  const [, time, id] = /^(\d{1,15}) ([\w-]{1,64})$/.exec(text) ?? [];
  if (time === undefined || id === undefined) throw invalid('after', 'expected the "next" of a page');
  return { time: Number(time), id };
}

/** Cuts what was read, one more than a page, to a page. */
export function pageOf<Row, T>(
  rows: readonly Row[],
  limit: number,
  placeOf: (row: Row) => ListPlace,
  viewOf: (row: Row) => T,
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { items: shown.map(viewOf), next: last === undefined ? null : cursorOf(placeOf(last)) };
}

function cursorOf({ time, id }: ListPlace): string {
  return Buffer.from(`${time} ${id}`).toString('base64url');
}
