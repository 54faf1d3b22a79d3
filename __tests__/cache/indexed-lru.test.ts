import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { IndexedLru, NegativeEntry } from '../../lib/cache/cache-entries.js';

function entryOf(id: string | undefined, account: string | undefined = 'a1'): NegativeEntry {
  return new NegativeEntry({ id, account }, 'unknown');
}

/** The maps that are made meanwhile. */
function mapsMadeBy(make: () => void): readonly Map<unknown, unknown>[] {
  const made: Map<unknown, unknown>[] = [];
  const Plain = Map;
  const spy = jest.spyOn(globalThis, 'Map').mockImplementation(() => {
    const map = new Plain();
    made.push(map);
    return map;
  });
  make();
  spy.mockRestore();
  return made;
}

describe.each([
  ['from the start', true],
  ['when it is first needed', false],
])('IndexedLru, indexed %s', (_when, isIndexed) => {
  let lru: IndexedLru<NegativeEntry>;

  beforeEach(() => {
    lru = new IndexedLru(3, isIndexed);
  });

  function put(key: string, id: string | undefined, account?: string): NegativeEntry {
    const entry = entryOf(id, account);
    lru.set(key, entry);
    return entry;
  }

  it('finds entries with get and peek', () => {
    const entry = put('d1', 'k1');
    expect([lru.get('d1'), lru.peek('d1')]).toEqual([entry, entry]);
    expect([lru.get('d2'), lru.peek('d2')]).toEqual([undefined, undefined]);
  });

  it('isCached is true while an entry is in the cache', () => {
    const [replaced, deleted, evicted] = [put('d1', 'k1'), put('d2', 'k2'), put('d3', 'k3')];
    expect([replaced.isCached, deleted.isCached, evicted.isCached]).toEqual([true, true, true]);
    const replacement = put('d1', 'k1');
    lru.delete('d2');
    expect([replaced.isCached, replacement.isCached, deleted.isCached, evicted.isCached]).toEqual([
      false,
      true,
      false,
      true,
    ]);
    for (const key of ['d4', 'd5']) put(key, key);
    expect(evicted.isCached).toBe(false);
  });

  it('isCached is false for an entry that was never in the cache', () => {
    expect(entryOf('k1').isCached).toBe(false);
  });

  it('evicts the least recently used: get counts as a use, peek does not', () => {
    for (const key of ['d1', 'd2', 'd3']) put(key, key);
    lru.get('d1');
    lru.peek('d2');
    put('d4', 'd4');
    expect(['d1', 'd2', 'd3', 'd4'].map((key) => lru.peek(key) !== undefined)).toEqual([true, false, true, true]);
  });

  it('holds one entry if its size is one', () => {
    const small = new IndexedLru<NegativeEntry>(1, isIndexed);
    for (const key of ['d1', 'd2']) small.set(key, entryOf(key));
    expect([small.peek('d1'), small.peek('d2')?.id]).toEqual([undefined, 'd2']);
  });

  describe('deleteId', () => {
    const left = () => ['d1', 'd2', 'd3'].filter((key) => lru.peek(key) !== undefined);

    it('deletes only the entry of an id', () => {
      put('d1', 'k1');
      put('d2', 'k2');
      lru.deleteId('k1');
      expect(left()).toEqual(['d2']);
    });

    it.each([2, 3])('deletes each of the %d entries of an id', (entries) => {
      for (const key of ['d1', 'd2', 'd3'].slice(0, entries)) put(key, 'k1');
      lru.deleteId('k1');
      expect(left()).toEqual([]);
    });

    it.each([
      ['first', 'd1', ['d2', 'd3']],
      ['second', 'd2', ['d1', 'd3']],
      ['last', 'd3', ['d1', 'd2']],
    ])('finds the other entries of an id after the %s was removed', (_which, gone, others) => {
      for (const key of ['d1', 'd2', 'd3']) put(key, 'k1');
      lru.delete(gone);
      expect(left()).toEqual(others);
      lru.deleteId('k1');
      expect(left()).toEqual([]);
    });

    it('finds entries of an id that were added again', () => {
      for (const key of ['d1', 'd2']) put(key, 'k1');
      lru.deleteId('k1');
      for (const key of ['d1', 'd2', 'd3']) put(key, 'k1');
      lru.deleteId('k1');
      expect(left()).toEqual([]);
    });

    it('finds an entry that was set twice', () => {
      put('d1', 'k1');
      put('d1', 'k1');
      put('d2', 'k1');
      put('d2', 'k1');
      lru.deleteId('k1');
      expect(left()).toEqual([]);
    });

    it.each([
      ['its only one', [], undefined],
      ['the first of two', ['d2'], undefined],
      ['the further of two', ['d0'], undefined],
      ['the one that was left', ['d0'], 'd0'],
    ])('finds an entry only by its new id after the id of a key changed: it was %s', (_which, others, gone) => {
      for (const key of ['d1', ...others].toSorted()) put(key, 'k1');
      if (gone !== undefined) lru.delete(gone);
      put('d1', 'k2');
      lru.deleteId('k1');
      expect(lru.peek('d1')?.id).toBe('k2');
      lru.deleteId('k2');
      expect(lru.peek('d1')).toBeUndefined();
    });

    it('the same if the entry of the old id was set twice', () => {
      const entry = put('d1', 'k1');
      lru.set('d1', entry);
      put('d1', 'k2');
      lru.deleteId('k1');
      expect(left()).toEqual(['d1']);
    });

    it('does not find evicted entries, but their replacements', () => {
      for (const key of ['d1', 'd2', 'd3']) put(key, 'k1');
      put('d4', 'k2');
      put('d5', 'k1');
      lru.deleteId('k1');
      expect(['d1', 'd2', 'd3', 'd4', 'd5'].filter((key) => lru.peek(key) !== undefined)).toEqual(['d4']);
    });

    it('deletes nothing for an unknown id, and no entries without an id', () => {
      put('d1', undefined);
      put('d2', 'k1');
      for (const id of ['k2', 'undefined', '__proto__', 'constructor']) lru.deleteId(id);
      expect(left()).toEqual(['d1', 'd2']);
    });

    it('accepts ids that are names of inherited properties', () => {
      for (const [index, id] of ['__proto__', 'constructor', 'toString'].entries()) put(`d${index + 1}`, id);
      lru.deleteId('__proto__');
      expect(left()).toEqual(['d2', 'd3']);
    });
  });

  it('keeps no key and no id of removed entries', () => {
    const kept = mapsMadeBy(() => {
      lru = new IndexedLru(3, true);
      lru.deleteAccount('none yet');
    });
    const isEmpty = () => kept.every(({ size }) => size === 0);
    const ids = ['k1', undefined, 'k1', 'k2', undefined, 'k1', 'k1', 'k1', 'k2', 'k3', undefined];
    for (const [index, id] of ids.entries()) {
      put(`d${index % 5}`, id, `a${index % 4}`);
      put(`d${index % 3}`, id, 'a1');
      expect(isEmpty()).toBe(false);
    }
    lru.clear();
    expect(isEmpty()).toBe(true);
  });

  describe('deleteAccount', () => {
    it('deletes every entry of the account, also those without an id', () => {
      const entries = [put('d1', 'k1', 'a1'), put('d2', undefined, 'a1'), put('d3', 'k3', 'a2')];
      lru.deleteAccount('a1');
      expect(entries.map(({ isCached }) => isCached)).toEqual([false, false, true]);
      expect([lru.peek('d1'), lru.peek('d2'), lru.peek('d3')]).toEqual([undefined, undefined, entries[2]]);
    });

    it('finds entries that were added, replaced or evicted since the last call', () => {
      lru.deleteAccount('a1');
      put('d1', 'k1', 'a1');
      put('d2', 'k2', 'a1');
      put('d2', 'k2', 'a2');
      lru.deleteAccount('a1');
      expect([...lru.keys()]).toEqual(['d2']);
    });

    it('visits only the entries of the account, after the first call', () => {
      const visited = jest.spyOn(lru, 'forEach');
      put('d1', 'k1', 'a1');
      for (const account of ['a2', 'a3', 'a1']) lru.deleteAccount(account);
      expect([visited.mock.calls.length, lru.size]).toEqual([1, 0]);
    });
  });
});
