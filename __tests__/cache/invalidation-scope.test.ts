import { describe, expect, it } from '@jest/globals';
import { matches, parseChange } from '../../lib/cache/invalidation-scope.js';

describe('parseChange', () => {
  it.each([
    ['a key, in a cache of keys', { key: 'k1' }, 'key', { id: 'k1' }],
    ['an access key, in a cache of access keys', { accessKey: 'k1' }, 'accessKey', { id: 'k1' }],
    ['a key, in a cache of access keys', { key: 'k1' }, 'accessKey', 'none'],
    ['an access key, in a cache of keys', { accessKey: 'k1' }, 'key', 'none'],
    ['an account', { account: 'a1' }, 'key', { account: 'a1' }],
    ['everything', 'all', 'key', 'all'],
    ['an id that is the name of an inherited member', { key: '__proto__' }, 'key', { id: '__proto__' }],
  ] as const)('reads %s', (_what, change, member, scope) => {
    expect(parseChange(change, member)).toEqual(scope);
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['another word', 'some'],
    ['a number', 1],
    ['an object without members', {}],
    ['two members', { key: 'k1', account: 'a1' }],
    ['a member of another version', { keyring: 'k1' }],
    ['an empty id', { key: '' }],
    ['an id that is a number', { key: 1 }],
    ['an id that is an object', { key: {} }],
    ['an id that is an object, of the other cache', { accessKey: {} }],
    ['a list', ['k1']],
    ['a member called __proto__', JSON.parse('{"__proto__":"k1"}')],
  ])('does not accept %s', (_what, change) => {
    expect(parseChange(change, 'key')).toBeUndefined();
  });
});

describe('matches', () => {
  const subject = { id: 'k1', account: 'a1' };

  it.each([
    [{ id: 'k1' }, true],
    [{ id: 'k2' }, false],
    [{ id: 'a1' }, false],
    [{ account: 'a1' }, true],
    [{ account: 'a2' }, false],
    [{ account: 'k1' }, false],
    ['all', true],
    ['none', false],
  ] as const)('%j: %s', (scope, matched) => {
    expect(matches(scope, subject)).toBe(matched);
  });

  it.each([
    [{ id: 'k1' }, false],
    [{ account: 'a1' }, false],
    ['all', true],
  ] as const)('of an unknown subject, %j: %s', (scope, matched) => {
    expect(matches(scope, { id: undefined, account: undefined })).toBe(matched);
  });
});
