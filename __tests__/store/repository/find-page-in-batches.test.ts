import { expect, it } from '@jest/globals';
import { findPageInBatches } from '../../../lib/store/repository/find-page-in-batches.js';

/** Finds a page of the multiples of 10 in the rows 0, 1, ... and returns it with the arguments of each statement. */
async function find(rows: number, page: { after?: number; limit: number; batch: number }) {
  const statements: (readonly (number | undefined)[])[] = [];
  const found = await findPageInBatches<number, number>(
    {
      async endOfBatch(after, size) {
        statements.push([after, size]);
        const end = (after ?? -1) + size;
        return end < rows ? end : undefined;
      },
      async matching(after, end, limit) {
        statements.push([after, end, limit]);
        const all = Array.from({ length: rows }, (_, at) => at);
        return all.filter((at) => at % 10 === 0 && at > (after ?? -1) && at <= (end ?? rows)).slice(0, limit);
      },
    },
    { after: undefined, ...page },
  );
  return { found, statements };
}

it('reads four pages at first, and then a batch at a time until the page is full', async () => {
  expect(await find(100, { limit: 3, batch: 5 })).toEqual({
    found: [0, 10, 20],
    statements: [
      ...[
        [undefined, 12],
        [undefined, 11, 3],
      ],
      ...[
        [11, 5],
        [11, 16, 1],
      ],
      ...[
        [16, 5],
        [16, 21, 1],
      ],
    ],
  });
});

it('starts after a place', async () => {
  expect(await find(100, { after: 19, limit: 1, batch: 5 })).toEqual({
    found: [20],
    statements: [
      [19, 4],
      [19, 23, 1],
    ],
  });
});

it('ends when no rows are left, although the page is not full', async () => {
  expect(await find(14, { limit: 3, batch: 5 })).toEqual({
    found: [0, 10],
    statements: [
      ...[
        [undefined, 12],
        [undefined, 11, 3],
      ],
      ...[
        [11, 5],
        [11, undefined, 1],
      ],
    ],
  });
  expect(await find(0, { limit: 3, batch: 5 })).toEqual({
    found: [],
    statements: [
      [undefined, 12],
      [undefined, undefined, 3],
    ],
  });
});
