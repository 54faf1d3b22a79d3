import { describe, expect, it } from '@jest/globals';
import { matchesNone, parseIfMatch } from '../../../lib/management/api/preconditions.js';

describe('parseIfMatch', () => {
  it.each([
    [undefined, undefined],
    ['*', 'any'],
    ['"1"', [1]],
    ['"12" , "345"', [12, 345]],
    // Weak tags, and tags that no key has, match no version.
    ['W/"1", 1, "0", "01", "x", "1x", "", "7"', [7]],
    [`"${'9'.repeat(15)}", "1${'0'.repeat(15)}"`, [999_999_999_999_999]],
    ['', []],
  ])('%j is %j', (field, versions) => {
    expect(parseIfMatch(field)).toEqual(versions);
  });
});

describe('matchesNone', () => {
  it.each([
    [undefined, true],
    ['*', false],
    ['"12"', false],
    ['"1", W/"12"', false],
    ['"1", "2"', true],
    ['12', true],
  ])('%j matches no tag of version 12: %j', (field, result) => {
    expect(matchesNone(field, 12)).toBe(result);
  });
});
