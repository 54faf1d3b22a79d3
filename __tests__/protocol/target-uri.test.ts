import { describe, expect, it } from '@jest/globals';
import { normalizePath, normalizeUri, requestPath, toOriginForm } from '../../lib/protocol/target-uri.js';

describe('normalizeUri', () => {
  it.each([
    ['https://api.example/keys', 'https://api.example/keys'],
    ['HTTPS://API.Example/Keys', 'https://api.example/Keys'],
    ['https://api.example', 'https://api.example/'],
    ['https://api.example?q', 'https://api.example/'],
    ['https://api.example#f', 'https://api.example/'],
    ['https://api.example/keys?q=1#f', 'https://api.example/keys'],
    ['https://api.example/keys#f?q', 'https://api.example/keys'],
    ['https://api.example:443/keys', 'https://api.example/keys'],
    ['https://api.example:/keys', 'https://api.example/keys'],
    ['http://api.example:80/keys', 'http://api.example/keys'],
    ['http://api.example:/keys', 'http://api.example/keys'],
    ['https://api.example:80/keys', 'https://api.example:80/keys'],
    ['http://api.example:443/keys', 'http://api.example:443/keys'],
    ['http://api.example:8080/keys', 'http://api.example:8080/keys'],
    ['https://api.example:4430/keys', 'https://api.example:4430/keys'],
    ['https://api.example:80443/keys', 'https://api.example:80443/keys'],
    ['https://[2001:DB8::1]:443/keys', 'https://[2001:db8::1]/keys'],
    ['ws+v1.a-b://api.example:/keys', 'ws+v1.a-b://api.example/keys'],
    ['ws://api.example:80/keys', 'ws://api.example:80/keys'],
    ['https://api.example/a/../b/%7ekeys', 'https://api.example/b/~keys'],
  ])('%s becomes %s', (uri, normal) => {
    expect(normalizeUri(uri)).toBe(normal);
  });

  it.each([
    ...['', '/keys', 'api.example/keys', 'https:/api.example', 'https:///keys', 'https://:443/keys', 'https://:'],
    ...['https://user@api.example/', 'https://user:pw@api.example/', 'https://api.example\\keys'],
    ...['https://api.example/a\\b', '1https://api.example', '+https://api.example', ' https://api.example'],
    ...['https://api.example/a b', 'https://api.example/é', 'https://api.example/\n', 'https://api.example/ '],
    ...['xx https://api.example/', '://api.example', 'mailto:a@example.com', 'ht_tp://api.example'],
  ])('%j is undefined', (uri) => {
    expect(normalizeUri(uri)).toBeUndefined();
  });
});

describe('toOriginForm', () => {
  it.each([
    ['/keys?q=1', '/keys?q=1'],
    ['/keys/https://a/b', '/keys/https://a/b'],
    ['https://api.example/keys?q=1', '/keys?q=1'],
    ['HTTP://api.example:8080/keys/https://a/b?c#d', '/keys/https://a/b?c#d'],
    ['https://api.example?q', '/?q'],
    ['https://api.example#f', '/#f'],
    ['https://api.example', '/'],
    ['https://api.example//keys', '//keys'],
    ['*', '*'],
    ['api.example:443', 'api.example:443'],
  ])('path and query of %s are %j', (target, form) => {
    expect(toOriginForm(target)).toBe(form);
  });
});

describe('requestPath', () => {
  it.each([
    ['/keys', '/keys'],
    ['/keys?q=1', '/keys'],
    ['/keys#f', '/keys'],
    ['/?', '/'],
    ['/keys/https://a/b', '/keys/https://a/b'],
    ['https://api.example/keys?q', '/keys'],
    ['HTTP://api.example:8080/keys', '/keys'],
    ['https://api.example/', '/'],
    ['https://api.example?q', '/'],
    ['https://api.example', '/'],
    ['a+b.c-1://api.example/keys', '/keys'],
    ['*', '*'],
    ['keys?q', 'keys'],
    ['keys/https://a/b', 'keys/https://a/b'],
    ['?https://api.example/keys', ''],
  ])('the path of %s is %j', (target, path) => {
    expect(requestPath(target)).toBe(path);
  });
});

describe('normalizePath', () => {
  it.each([
    ['', '/'],
    ['/', '/'],
    ['*', '*'],
    ['/a/b', '/a/b'],
    ['/a/b/', '/a/b/'],
    ['/a//b', '/a//b'],
    ['/%7ea%2Db%5fc%2E', '/~a-b_c.'],
    ['/%41%7A%30', '/Az0'],
    ['/%2f%3a%20', '/%2F%3A%20'],
    ['/100%', '/100%'],
    ['/%zz%4', '/%zz%4'],
    ['/a/./b', '/a/b'],
    ['/a/../b', '/b'],
    ['/a/b/..', '/a/'],
    ['/a/b/.', '/a/b/'],
    ['/..', '/'],
    ['/../../a', '/a'],
    ['/a/b/../../..', '/'],
    ['/a/.b/..c/...', '/a/.b/..c/...'],
    ['/a/%2e%2e/b', '/b'],
    ['/a/%2E/b', '/a/b'],
    ['/./a', '/a'],
  ])('%j becomes %s', (path, normal) => {
    expect(normalizePath(path)).toBe(normal);
  });
});
