import { expect, it } from '@jest/globals';
import { deepFreeze } from '../../lib/protocol/strict-json.js';

it('freezes a value at every depth, and returns it', () => {
  const value = JSON.parse('{"a":[{"b":{"c":[]}},[[1]]],"__proto__":{"d":{}},"e":null,"f":1}');
  expect(deepFreeze(value)).toBe(value);
  const nested = [value.a, value.a[0], value.a[0].b, value.a[0].b.c, value.a[1], value.a[1][0]];
  const own = Object.getOwnPropertyDescriptor(value, '__proto__')?.value;
  expect([value, ...nested, own, own.d].map(Object.isFrozen)).toEqual(Array(9).fill(true));
});

it.each([null, undefined, 1, 'text', true])('returns %j unchanged', (value) => {
  expect(deepFreeze(value)).toBe(value);
});
