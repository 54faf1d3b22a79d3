import { describe, expect, it } from '@jest/globals';
import {
  readActor,
  readAllOrIds,
  readFlag,
  readFuture,
  readGiven,
  readId,
  readIds,
  readName,
  readNewKeyId,
  readScopes,
  readText,
} from '../../lib/management/fields.js';

const NOW = 1_800_000_000_000;
const RESERVED = '"prototype" and the names of built-in object properties, such as "constructor", are reserved';

describe('readNewKeyId', () => {
  it.each(['key_1', 'a', 'A-b_c', '7', 'x'.repeat(64), 'news'])('accepts %j', (id) => {
    expect(readNewKeyId('id', id)).toBe(id);
  });

  it.each([
    ...['', 'all', 'new', 'New', 'prototype', 'constructor', '_a', '-a', 'a b', 'a.b', 'a:b', 'a/b', 'a\n', '\na'],
    ...['x'.repeat(65), 7, null, undefined, ['a']],
  ])('refuses %j', (value) => {
    const refused = expect.objectContaining({ status: 400, code: 'invalid', field: 'id' });
    expect(() => readNewKeyId('id', value)).toThrow(refused);
  });
});

describe('readActor', () => {
  it('accepts at most 256 characters', () => {
    const longest = 'x'.repeat(256);
    expect(readActor('operator', longest)).toBe(longest);
    expect(() => readActor('operator', `${longest}x`)).toThrow(
      expect.objectContaining({ message: 'operator: expected at most 256 characters', field: 'operator' }),
    );
  });
});

describe('the error message', () => {
  it.each<[string, () => unknown, string]>([
    ['readGiven', () => readGiven(null, []), 'request: expected an object'],
    ['readGiven', () => readGiven({ c: 1 }, ['a', 'b']), 'c: unknown field; expected one of a, b'],
    ['readText', () => readText('f', ''), 'f: expected a non-empty string without NUL characters'],
    [
      'readName',
      () => readName('f', ' '),
      'f: expected at most 100 characters, not all of them spaces; tabs, line breaks and invisible formatting characters are not allowed',
    ],
    [
      'readId',
      () => readId('f', ''),
      `f: expected a string of 1 to 64 characters (A-Z, a-z, 0-9, "_", ".", ":" and "-") that begins with a letter or digit; "all", ${RESERVED}`,
    ],
    [
      'readNewKeyId',
      () => readNewKeyId('f', ''),
      `f: expected a string of 1 to 64 characters (A-Z, a-z, 0-9, "_" and "-") that begins with a letter or digit; "new", "all", ${RESERVED}`,
    ],
    ['readIds', () => readIds('f', 'a'), 'f: expected a list of at most 100 entries'],
    ['readIds', () => readIds('f', ['a', 'a']), 'f: expected a list without duplicates'],
    ['readAllOrIds', () => readAllOrIds('f', 'a'), 'f: expected "all" or a list of IDs'],
    [
      'readScopes',
      () => readScopes('f', ['a b']),
      'f: expected scopes that consist of ASCII characters other than spaces, double quotes and backslashes',
    ],
    ['readFuture', () => readFuture('f', new Date(NOW), NOW), 'f: expected a time in the future'],
    ['readFuture', () => readFuture('f', NOW, NOW), 'f: expected a Date from 1970 to 9999'],
    ['readFlag', () => readFlag('f', 1), 'f: expected true or false'],
  ])('of %s says what is expected', (_reader, read, message) => {
    expect(read).toThrow(expect.objectContaining({ message }));
  });
});
