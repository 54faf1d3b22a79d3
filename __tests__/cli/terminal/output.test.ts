import { describe, expect, it } from '@jest/globals';
import type { Io } from '../../../lib/cli/io.js';
import {
  jsonLine,
  printFields,
  printJson,
  printLine,
  printTable,
  printWarning,
  textOfCount,
  textOfList,
  textOfTime,
} from '../../../lib/cli/terminal/output.js';
import { outputInto } from '../../support/command-line.js';

/** Everything that is printed, of standard output and of standard error. */
function printed(print: (io: Io) => void) {
  const [out, err]: [string[], string[]] = [[], []];
  print({ stdin: process.stdin, env: {}, stdout: outputInto(out), stderr: outputInto(err) });
  return { stdout: out.join(''), stderr: err.join('') };
}

describe('what is printed', () => {
  it('is one line of JSON', () => {
    const expected = '{"name":"a\\n\\u202e"}\n';
    expect(jsonLine({ name: 'a\n\u202e' })).toBe(expected);
    expect(printed((io) => printJson(io, { name: 'a\n\u202e' }))).toEqual({ stdout: expected, stderr: '' });
  });

  it('is one line of text', () => {
    expect(printed((io) => printLine(io, 'a\nb'))).toEqual({ stdout: 'a\\nb\n', stderr: '' });
  });

  it.each([
    [true, '{"warning":{"message":"a\\nb"}}\n'],
    [false, 'warning: a\\nb\n'],
    [undefined, 'warning: a\\nb\n'],
  ])('is a warning on standard error, with JSON: %p', (isJson, expected) => {
    expect(printed((io) => printWarning(io, isJson, 'a\nb'))).toEqual({ stdout: '', stderr: expected });
  });

  it('is a table whose columns are as wide as their longest cell', () => {
    const rows = [
      ['a', 'longer than its heading', 'x'],
      ['b\n', '', ''],
      ['c', 'd'],
    ];
    const { stdout } = printed((io) => printTable(io, ['ID', 'NAME', 'LAST'], rows, 'none'));
    expect(stdout.split('\n')).toEqual([
      'ID   NAME                     LAST',
      'a    longer than its heading  x',
      String.raw`b\n`,
      'c    d',
      '',
    ]);
  });

  it('is a text instead of an empty table', () => {
    expect(printed((io) => printTable(io, ['ID'], [], 'There are no keys.')).stdout).toBe('There are no keys.\n');
  });

  it('is one line for each field, with the values below each other', () => {
    expect(printed((io) => printFields(io, { id: 'key_1', environment: 'live' })).stdout).toBe(
      'id           key_1\nenvironment  live\n',
    );
  });
});

describe('the text', () => {
  it.each([
    [0, undefined, '0 lines'],
    [1, undefined, '1 line'],
    [2, undefined, '2 lines'],
    [1, 'entries', '1 line'],
    [3, 'entries', '3 entries'],
  ])('of a count of %d (plural %s) is %s', (count, plural, expected) => {
    expect(textOfCount(count, 'line', plural)).toBe(expected);
  });

  it.each([
    [null, '-'],
    [new Date('2027-01-31T10:20:30.456Z'), '2027-01-31 10:20:30Z'],
    [new Date('2027-01-31'), '2027-01-31 00:00:00Z'],
  ])('of the time %p is %s', (time, expected) => {
    expect(textOfTime(time)).toBe(expected);
  });

  it.each<['all' | readonly string[] | null, string | undefined, string]>([
    [null, undefined, '-'],
    [null, 'every', 'every'],
    ['all', 'every', 'all'],
    [[], undefined, 'none'],
    [['a'], undefined, 'a'],
    [['a', 'b'], 'every', 'a b'],
  ])('of the list %j (if null: %s) is "%s"', (list, ifNull, expected) => {
    expect(textOfList(list, ifNull)).toBe(expected);
  });
});
