import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EntrySegment, type SegmentEntry } from '../../lib/verify/entry-segment.js';

const everything = () => true;

function entryOf(id: string | undefined, account: string | undefined = 'a1'): SegmentEntry {
  return { subject: { id, account }, live: false };
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

describe('EntrySegment', () => {
  let segment: EntrySegment<SegmentEntry>;

  beforeEach(() => {
    segment = new EntrySegment(3);
  });

  function put(key: string, id: string | undefined, account?: string): SegmentEntry {
    const entry = entryOf(id, account);
    segment.set(key, entry);
    return entry;
  }

  it('finds what was put in, by get and by peek', () => {
    const entry = put('d1', 'k1');
    expect([segment.get('d1'), segment.peek('d1')]).toEqual([entry, entry]);
    expect([segment.get('d2'), segment.peek('d2')]).toEqual([undefined, undefined]);
  });

  it('an entry is live while it is in, and no longer', () => {
    const [replaced, deleted, evicted] = [put('d1', 'k1'), put('d2', 'k2'), put('d3', 'k3')];
    expect([replaced.live, deleted.live, evicted.live]).toEqual([true, true, true]);
    const replacement = put('d1', 'k1');
    segment.delete('d2');
    expect([replaced.live, replacement.live, deleted.live, evicted.live]).toEqual([false, true, false, true]);
    for (const key of ['d4', 'd5']) put(key, key);
    expect(evicted.live).toBe(false);
  });

  it('one that was never in is not live', () => {
    expect(entryOf('k1').live).toBe(false);
  });

  it('the least recently used goes first: get counts as a use, peek does not', () => {
    for (const key of ['d1', 'd2', 'd3']) put(key, key);
    segment.get('d1');
    segment.peek('d2');
    put('d4', 'd4');
    expect(['d1', 'd2', 'd3', 'd4'].map((key) => segment.peek(key) !== undefined)).toEqual([true, false, true, true]);
  });

  it('holds one entry where its size is one', () => {
    const small = new EntrySegment<SegmentEntry>(1);
    for (const key of ['d1', 'd2']) small.set(key, entryOf(key));
    expect([small.peek('d1'), small.peek('d2')?.subject.id]).toEqual([undefined, 'd2']);
  });

  describe('deleteOf', () => {
    const left = () => ['d1', 'd2', 'd3'].filter((key) => segment.peek(key) !== undefined);

    it('drops the entry of an id, and no other', () => {
      put('d1', 'k1');
      put('d2', 'k2');
      segment.deleteOf('k1', everything);
      expect(left()).toEqual(['d2']);
    });

    it.each([2, 3])('drops each of the %d entries of an id', (entries) => {
      for (const key of ['d1', 'd2', 'd3'].slice(0, entries)) put(key, 'k1');
      segment.deleteOf('k1', everything);
      expect(left()).toEqual([]);
    });

    it.each([
      ['first', 'd1', ['d2', 'd3']],
      ['second', 'd2', ['d1', 'd3']],
      ['last', 'd3', ['d1', 'd2']],
    ])('finds the others of an id when the %s went before', (_which, gone, others) => {
      for (const key of ['d1', 'd2', 'd3']) put(key, 'k1');
      segment.delete(gone);
      expect(left()).toEqual(others);
      segment.deleteOf('k1', everything);
      expect(left()).toEqual([]);
    });

    it('finds those of an id that came back after all of them went', () => {
      for (const key of ['d1', 'd2']) put(key, 'k1');
      segment.deleteOf('k1', everything);
      for (const key of ['d1', 'd2', 'd3']) put(key, 'k1');
      segment.deleteOf('k1', everything);
      expect(left()).toEqual([]);
    });

    it('finds an entry that was put in twice', () => {
      put('d1', 'k1');
      put('d1', 'k1');
      put('d2', 'k1');
      put('d2', 'k1');
      segment.deleteOf('k1', everything);
      expect(left()).toEqual([]);
    });

    it.each([
      ['its only one', [], undefined],
      ['the first of two', ['d2'], undefined],
      ['the further of two', ['d0'], undefined],
      ['the one that was left', ['d0'], 'd0'],
    ])('knows an entry by its new id alone, where the id of a key changed: it was %s', (_which, others, gone) => {
      for (const key of ['d1', ...others].toSorted()) put(key, 'k1');
      if (gone !== undefined) segment.delete(gone);
      put('d1', 'k2');
      segment.deleteOf('k1', everything);
      expect(segment.peek('d1')?.subject.id).toBe('k2');
      segment.deleteOf('k2', everything);
      expect(segment.peek('d1')).toBeUndefined();
    });

    it('knows it so as well where the entry of the old id was put in twice', () => {
      const entry = put('d1', 'k1');
      segment.set('d1', entry);
      put('d1', 'k2');
      segment.deleteOf('k1', everything);
      expect(left()).toEqual(['d1']);
    });

    it('forgets what was evicted, and finds what took its place', () => {
      for (const key of ['d1', 'd2', 'd3']) put(key, 'k1');
      put('d4', 'k2');
      put('d5', 'k1');
      segment.deleteOf('k1', everything);
      expect(['d1', 'd2', 'd3', 'd4', 'd5'].filter((key) => segment.peek(key) !== undefined)).toEqual(['d4']);
    });

    it('spares the entries that do not fit', () => {
      put('d1', 'k1', 'a1');
      put('d2', 'k1', 'a2');
      segment.deleteOf('k1', ({ subject }) => subject.account === 'a2');
      expect(left()).toEqual(['d1']);
    });

    it('drops nothing of an id that nobody has, nor of entries about nobody', () => {
      put('d1', undefined);
      put('d2', 'k1');
      for (const id of ['k2', 'undefined', '__proto__', 'constructor']) segment.deleteOf(id, everything);
      expect(left()).toEqual(['d1', 'd2']);
    });

    it('takes ids that are the names of inherited members', () => {
      for (const [index, id] of ['__proto__', 'constructor', 'toString'].entries()) put(`d${index + 1}`, id);
      segment.deleteOf('__proto__', everything);
      expect(left()).toEqual(['d2', 'd3']);
    });
  });

  it('keeps no key and no id of entries that have gone', () => {
    const kept = mapsMadeBy(() => {
      segment = new EntrySegment(3);
    });
    const isEmpty = () => kept.every(({ size }) => size === 0);
    const ids = ['k1', undefined, 'k1', 'k2', undefined, 'k1', 'k1', 'k1', 'k2', 'k3', undefined];
    for (const [index, id] of ids.entries()) {
      put(`d${index % 5}`, id);
      put(`d${index % 3}`, id);
      expect(isEmpty()).toBe(false);
    }
    segment.deleteWhere(everything);
    expect(isEmpty()).toBe(true);
  });

  describe('deleteWhere', () => {
    it('drops every entry that fits, those about nobody too', () => {
      const entries = [put('d1', 'k1', 'a1'), put('d2', undefined, 'a1'), put('d3', 'k3', 'a2')];
      segment.deleteWhere(({ subject }) => subject.account === 'a1');
      expect(entries.map(({ live }) => live)).toEqual([false, false, true]);
      expect([segment.peek('d1'), segment.peek('d2'), segment.peek('d3')]).toEqual([undefined, undefined, entries[2]]);
    });
  });
});
