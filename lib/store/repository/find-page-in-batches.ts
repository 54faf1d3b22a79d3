/**
 * Searches many rows in batches. A single statement over all rows would block the event loop (SQLite) or exceed the
 * time limit (PostgreSQL).
 */

/** The first statement reads as many rows as this number of pages. Usually enough of them match to fill one page. */
const FIRST_PAGES = 4;

/** The page to find: the first `limit` matching rows after the place `after`, or from the start of the list. */
export interface BatchedPage<Place> {
  readonly after: Place | undefined;
  readonly limit: number;
  /** The number of rows that each further statement reads. */
  readonly batch: number;
}

/** The rows to search, in the order of an index. Only some of the rows match the filter. */
export interface FilteredRows<Row, Place> {
  /**
   * Returns where the next batch of `size` rows ends: the place of its last row, whether or not this row matches the
   * filter. Returns `undefined` if fewer than `size` rows are left.
   */
  endOfBatch(after: Place | undefined, size: number): Promise<Place | undefined>;
  /**
   * Returns at most `limit` matching rows after the place `after`, up to and including `end`. Without `end`, it
   * searches all rows that are left.
   */
  matching(after: Place | undefined, end: Place | undefined, limit: number): Promise<readonly Row[]>;
}

/** Reads batches until the page is full or no rows are left. */
export async function findPageInBatches<Row, Place>(
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
