import { describe, expect, it } from '@jest/globals';
import {
  anything,
  flag,
  integer,
  method,
  names,
  number,
  type OptionTable,
  object,
  oneOf,
  optional,
  readTable,
  text,
  withDefault,
} from '../../lib/options/option-table.js';

interface Shape {
  readonly name: string;
  readonly size?: number | undefined;
  readonly strict?: boolean | undefined;
  readonly color?: 'red' | 'blue' | undefined;
  readonly kinds?: readonly ('a' | 'b')[] | undefined;
  readonly make?: (() => string) | undefined;
  readonly store?: { get(): string } | undefined;
  readonly extra?: unknown;
  readonly share?: number | undefined;
}

const TABLE = {
  name: text,
  size: integer(3, 1, 5),
  strict: flag(true),
  color: withDefault(oneOf(['red', 'blue']), 'red'),
  kinds: withDefault(names(['a', 'b']), ['a']),
  make: optional(method<() => string>()),
  store: optional(object<{ get(): string }>(['get'])),
  extra: anything,
  share: number(0.5, 0, 1),
} satisfies OptionTable<Shape>;

const read = (given: unknown) => readTable('paint', given, TABLE);

describe('readTable', () => {
  it('returns the default of every option', () => {
    const defaults = { size: 3, strict: true, color: 'red', kinds: ['a'], make: undefined, store: undefined };
    expect(read({ name: 'n' })).toEqual({ name: 'n', ...defaults, extra: undefined, share: 0.5 });
  });

  it('returns the given values', () => {
    const given = {
      name: 'n',
      size: 5,
      strict: false,
      color: 'blue',
      kinds: ['b', 'a'],
      extra: 7,
      share: 0.25,
    } as const;
    const make = () => 'x';
    const store = { get: () => 'y' };
    const { size, color, ...rest }: Shape = read({ ...given, make, store });
    expect({ size, color, ...rest }).toEqual({ ...given, make, store });
  });

  it.each<[string, unknown, string]>([
    ['a required one that is missing', {}, 'option "name" must be a non-empty string, got undefined'],
    [
      'an unknown one',
      { name: 'n', sise: 1 },
      'unknown option "sise"; the options are name, size, strict, color, kinds, make,',
    ],
    ['a number out of bounds', { name: 'n', size: 6 }, 'option "size" must be a whole number from 1 to 5, got 6'],
    ['a part out of bounds', { name: 'n', share: 1.5 }, 'option "share" must be a number from 0 to 1, got 1.5'],
    ['a flag as a text', { name: 'n', strict: 'no' }, 'option "strict" must be a boolean, got a string'],
    ['another word', { name: 'n', color: 'green' }, `option "color" must be 'red' or 'blue', got an invalid string`],
    ['no list', { name: 'n', kinds: 'a' }, `option "kinds" must be a list of one or more of 'a' and 'b', got a string`],
    ['an empty list', { name: 'n', kinds: [] }, 'option "kinds": expected one or more values'],
    [
      'another name in a list',
      { name: 'n', kinds: ['c'] },
      `option "kinds": each value must be 'a' or 'b', got an invalid string`,
    ],
    [
      'a name twice',
      { name: 'n', kinds: ['a', 'b', 'a'] },
      `option "kinds" must be a list of one or more of 'a' and 'b', without duplicates, got an invalid list`,
    ],
    ['no function', { name: 'n', make: 1 }, 'option "make" must be a function, got a number'],
    [
      'an object without its method',
      { name: 'n', store: {} },
      'option "store" must be an object with get(), got an object',
    ],
    ['no options', undefined, 'expected an options object, got undefined'],
  ])('refuses %s', (_what, given, message) => {
    expect(() => read(given)).toThrow(TypeError);
    expect(() => read(given)).toThrow(`paint: ${message}`);
  });

  it('does not compile if a name of the interface is missing, or unknown', () => {
    // @ts-expect-error - `size` and the others are missing.
    const missing = { name: text } satisfies OptionTable<Shape>;
    // @ts-expect-error - there is no `sise`.
    const misspelt = { ...TABLE, sise: text } satisfies OptionTable<Shape>;
    expect([Object.keys(missing).length, Object.keys(misspelt).length]).toEqual([1, 10]);
  });
});
