import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readStoreUrl } from '../../lib/store/store-url.js';

const NAME = 'a'.repeat(55);
const EXPECTED = "openStore: expected the URL 'memory:' or a URL that starts with 'file:' or 'postgres://'";

describe('readStoreUrl', () => {
  it.each([
    ['file:./keyward.db', 'keyward.db'],
    ['file:keyward.db', 'keyward.db'],
    ['file:/srv/keys.db', '/srv/keys.db'],
    ['file:///srv/keys.db', '/srv/keys.db'],
    ['file:./a name%20.db', 'a name%20.db'],
  ])('reads %s as a path, which becomes absolute', (url, file) => {
    expect(readStoreUrl(url)).toEqual({ engine: 'sqlite', file: resolve(process.cwd(), file) });
  });

  it('reads memory: as a database in memory', () => {
    expect(readStoreUrl('memory:')).toEqual({ engine: 'sqlite', file: ':memory:' });
  });

  it.each([
    ['postgres://db.test/keys', 'postgres://db.test/keys', 'keyward'],
    ['postgresql://ada:s%40cret@db.test:6432/keys', 'postgresql://ada:s%40cret@db.test:6432/keys', 'keyward'],
    ['postgres://db.test/keys?schema=billing', 'postgres://db.test/keys', 'billing'],
    ['postgres://db.test/keys?schema=_b1&sslmode=require', 'postgres://db.test/keys?sslmode=require', '_b1'],
    [`postgres://db.test/keys?schema=${NAME}`, 'postgres://db.test/keys', NAME],
    ['postgres:///keys?host=/run/postgresql', 'postgres:///keys?host=%2Frun%2Fpostgresql', 'keyward'],
  ])('reads %s as a server and a schema', (url, server, schema) => {
    expect(readStoreUrl(url)).toEqual({ engine: 'postgres', url: server, schema });
  });

  it.each([undefined, null, 7, {}, new URL('postgres://db.test/keys'), [], ''])(
    'refuses a value that is not a string (%#)',
    (url) => {
      expect(() => readStoreUrl(url)).toThrow(new TypeError(EXPECTED));
    },
  );

  it.each([
    'memory',
    'Memory:',
    'memory:x',
    'keyward.db',
    'redis://x',
    'mysql://x',
    'postgres:/x',
    ' file:./x',
    ' postgres://db.test/keys',
    'https://db.test/?to=postgres://db.test/keys',
    'sqlite:x',
  ])('refuses %s', (url) => {
    expect(() => readStoreUrl(url)).toThrow(new TypeError(EXPECTED));
  });

  it.each(['file:', 'file://', 'file: ', 'file: ./x.db', 'file:./x.db\n', 'file::memory:', 'file://:memory:'])(
    'refuses %j: no path',
    (url) => {
      expect(() => readStoreUrl(url)).toThrow(
        new TypeError(
          "openStore: 'file:' must be followed by a path without leading or trailing spaces; use 'memory:' for an in-memory database",
        ),
      );
    },
  );

  it.each(['postgres://a:b@c:port/keys', 'postgres://a:p@[::1/keys', 'postgres://a b/keys'])(
    'refuses %s, which cannot be parsed',
    (url) => {
      expect(() => readStoreUrl(url)).toThrow('openStore: the PostgreSQL URL is invalid; expected postgres://');
    },
  );

  it.each(['', 'Billing', '1st', 'a-b', 'a.b', 'a"b', 'a%20b', 'ä', `${NAME}a`])('refuses a schema %j', (schema) => {
    const url = `postgres://db.test/keys?schema=${schema}`;
    expect(() => readStoreUrl(url)).toThrow(
      /^openStore: the parameter "schema" of the URL must consist of 1 to 55 lowercase letters, digits and _/,
    );
  });
});
