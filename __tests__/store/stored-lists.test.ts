import { describe, expect, it } from '@jest/globals';
import { common, listOf, listText, namesOf } from '../../lib/store/stored-lists.js';

describe('lists in columns of text', () => {
  it.each([['all'], [[]], [['payments']], [['payments', 'disputes']], [['all']], [['"', '\\', 'é', '\n']]] as const)(
    'come back as they were written: %j',
    (list) => {
      expect(listOf(listText(list))).toEqual(list);
    },
  );

  it('hold no "all" where names are asked for', () => {
    expect(namesOf(listText('all'))).toEqual([]);
    expect(namesOf(listText(['all']))).toEqual(['all']);
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
    expect(common(one, other)).toEqual(both);
  });
});
