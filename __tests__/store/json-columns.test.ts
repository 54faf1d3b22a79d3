import { describe, expect, it } from '@jest/globals';
import { intersection, listToJson, parseList, parseNames, parseOptional } from '../../lib/store/json-columns.js';

describe('lists in columns of text', () => {
  it.each([['all'], [[]], [['payments']], [['payments', 'disputes']], [['all']], [['"', '\\', 'é', '\n']]] as const)(
    'are read as they were written: %j',
    (list) => {
      expect(parseList(listToJson(list))).toEqual(list);
    },
  );

  it('accept no "all" if names are required', () => {
    expect(parseNames(listToJson('all'))).toEqual([]);
    expect(parseNames(listToJson(['all']))).toEqual(['all']);
  });

  it('are null, or any JSON, where a column is optional', () => {
    expect(parseOptional(null)).toBeNull();
    expect(parseOptional('{"a":["b"]}')).toEqual({ a: ['b'] });
  });

  it.each([
    ['all', 'all', 'all'],
    ['all', ['a'], ['a']],
    [['a'], 'all', ['a']],
    [
      ['a', 'b', 'c'],
      ['c', 'a'],
      ['a', 'c'],
    ],
    [['a'], ['b'], []],
    [['a'], [], []],
    [[], 'all', []],
    [['all'], ['a'], []],
    [['a', 'a'], ['a'], ['a', 'a']],
  ] as const)('what %j and %j both allow: %j', (one, other, both) => {
    expect(intersection(one, other)).toEqual(both);
  });
});
