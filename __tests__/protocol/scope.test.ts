import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatScope, isScopeToken, parseScope, SCOPE_CHARACTERS } from '../../lib/protocol/scope.js';
import { law } from '../support/law.js';

// RFC 6749 §3.3: %x21 / %x23-5B / %x5D-7E
const NQCHARS = Array.from({ length: 0x7e - 0x21 + 1 }, (_, index) => String.fromCharCode(0x21 + index)).filter(
  (character) => character !== '"' && character !== '\\',
);
const scopeToken = fc.string({ unit: fc.constantFrom(...NQCHARS), minLength: 1, maxLength: 12 });

describe('isScopeToken', () => {
  it('accepts exactly the characters of RFC 6749 §3.3', () => {
    const all = Array.from({ length: 0x300 }, (_, code) => String.fromCharCode(code));
    expect(all.filter(isScopeToken)).toEqual(NQCHARS);
    expect(all.filter((character) => isScopeToken(`a${character}a`))).toEqual(NQCHARS);
  });

  it('names the characters for messages', () => {
    expect(SCOPE_CHARACTERS).toBe('ASCII characters other than spaces, double quotes and backslashes');
  });

  it.each(['payments', 'payments:refund', 'https://api.test/read', '*', '__proto__'])('accepts %s', (text) => {
    expect(isScopeToken(text)).toBe(true);
  });

  it.each(['', ' ', 'a b', ' a', 'a ', 'a\n', 'a\t', 'a"', 'a\\', 'é', '\u0000'])('refuses the text %j', (text) => {
    expect(isScopeToken(text)).toBe(false);
  });

  it.each([[undefined], [null], [1], [true], [['payments']], [{}]])('refuses %j, which is not a string', (value) => {
    expect(isScopeToken(value)).toBe(false);
  });
});

describe('parseScope', () => {
  it.each([
    ['', []],
    ['payments', ['payments']],
    ['b a', ['b', 'a']],
    ['a b a c b', ['a', 'b', 'c']],
    ['Payments payments', ['Payments', 'payments']],
  ])('reads %j as %j', (text, tokens) => {
    expect(parseScope(text)).toEqual(tokens);
  });

  it.each([' ', '  ', ' a', 'a ', 'a  b', 'a\tb', 'a\nb', 'a\n', 'a "b"', 'a b\\', 'a é', 'a\u00a0b'])(
    'refuses %j',
    (text) => {
      expect(parseScope(text)).toBeUndefined();
    },
  );

  law('reads what formatScope writes', () =>
    fc.property(fc.uniqueArray(scopeToken), (tokens) => {
      expect(parseScope(formatScope(tokens))).toEqual(tokens);
    }),
  );

  law('reads a text that it takes into tokens, each once, that write the same text without repetitions', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '"'), maxLength: 8 });
    return fc.property(text, (scope) => {
      const words = scope === '' ? [] : scope.split(' ');
      const wellFormed = words.every((word) => word !== '' && !word.includes('"'));
      expect(parseScope(scope)).toEqual(wellFormed ? [...new Set(words)] : undefined);
    });
  });
});

describe('formatScope', () => {
  it.each([
    [[], ''],
    [['payments'], 'payments'],
    [['b', 'a', 'c'], 'b a c'],
  ])('writes %j as %j', (tokens, text) => {
    expect(formatScope(tokens)).toBe(text);
  });
});
