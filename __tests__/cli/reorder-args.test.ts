import { describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { asksForJson, reorderArgs } from '../../lib/cli/reorder-args.js';

const program = new Command('keyward');
const keys = program.command('keys');
keys.command('list');
keys.command('create');
program.command('migrate');

const reordered = (line: string) => reorderArgs(program, line === '' ? [] : line.split(' ')).join(' ');

describe('the common options', () => {
  it.each([
    ['keys list --json', 'keys list --json'],
    ['--json keys list', 'keys list --json'],
    ['keys --json list', 'keys list --json'],
    ['--database file:a.db keys list', 'keys list --database file:a.db'],
    ['--database=file:a.db keys list', 'keys list --database=file:a.db'],
    ['--database keys keys list', 'keys list --database keys'],
    ['--database=list keys list --state active', 'keys list --database=list --state active'],
    ['--database a --json keys --database b list c', 'keys list --database a --json --database b c'],
    ['--json=1 migrate', 'migrate --json=1'],
    ['--json keys list --json x', 'keys list --json --json x'],
    ['migrate --database', 'migrate --database'],
    ['--database', ''],
  ])('of "%s" are moved after the command: "%s"', (line, expected) => {
    expect(reordered(line)).toBe(expected);
  });

  it.each([
    ['', ''],
    ['--json', ''],
    ['--json keys', 'keys'],
    ['keys --json', 'keys'],
    ['--json keys lost', 'keys lost'],
    ['--json lost list', 'lost list'],
    ['--json keys --lost', 'keys --json --lost'],
    ['--lost keys list', '--lost keys list'],
    ['toString keys', 'toString keys'],
    ['keys list keys create', 'keys list keys create'],
  ])('are left out for a group without a command: "%s" is "%s"', (line, expected) => {
    expect(reordered(line)).toBe(expected);
  });
});

describe('the word help', () => {
  it.each([
    ['help', '--help'],
    ['help keys', 'keys --help'],
    ['help keys create', 'keys create --help'],
    ['keys help create', 'keys create --help'],
    ['keys help', 'keys --help'],
    ['--json help keys create', 'keys create --help'],
    ['help keys lost', 'keys lost'],
    ['help keys list extra', 'keys list --help'],
    ['help lost', 'lost'],
    ['help keys --lost', 'keys --help'],
    ['keys list help', 'keys list help'],
    ['migrate help', 'migrate help'],
  ])('of "%s" becomes an option: "%s"', (line, expected) => {
    expect(reordered(line)).toBe(expected);
  });
});

it.each<[readonly string[], boolean]>([
  [[], false],
  [['--json'], true],
  [['keys', 'list', '--json'], true],
  [['--json', '--', 'x'], true],
  [['keys', '--', '--json'], false],
  [['--', '--json'], false],
  [['json', '--json=1'], false],
])('errors of %j are printed as JSON: %p', (args, expected) => {
  expect(asksForJson(args)).toBe(expected);
});
