import { describe, expect, it } from '@jest/globals';
import { nameOfDatabase } from '../../lib/cli/database-name.js';

const nameOf = (url: string, env = {}) => nameOfDatabase(url, '--database', env);

describe('the name of a database', () => {
  it.each([
    ['memory:', 'memory:'],
    ['file:./keyward.db', 'file:./keyward.db'],
    ['a file:./keyward.db', ''],
    ['a postgres://db/keys', ''],
    ['mysql://ada:secret@db/keys', ''],
    ['xpostgres://ada:secret@db/keys', ''],
    ['postgres://ada:secret@db:6432/keys?application_name=a@b', 'postgres://db:6432/keys'],
    ['postgres://ada:secret@db/keys?a=b?c@d', 'postgres://db:5432/keys'],
    ['ada:secret@db', ''],
    ['postgres://[db', ''],
    ['postgres://ada:a/b@db/keys', ''],
    ['postgres://ada:a#b@db/keys', ''],
    ['', ''],
    ['postgres://db', 'postgres://db:5432'],
    ['postgresql://db/keys', 'postgres://db:5432/keys'],
    ['postgres://ada:secret@db:6432/keys', 'postgres://db:6432/keys'],
    ['postgres://ada@db/keys?schema=live&sslmode=require', 'postgres://db:5432/keys?schema=live'],
    ['postgres://db/keys?schema=', 'postgres://db:5432/keys?schema='],
    ['postgres:///keys', 'postgres://localhost:5432/keys'],
    ['postgres:///keys?host=socket&port=7000', 'postgres://socket:7000/keys'],
    ['postgres://db:1/keys?host=other&port=2', 'postgres://db:1/keys'],
    ['postgres://ada:a%40b@db/keys', 'postgres://db:5432/keys'],
    ['postgres://db/keys?user=ada@acme&password=a@b', 'postgres://db:5432/keys'],
    ['postgres://db:5432/keys?user=ada@acme&password=a@b', 'postgres://db:5432/keys'],
    ['postgres://db/keys?schema=a@b', 'postgres://db:5432/keys?schema=a@b'],
  ])('of %s is "%s"', (url, expected) => {
    expect(nameOf(url)).toBe(expected);
  });

  it.each([
    ['postgres:///keys', 'postgres://from-env:7777/keys'],
    ['postgres://db/keys', 'postgres://db:7777/keys'],
    ['postgres:///keys?host=h&port=1', 'postgres://h:1/keys'],
  ])('of %s has the host and port of the environment: %s', (url, expected) => {
    expect(nameOf(url, { PGHOST: 'from-env', PGPORT: '7777' })).toBe(expected);
  });

  it.each([
    'postgres://ada:1/b@db/keys',
    'postgres://ada:1#b@db/keys',
    'postgres://ada?b@db/keys',
    'postgres://ada?bcd@db/keys',
    'postgres://ada:12?a=b@db/keys',
    'postgres://ada:12?a@db/keys',
    'postgres://ada:12?user=x&c=d@db/keys',
  ])('is refused for %s, whose password is not encoded', (url) => {
    expect(() => nameOf(url)).toThrow(
      expect.objectContaining({
        message: '--database: the password in the URL contains a special character; percent-encode @ : / ? # and %',
        exitCode: 2,
      }),
    );
  });
});
