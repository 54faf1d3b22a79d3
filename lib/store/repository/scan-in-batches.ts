/**
 * Searches many rows in batches. A single statement over all rows would block the event loop (SQLite) or exceed the
 * time limit (PostgreSQL).
 */

/** The first statement reads this many pages of rows. Usually enough of them match to fill one page. */
const FIRST_PAGES = 4;

/** The page to find: the first `limit` matching rows after a place, or from the start if `after` is `undefined`. */
export interface BatchedPage<Place> {
  readonly after: Place | undefined;
  readonly limit: number;
  /** The number of rows that each further statement reads. */
  readonly batch: number;
}

/** Rows in the order of an index, of which some match a filter. */
export interface FilteredRows<Row, Place> {
  /**
   * Returns where the next batch ends: the place in the index of its last row, whether or not that row matches the
   * filter; `undefined` if fewer than `size` rows are left.
   */
  endOfBatch(after: Place | undefined, size: number): Promise<Place | undefined>;
  /**
   * Returns at most `limit` matching rows: those after a place, up to and including `end` or, without it, the last row.
   */
  matching(after: Place | undefined, end: Place | undefined, limit: number): Promise<readonly Row[]>;
}

/** Reads batches until the page is full or no rows are left. */
export async function findInBatches<Row, Place>(
  rows: FilteredRows<Row, Place>,
  { after: first, limit, batch }: BatchedPage<Place>,
): Promise<readonly Row[]> {
  const found: Row[] = [];
  let after = first;
  for (let size = FIRST_PAGES * limit; ; size = batch) {
    const end = await rows.endOfBatch(after, size);
    found.push(...(await rows.matching(after, end, limit - found.length)));
    if (end === undefined || found.length === limit) return found;
    after = end;
  }
}
