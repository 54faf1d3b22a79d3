import { describe, expect, it } from '@jest/globals';
import { foldText, searchTextOf, sortNameOf } from '../../../lib/store/repository/search-text.js';

describe('foldText', () => {
  it.each([
    ['letters in lower case', 'till', 'TILL'],
    ['a sharp s', 'stra\u00DFe', 'STRASSE'],
    ['a capital sharp s', 'STRA\u1E9EE', 'STRASSE'],
    ['a Turkish I with a dot', '\u0130i', 'II'],
    ['a Turkish i without a dot', '\u0131', 'I'],
    ['wide letters', '\uFF53hop', 'SHOP'],
    ['an accent after its letter', 'e\u0301', '\u00C9'],
  ])('folds %s', (_what, text, folded) => {
    expect(foldText(text)).toBe(folded);
  });
});

describe('sortNameOf', () => {
  it('returns the name, or the id of a key without a name', () => {
    expect(sortNameOf({ id: 'key_1', name: 'till' })).toBe('TILL');
    expect(sortNameOf({ id: 'key_1', name: null })).toBe('KEY_1');
  });

  it('has at most 200 characters, and cuts none of them in two', () => {
    const emoji = '\u{1F511}';
    expect(sortNameOf({ id: 'key_1', name: emoji.repeat(200) })).toBe(emoji.repeat(200));
    expect(sortNameOf({ id: 'key_1', name: emoji.repeat(201) })).toBe(emoji.repeat(200));
  });
});

describe('searchTextOf', () => {
  it('returns the name, the id and the hints, one per line', () => {
    expect(searchTextOf({ id: 'key_1', name: 'till' }, ['sk_...a', 'sk_...b'])).toBe('TILL\nKEY_1\nSK_...A\nSK_...B');
    expect(searchTextOf({ id: 'key_1', name: null }, [])).toBe('\nKEY_1');
  });
});
