import { describe, expect, it } from '@jest/globals';
import { cursorOf, pageOf, readAfter, readKeyAfter, readLimit } from '../../lib/management/pagination.js';

const cursor = (text: string) => Buffer.from(text).toString('base64url');
const invalid = (field: string) => expect.objectContaining({ status: 400, code: 'invalid', field });

describe('readLimit', () => {
  it.each([
    [undefined, 50],
    [1, 1],
    [200, 200],
  ])('reads %p as %p', (given, limit) => {
    expect(readLimit(given)).toBe(limit);
  });

  it.each([0, -1, 201, 1e9, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '10', [1], null, {}])('refuses %p', (given) => {
    expect(() => readLimit(given)).toThrow(invalid('limit'));
  });

  it('says what it expects', () => {
    expect(() => readLimit(0)).toThrow('limit: expected a whole number from 1 to 200');
  });
});

describe('pages', () => {
  const rows = [5, 4, 3, 2, 1].map((time) => ({ time, id: `key_${time}` }));
  const page = (limit: number, from = 0) =>
    pageOf(
      rows.slice(from, from + limit + 1),
      limit,
      (row) => row,
      ({ id }) => id,
    );

  it.each([
    [1, ['key_5'], { time: 5, id: 'key_5' }],
    [2, ['key_5', 'key_4'], { time: 4, id: 'key_4' }],
    [4, ['key_5', 'key_4', 'key_3', 'key_2'], { time: 2, id: 'key_2' }],
  ])('of %d ends with the position where the next page starts', (limit, items, place) => {
    const { items: shown, next } = page(limit);
    expect(shown).toEqual(items);
    expect(readAfter(next)).toEqual(place);
  });

  it.each([5, 6])('of %d is the last of five', (limit) => {
    expect(page(limit)).toEqual({ items: rows.map(({ id }) => id), next: null });
  });

  it('without rows is the last', () => {
    expect(page(3, 5)).toEqual({ items: [], next: null });
  });
});

describe('readAfter', () => {
  it.each(['-5 old', '5 old.1', '5 old:2', "5 it's", '5 a b'])('N24 reads a position of an old table: %s', (place) => {
    const [time = '', ...id] = place.split(' ');
    expect(readAfter(cursor(place))).toEqual({ time: Number(time), id: id.join(' ') });
  });

  it('starts at the beginning by default', () => {
    expect(readAfter(undefined)).toBeUndefined();
  });

  it.each([8.64e15, -8.64e15])('reads the last time that a Date can have: %d', (time) => {
    expect(readAfter(cursor(`${time} key_5`))).toEqual({ time, id: 'key_5' });
  });

  it('says what it expects', () => {
    expect(() => readAfter('')).toThrow('after: expected the value of "next" from the previous page');
  });

  it.each([
    ['null', null],
    ['a number', 5],
    ['a list', [cursor('5 key_5')]],
    ['an empty string', ''],
    ['no base64url', '***'],
    ['a time alone', cursor('5')],
    ['an id alone', cursor('key_5')],
    ['a time that is no number', cursor('5e3 key_5')],
    ['a time past every date', cursor('9999999999999999 key_5')],
    ['an id with a NUL', cursor('5 key_\u0000')],
    ['an id too long', cursor(`5 ${'k'.repeat(301)}`)],
    ['a line more', cursor('5 key_5\n')],
  ])('refuses %s', (_what, given) => {
    expect(() => readAfter(given)).toThrow(invalid('after'));
  });
});

describe('readKeyAfter', () => {
  const BY_NAME = { by: 'name', isDescending: false } as const;

  it.each(['', 'T', 'Till 2', 'x'.repeat(300)])('reads the position after the name %j', (value) => {
    expect(readKeyAfter(cursorOf({ value, id: 'key_5' }), BY_NAME)).toEqual({ value, id: 'key_5' });
  });

  it('reads a time for other orders', () => {
    const place = { value: 5, id: 'key_5' };
    expect(readKeyAfter(cursorOf(place), { by: 'used', isDescending: true })).toEqual(place);
  });

  it('starts at the beginning by default', () => {
    expect(readKeyAfter(undefined, BY_NAME)).toBeUndefined();
  });

  it.each([
    ['null', null],
    ['a number', 5],
    ['an empty string', ''],
    ['a time and an id', cursor('5 key_5')],
    ['no name', cursor('name key_5')],
    ['an id with a NUL', cursor('name key_\u0000\nTill')],
    ['an id too long', cursor(`name ${'k'.repeat(301)}\nTill`)],
    ['a name too long', cursor(`name key_5\n${'T'.repeat(301)}`)],
    ['text before it', cursor('sort name key_5\nTill')],
    ['a line more', cursor('name key_5\nTill\n')],
  ])('refuses %s', (_what, given) => {
    expect(() => readKeyAfter(given, BY_NAME)).toThrow(invalid('after'));
  });
});
