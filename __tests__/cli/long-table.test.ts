import { expect, it } from '@jest/globals';
import { printTable } from '../../lib/cli/terminal/output.js';
import { outputInto } from '../support/command-line.js';

it('a table of 200,000 rows is printed', () => {
  const parts: string[] = [];
  const io = { stdin: process.stdin, stdout: outputInto(parts), stderr: outputInto([]), env: {} };
  printTable(
    io,
    ['ID'],
    Array.from({ length: 200_000 }, (_, i) => [`m${i}`]),
    'none',
  );
  expect(parts).toHaveLength(200_001);
});
