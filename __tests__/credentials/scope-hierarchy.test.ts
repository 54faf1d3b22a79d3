import { describe, expect, it } from '@jest/globals';
import { apiMap, scopePrefixes } from '../../lib/credentials/api-map.js';
import { resolveImplies, withImplied } from '../../lib/credentials/scope-hierarchy.js';

const LISTED = ['files:admin', 'files:write', 'files:read', 'files:list', 'audit'];
const resolve = (implies: unknown) => resolveImplies(implies, (scope) => LISTED.includes(scope));
/** The first scope implies two that imply each other. */
const CYCLE_BEHIND = { 'files:admin': ['files:write'], 'files:write': ['files:read'], 'files:read': ['files:write'] };
const refusal = (text: string) => new TypeError(`apiMap: option "implies" ${text}`);

describe('resolveImplies', () => {
  it('returns what a scope implies, directly and through others, each once and without itself', () => {
    const implied = resolve({
      'files:admin': ['files:write', 'audit', 'files:list'],
      'files:write': ['files:read', 'files:list'],
      'files:read': ['files:list'],
    });
    expect([...implied.keys()]).toEqual(['files:admin', 'files:write', 'files:read']);
    expect([...(implied.get('files:admin') ?? [])].sort()).toEqual([
      'audit',
      'files:list',
      'files:read',
      'files:write',
    ]);
    expect([...(implied.get('files:write') ?? [])].sort()).toEqual(['files:list', 'files:read']);
    expect(implied.get('files:read')).toEqual(['files:list']);
    expect(Object.isFrozen(implied.get('files:read'))).toBe(true);
  });

  it('takes a copy of the lists', () => {
    const lists = { 'files:write': ['files:read'], 'files:admin': ['files:write'] };
    const implied = resolve(lists);
    lists['files:write'].push('audit');
    expect(implied.get('files:admin')).not.toContain('audit');
  });

  it.each([
    ['null', null, 'null'],
    ['a list', [['files:read']], 'an array'],
    ['a text', 'files:read', 'a string'],
    ['a function', () => ({}), 'a function'],
  ])('refuses %s', (_name, implies, got) => {
    expect(() => resolve(implies)).toThrow(
      refusal(`must be an object that maps a scope to a list of the scopes that it implies, got ${got}`),
    );
  });

  it.each([
    ['a text', 'files:read'],
    ['an empty list', []],
    ['a scope that is no scope-token', ['files:read', 'a b']],
    ['a scope that is no text', ['files:read', 1]],
    ['a list with a hole', new Array(1)],
  ])('refuses as the narrower scopes %s', (_name, narrower) => {
    expect(() => resolve({ 'files:write': narrower })).toThrow(
      refusal(
        'must map "files:write" to a list of one or more scopes that consist of ASCII characters other than spaces, double quotes and backslashes',
      ),
    );
  });

  it.each([
    ['a broad scope', { 'files:all': ['files:read'] }, 'files:all'],
    ['a narrower scope', { 'files:write': ['files:read', 'files:see'] }, 'files:see'],
  ])('refuses %s that no API lists', (_name, implies, named) => {
    expect(() => resolve(implies)).toThrow(
      refusal(`names "${named}", which no API lists; add it to the scopes of an API`),
    );
  });

  it.each([
    ['of one', { audit: ['audit'] }, 'audit'],
    ['of two, of which neither is the first scope', CYCLE_BEHIND, 'files:write'],
    ['of two', { 'files:write': ['files:read'], 'files:read': ['files:write'] }, 'files:write'],
  ])('refuses a cycle %s', (_name, implies, scope) => {
    expect(() => resolve(implies)).toThrow(refusal(`has a cycle: "${scope}" implies itself`));
  });
});

describe('withImplied', () => {
  const apis = apiMap(
    { files: ['files:write', 'files:read', 'files:list'], audit: ['audit'] },
    { implies: { 'files:write': ['files:read', 'files:list'] } },
  );

  it('returns the scopes, followed by those that they imply, each once', () => {
    expect(withImplied(['files:read', 'audit', 'files:write'], apis)).toEqual([
      ...['files:read', 'audit', 'files:write'],
      ...['files:list'],
    ]);
  });

  it('returns the same list if the scopes imply none', () => {
    const scopes = ['files:read', 'audit', 'unlisted'];
    expect(withImplied(scopes, apis)).toBe(scopes);
    expect(withImplied(scopes, scopePrefixes)).toBe(scopes);
    expect(withImplied(scopes, apiMap({ files: ['files:read'] }))).toBe(scopes);
  });

  it('accepts a map of its own that knows no implied scopes for one scope', () => {
    const own = { apisOf: () => ['files'], implied: (scope: string) => (scope === 'a' ? ['b'] : []) };
    expect(withImplied(['a', 'c'], own)).toEqual(['a', 'c', 'b']);
  });
});
