import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { IdIndex } from '../../lib/cache/id-index.js';

describe('IdIndex', () => {
  let index: IdIndex;
  beforeEach(() => {
    index = new IdIndex();
  });

  it('finds the keys of an id, and none of an unknown id', () => {
    index.add('k1', 'd1');
    index.add('k2', 'd2');
    expect([index.keysOf('k1'), index.keysOf('k2'), index.keysOf('k3')]).toEqual([['d1'], ['d2'], []]);
  });

  it('finds each key once, even if it was added twice', () => {
    for (const key of ['d1', 'd2', 'd1', 'd2', 'd3']) index.add('k1', key);
    expect(index.keysOf('k1')).toEqual(['d1', 'd2', 'd3']);
  });

  it.each([
    ['the first', 'd1', ['d2', 'd3']],
    ['the second', 'd2', ['d1', 'd3']],
    ['the third', 'd3', ['d1', 'd2']],
    ['none', 'd4', ['d1', 'd2', 'd3']],
  ])('deletes one of several keys: %s', (_which, key, rest) => {
    for (const each of ['d1', 'd2', 'd3']) index.add('k1', each);
    index.delete('k1', key);
    expect(index.keysOf('k1')).toEqual(rest);
    for (const each of rest) index.delete('k1', each);
    expect(index.keysOf('k1')).toEqual([]);
  });

  it('a key that comes back is found', () => {
    index.add('k1', 'd1');
    index.add('k1', 'd2');
    index.delete('k1', 'd1');
    index.delete('k1', 'd2');
    index.add('k1', 'd1');
    expect(index.keysOf('k1')).toEqual(['d1']);
  });

  it('notes no entry without an id', () => {
    index.add(undefined, 'd1');
    index.delete(undefined, 'd1');
    index.delete('k1', 'd1');
    expect([index.keysOf('undefined'), index.keysOf('k1')]).toEqual([[], []]);
  });

  it('deletes the keys of an id without iterating over the others', () => {
    const keys = Array.from({ length: 100 }, (_, number) => `d${number}`);
    for (const key of keys) index.add('k1', key);
    const iterate = jest.spyOn(Set.prototype, Symbol.iterator);
    try {
      for (const key of keys) index.delete('k1', key);
      expect(iterate).not.toHaveBeenCalled();
    } finally {
      iterate.mockRestore();
    }
    expect(index.keysOf('k1')).toEqual([]);
  });
});
