import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { UnderWay } from '../../lib/verify/under-way.js';

it('finds what was added until it is deleted', () => {
  const underWay = new UnderWay<number>();
  underWay.add('one', 1);
  expect([underWay.get('one'), underWay.get('two')]).toEqual([1, undefined]);
  underWay.delete('one');
  expect(underWay.get('one')).toBeUndefined();
});

it('deletes nothing else', () => {
  const underWay = new UnderWay<number>();
  // One last character: these stand in one lane.
  const keys = ['a1', 'b1', 'c1', 'd1'];
  for (const [value, key] of keys.entries()) underWay.add(key, value);
  underWay.delete('e1');
  underWay.delete('b1');
  expect(keys.map((key) => underWay.get(key))).toEqual([0, undefined, 2, 3]);
  underWay.delete('d1');
  expect(keys.map((key) => underWay.get(key))).toEqual([0, undefined, 2, undefined]);
});

it('finds a key of any text, the empty one too', () => {
  const underWay = new UnderWay<string>();
  for (const key of ['', '\u{1F511}', '\0', 'ÿ']) {
    underWay.add(key, `value of ${key}`);
    expect(underWay.get(key)).toBe(`value of ${key}`);
  }
});

it('says what a Map says', () => {
  const step = fc.record({ key: fc.string({ maxLength: 2 }), adds: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const [underWay, map] = [new UnderWay<number>(), new Map<string, number>()];
      for (const [value, { key, adds }] of steps.entries()) {
        if (!adds) {
          underWay.delete(key);
          map.delete(key);
        } else if (!map.has(key)) {
          underWay.add(key, value);
          map.set(key, value);
        }
        for (const { key } of steps) expect(underWay.get(key)).toBe(map.get(key));
      }
    }),
    { numRuns: 100 },
  );
});
