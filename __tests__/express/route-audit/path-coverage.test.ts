import { describe, expect, it } from '@jest/globals';
import {
  coversPath,
  isPlain,
  joinSegments,
  mayBecome,
  mayMeet,
  type PathRules,
  readPath,
  UNKNOWN,
} from '../../../lib/express/route-audit/path-coverage.js';

const literal = (text: string, sensitive = false) => ({ literal: text, sensitive });
const parameter = (name: string) => ({ parameter: name });
const FIVE: PathRules = { version: 5, sensitive: false, strict: false };
const FOUR: PathRules = { ...FIVE, version: 4 };

describe('readPath', () => {
  it.each<[string, unknown, unknown[][]]>([
    ['nothing', '', [[]]],
    ['the slash', '/', [[literal('')]]],
    ['names', '/a/b-c.d~e_1', [[literal('a'), literal('b-c.d~e_1')]]],
    ['a slash at the end', '/a/', [[literal('a')]]],
    ['slashes at the end', '/a//', [[literal('a')]]],
    ['two slashes', '/a//b', [[literal('a'), literal(''), literal('b')]]],
    ['two slashes at the start', '//a', [[literal(''), literal('a')]]],
    ['two slashes alone', '//', [[]]],
    ['a slash before what may be left out', '/{v1}', [[literal('v1')], [literal('')]]],
    ['a slash before two parts', '/{a}{b}', [[literal('ab')], [literal('a')], [literal('b')], [literal('')]]],
    [
      'a slash before what may be left out, below',
      '/a/{b}',
      [
        [literal('a'), literal('b')],
        [literal('a'), literal('')],
      ],
    ],
    ['no slash at the start', 'a/b', [[UNKNOWN]]],
    ['no slash where a part is left out', '{/a}b', [[literal('ab')], [UNKNOWN]]],
    ['parameters', '/:a/:b_1', [[parameter('a'), parameter('b_1')]]],
    ['what Express 5 may leave out', '/a{/:id}', [[literal('a'), parameter('id')], [literal('a')]]],
    [
      'within what may be left out',
      '/a{/b{/c}}',
      [[literal('a'), literal('b'), literal('c')], [literal('a')], [literal('a'), literal('b')], [literal('a')]],
    ],
    ['a wildcard of Express 5', '/a/*rest', [[literal('a'), UNKNOWN]]],
    ['a wildcard of Express 4', '/*', [[UNKNOWN]]],
    ['a pattern', '/:id(\\d+)', [[UNKNOWN]]],
    ['a pattern that may be left out', '/:id(\\d+)?', [[UNKNOWN]]],
    ['a parameter in a name', '/a-:b', [[UNKNOWN]]],
    ['a parameter that may be left out, before text', '/{:v}api', [[UNKNOWN], [literal('api')]]],
    ['text that may be left out, after a parameter', '/:v{api}', [[UNKNOWN], [parameter('v')]]],
    [
      'text that may be left out, after a name below a parameter',
      '/:v/a{pi}',
      [
        [parameter('v'), literal('api')],
        [parameter('v'), literal('a')],
      ],
    ],
    ['a parameter that may be left out, before a dash', '/{:v}-a', [[UNKNOWN], [literal('-a')]]],
    ['two parameters in one part', '/:a-:b', [[UNKNOWN]]],
    ['an escape', '/a\\:b', [[UNKNOWN]]],
    ['a letter that may be left out', '/ab?c', [[UNKNOWN]]],
    ['a regular expression', /^\/a/, [[UNKNOWN]]],
    ['what is no path', undefined, [[UNKNOWN]]],
  ])('%s', (_name, path, expected) => {
    expect(new Set(readPath(path, FIVE))).toEqual(new Set(expected));
  });

  it.each<[string, unknown, unknown[][]]>([
    ['nothing', '', [[]]],
    ['the slash', '/', [[]]],
    ['a slash at the end', '/a/', [[literal('a')]]],
    ['two slashes', '/a//b', [[literal('a'), UNKNOWN, literal('b')]]],
    ['two slashes alone', '//', [[UNKNOWN]]],
    ['what may be left out', '/:id?/a', [[parameter('id'), literal('a')], [literal('a')]]],
    ['what may be left out, before text', '/:id?a/b', [[UNKNOWN, literal('b')], [UNKNOWN]]],
    ['braces, which are letters there', '/a{/b}', [[UNKNOWN, UNKNOWN]]],
  ])('of Express 4: %s', (_name, path, expected) => {
    expect(readPath(path, FOUR)).toEqual(expected);
  });

  it('returns an unknown part for what it cannot read', () => {
    expect(readPath(/^\/a/, FIVE)).toEqual([[{ unknown: true }]]);
  });

  it('returns whether paths are case-sensitive', () => {
    expect(readPath('/a', { ...FIVE, sensitive: true })).toEqual([[literal('a', true)]]);
  });

  it('returns the slash at the end of a strict route', () => {
    expect(readPath('/a/', { ...FIVE, strict: true })).toEqual([[literal('a'), literal('')]]);
  });
});

describe('coversPath', () => {
  const covers = (mount: unknown, route: unknown, sensitiveMount = false, sensitiveRoute = false) => {
    const [at = []] = readPath(mount, { ...FIVE, sensitive: sensitiveMount });
    const [to = []] = readPath(route, { ...FIVE, sensitive: sensitiveRoute });
    return coversPath(at, to);
  };

  it.each([
    ['', '/a', true],
    ['', '/*', false],
    ['', '/a/*', true],
    ['', '', true],
    ['/', '/', true],
    ['/', '/a', false],
    ['/:x', '/', false],
    ['/:x', '//', false],
    ['/\u212A', '/k', false],
    ['/a', '/a', true],
    ['/a', '/a/b', true],
    ['/a', '/a/*', true],
    ['/a/b', '/a', false],
    ['/a', '/b', false],
    ['/a', '/:x', false],
    ['/:x', '/a', true],
    ['/:x', '/:y', true],
    ['/:x', '/*', false],
    ['/*', '/a', false],
    ['/*', '/*', false],
    ['/a', '/*', false],
  ])('%s and %s: %s', (mount, route, expected) => {
    expect(covers(mount, route)).toBe(expected);
  });

  it.each([
    ['neither', false, false, true],
    ['the route alone', false, true, true],
    ['the mount alone, so that the route takes more', true, false, false],
    ['both', true, true, false],
  ])('/a and /A, case-sensitive for %s', (_name, mount, route, expected) => {
    expect(covers('/a', '/A', mount, route)).toBe(expected);
  });

  it('/a and /a, case-sensitive for both', () => {
    expect(covers('/a', '/a', true, true)).toBe(true);
    expect(covers('/a', '/a', true, false)).toBe(false);
  });
});

describe('joinSegments', () => {
  it.each([
    [[], [literal('')], [literal('')]],
    [[literal('a')], [literal('')], [literal('a')]],
    [[literal('a')], [literal('b')], [literal('a'), literal('b')]],
    [[literal('')], [literal('a')], [literal(''), literal('a')]],
    [[literal('a')], [], [literal('a')]],
    [[literal('a')], [literal(''), literal('b')], [literal('a'), literal(''), literal('b')]],
  ])('%j and %j', (outer, inner, expected) => {
    expect(joinSegments(outer, inner)).toEqual(expected);
  });
});

describe('mayMeet', () => {
  it.each([
    ['', '/a', true],
    ['/:x', '/a', true],
    ['/:x', '/', true],
    ['/a', '/A', true],
    ['/a', '/b', false],
    ['/a', '/:x', true],
    ['/a/b', '/a', false],
    ['/a/b', '/a/*', true],
    ['/*', '/a', true],
    ['/b/*', '/a', false],
    ['/b/*', '/b', true],
    ['/a/b', '/*', true],
    ['/\u212A', '/\u212A', true],
    ['/\u212A', '/k', false],
  ])('%s and %s: %s', (mount, route, expected) => {
    expect(mayMeet(readPath(mount, FIVE)[0] ?? [], readPath(route, FIVE)[0] ?? [])).toBe(expected);
  });
});

describe('mayBecome', () => {
  it.each([
    ['/a', '/a/b', true],
    ['/a', '/ab', true],
    ['/A', '/ab', true],
    ['/ab', '/a', false],
    ['/b', '/a/b', false],
    ['/:x', '/a', true],
    ['/:x/b', '/:y/c', false],
    ['/:x/b', '/:y/:z', true],
    ['/a/b', '/a', false],
    ['/*', '/a', true],
    ['/a', '/*', true],
    ['/a', "/'b", true],
    ['/a', '/~b', false],
  ])('%s and %s: %s', (mount, route, expected) => {
    expect(mayBecome(readPath(mount, FIVE)[0] ?? [], readPath(route, FIVE)[0] ?? [])).toBe(expected);
  });
});

describe('isPlain', () => {
  it.each([
    ['', true],
    ['/a', true],
    ['/v1.0/a-b_C', true],
    ['/:x', false],
    ['/a/:x', false],
    ['/*', false],
    ['/a%20b', false],
    ['/;a', false],
    ['/a//b', false],
  ])('%s: %s', (path, expected) => {
    expect(isPlain(readPath(path, FIVE)[0] ?? [])).toBe(expected);
  });
});
