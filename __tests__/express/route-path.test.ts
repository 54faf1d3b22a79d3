import { describe, expect, it } from '@jest/globals';
import { coversPath, readPath, UNKNOWN } from '../../lib/express/route-path.js';

const literal = (text: string, sensitive = false) => ({ literal: text, sensitive });
const parameter = (name: string) => ({ parameter: name });

describe('readPath', () => {
  it.each<[string, unknown, unknown[][]]>([
    ['nothing', '', [[]]],
    ['the slash', '/', [[]]],
    ['names', '/a/b-c.d~e_1', [[literal('a'), literal('b-c.d~e_1')]]],
    ['a slash at the end', '/a/', [[literal('a')]]],
    ['two slashes', '/a//b', [[literal('a'), UNKNOWN, literal('b')]]],
    ['two slashes at the start', '//a', [[UNKNOWN, literal('a')]]],
    ['two slashes alone', '//', [[UNKNOWN]]],
    ['no slash at the start', 'a/b', [[UNKNOWN]]],
    ['no slash where a part is left out', '{/a}b', [[literal('ab')], [UNKNOWN]]],
    ['parameters', '/:a/:b_1', [[parameter('a'), parameter('b_1')]]],
    ['what Express 5 may leave out', '/a{/:id}', [[literal('a'), parameter('id')], [literal('a')]]],
    [
      'within what may be left out',
      '/a{/b{/c}}',
      [[literal('a'), literal('b'), literal('c')], [literal('a')], [literal('a'), literal('b')], [literal('a')]],
    ],
    ['what Express 4 may leave out', '/:id?/a', [[parameter('id'), literal('a')], [literal('a')]]],
    ['a wildcard of Express 5', '/a/*rest', [[literal('a'), UNKNOWN]]],
    ['a wildcard of Express 4', '/*', [[UNKNOWN]]],
    ['a pattern', '/:id(\\d+)', [[UNKNOWN]]],
    ['a pattern that may be left out', '/:id(\\d+)?', [[UNKNOWN]]],
    ['a parameter in a name', '/a-:b', [[UNKNOWN]]],
    ['two parameters in one part', '/:a-:b', [[UNKNOWN]]],
    ['an escape', '/a\\:b', [[UNKNOWN]]],
    ['a letter that may be left out', '/ab?c', [[UNKNOWN]]],
    ['a regular expression', /^\/a/, [[UNKNOWN]]],
    ['what is no path', undefined, [[UNKNOWN]]],
  ])('%s', (_name, path, expected) => {
    expect(readPath(path, false)).toEqual(expected);
  });

  it('keeps whether case counts', () => {
    expect(readPath('/a', true)).toEqual([[literal('a', true)]]);
  });
});

describe('coversPath', () => {
  const covers = (mount: unknown, route: unknown, sensitiveMount = false, sensitiveRoute = false) => {
    const [at = []] = readPath(mount, sensitiveMount);
    const [to = []] = readPath(route, sensitiveRoute);
    return coversPath(at, to);
  };

  it.each([
    ['/', '/a', true],
    ['/', '/*', true],
    ['/a', '/a', true],
    ['/a', '/a/b', true],
    ['/a', '/a/*', true],
    ['/a/b', '/a', false],
    ['/a', '/b', false],
    ['/a', '/:x', false],
    ['/:x', '/a', true],
    ['/:x', '/:y', true],
    ['/:x', '/', false],
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
  ])('/a and /A, where case counts for %s', (_name, mount, route, expected) => {
    expect(covers('/a', '/A', mount, route)).toBe(expected);
  });

  it('/a and /a, where case counts for both', () => {
    expect(covers('/a', '/a', true, true)).toBe(true);
    expect(covers('/a', '/a', true, false)).toBe(false);
  });
});
