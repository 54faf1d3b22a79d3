import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { UnderWay } from '../../lib/verify/under-way.js';
import { law } from '../support/law.js';

it('finds what was added until it is deleted', () => {
  const underWay = new UnderWay<number>();
  underWay.set('one', 1);
  expect([underWay.get('one'), underWay.get('two')]).toEqual([1, undefined]);
  underWay.delete('one');
  expect(underWay.get('one')).toBeUndefined();
});

it('deletes nothing else', () => {
  const underWay = new UnderWay<number>();
  const beyond = '1 and more characters than are weighed';
  // Alike where it counts: these stand in one lane.
  const keys = ['a', 'b', 'c', 'd'].map((first) => first + beyond);
  for (const [value, key] of keys.entries()) underWay.set(key, value);
  underWay.delete(`e${beyond}`);
  underWay.delete(`b${beyond}`);
  expect(keys.map((key) => underWay.get(key))).toEqual([0, undefined, 2, 3]);
  underWay.delete(`d${beyond}`);
  expect(keys.map((key) => underWay.get(key))).toEqual([0, undefined, 2, undefined]);
});

it('finds a key of any text, the empty one too', () => {
  const underWay = new UnderWay<string>();
  for (const key of ['', '\u{1F511}', '\0', 'ÿ']) {
    underWay.set(key, `value of ${key}`);
    expect(underWay.get(key)).toBe(`value of ${key}`);
  }
});

it('keeps one value of a key, the last', () => {
  const underWay = new UnderWay<number>();
  underWay.set('one', 1);
  underWay.set('one', 2);
  expect(underWay.get('one')).toBe(2);
  underWay.delete('one');
  expect(underWay.get('one')).toBeUndefined();
});

// As keys are: a digest has a character for each of its bytes.
const key = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((byte) => String.fromCharCode(byte)),
  maxLength: 2,
});
const step = fc.record({ key: fc.oneof(key, fc.constantFrom('\0', '\0\0', 'a', 'b', 'ab', 'ba')), sets: fc.boolean() });

law('says what a Map says', () =>
  fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
    const [underWay, map] = [new UnderWay<number>(), new Map<string, number>()];
    for (const [value, { key, sets }] of steps.entries()) {
      if (sets) {
        underWay.set(key, value);
        map.set(key, value);
      } else {
        underWay.delete(key);
        map.delete(key);
      }
      if (steps.some(({ key }) => underWay.get(key) !== map.get(key))) return false;
    }
    return true;
  }),
);
