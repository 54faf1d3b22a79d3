import { execFileSync } from 'node:child_process';
import { constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import * as csv from 'csv-parse';

const parse = jest.fn(csv.parse);
jest.unstable_mockModule('csv-parse', () => ({ ...csv, parse }));
const { openTable } = await import('../../lib/cli/import/csv-table.js');

const folder = mkdtempSync(join(tmpdir(), 'keyward-table-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => void parse.mockClear());

const checkHeading = jest.fn<(names: readonly string[]) => void>();

async function batchesOf(text: string, { size = 10, firstLine = 2 } = {}) {
  const file = join(folder, 'table.csv');
  writeFileSync(file, text);
  const all = [];
  for await (const batch of (await openTable(file, { size, firstLine }, checkHeading)).batches) all.push(batch);
  return all;
}

// csv-parse 7 ignores a byte order mark, but csv-parse 6 takes it for a part of the first name.
it('parses a heading without its byte order mark', async () => {
  const file = join(folder, 'marked.csv');
  writeFileSync(file, '\uFEFFdigest,kind\na,secret\n');
  const { batches } = await openTable(file, { size: 1, firstLine: 2 }, () => undefined);
  expect((await batches.next()).value).toEqual([{ number: 2, cells: { digest: 'a', kind: 'secret' } }]);
  await batches.return();
  expect(parse.mock.calls.map(([text]) => text)).toEqual(['digest,kind', 'a,secret']);
});

it('parses the lines of a batch in one call, without the spaces around cells', async () => {
  expect(await batchesOf('digest, kind\n a , secret \nb,public\nc,secret\n', { size: 2 })).toEqual([
    [
      { number: 2, cells: { digest: 'a', kind: 'secret' } },
      { number: 3, cells: { digest: 'b', kind: 'public' } },
    ],
    [{ number: 4, cells: { digest: 'c', kind: 'secret' } }],
  ]);
  expect(parse.mock.calls.map(([text]) => text)).toEqual(['digest, kind', ' a , secret \nb,public', 'c,secret']);
});

it('has no empty batch after the last line', async () => {
  expect(await batchesOf('digest\na\nb\n', { size: 2 })).toHaveLength(1);
  expect(await batchesOf('digest\n')).toEqual([]);
});

it('counts the cells of a line', async () => {
  const [lines] = await batchesOf('digest,kind\na\nb,c,d\n');
  expect(lines?.map(({ fault }) => fault)).toEqual([
    'expected 2 cells (one for each column), got 1',
    'expected 2 cells (one for each column), got 3',
  ]);
  // The heading, and the batch: a wrong line does not make the others be parsed one by one.
  expect(parse).toHaveBeenCalledTimes(2);
});

it('keeps the character of a byte order mark where it is none', async () => {
  await batchesOf('digest\uFEFF\n\uFEFFa\n');
  expect(parse.mock.calls.map(([text]) => text)).toEqual(['digest\uFEFF', '\uFEFFa']);
});

describe('the share of the file that was read', () => {
  it('grows to 1', async () => {
    const file = join(folder, 'long.csv');
    writeFileSync(file, `digest\n${'a\n'.repeat(200_000)}`);
    const { batches, share } = await openTable(file, { size: 100_000, firstLine: 2 }, checkHeading);
    const first = share();
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(0.5);
    while (!(await batches.next()).done);
    expect(share()).toBe(1);
  });

  it('is not known of a pipe', async () => {
    const file = join(folder, 'pipe.csv');
    execFileSync('mkfifo', [file]);
    const pipe = await open(file, constants.O_RDWR | constants.O_NONBLOCK);
    await pipe.write('digest\na\n');
    const { batches, share } = await openTable(file, { size: 1, firstLine: 2 }, checkHeading);
    expect((await batches.next()).value).toEqual([{ number: 2, cells: { digest: 'a' } }]);
    expect(share()).toBeUndefined();
    await pipe.close();
    expect((await batches.next()).done).toBe(true);
  });
});

it.each([
  [2, [2, 4, 6]],
  [3, [4, 6]],
  [4, [4, 6]],
  [5, [6]],
  [6, [6]],
  [7, []],
])('from line %i on, blank lines are left out', async (firstLine, numbers) => {
  const all = await batchesOf('digest\na\n\nb\n\nc\n', { firstLine });
  expect(all.flat().map(({ number }) => number)).toEqual(numbers);
});

it('says after which line there are none', async () => {
  await expect(batchesOf('digest\na\n\nb\n', { firstLine: 6 })).rejects.toThrow(
    /^--from-line 6: .*table\.csv has no keys after line 4; check the line number$/,
  );
});

it('has no column names if the quotes of the heading are misplaced', async () => {
  expect(await batchesOf('a"b,c\nd\n')).toEqual([
    [{ number: 2, cells: {}, fault: 'expected 0 cells (one for each column), got 1' }],
  ]);
  expect(checkHeading).toHaveBeenLastCalledWith([]);
});
