import { channel } from 'node:diagnostics_channel';
import { describe, expect, it } from '@jest/globals';
import { checkDatabaseDriver, databaseOf, openDatabase, openReady, plain } from '../../lib/cli/database.js';
import type { Io } from '../../lib/cli/io.js';

const io = (env: Io['env']) => ({ env }) as Io;

describe('the database of a command', () => {
  const ALL = { KEYWARD_DATABASE: 'file:keyward.db', DATABASE_URL: 'file:any.db' };

  it.each([
    [{}, {}, { url: 'file:./keyward.db', source: '', name: 'file:./keyward.db' }],
    [{ database: 'memory:' }, ALL, { url: 'memory:', source: '--database', name: 'memory:' }],
    [{}, ALL, { url: 'file:keyward.db', source: 'KEYWARD_DATABASE', name: 'file:keyward.db' }],
    [{}, { DATABASE_URL: 'file:any.db' }, { url: 'file:any.db', source: 'DATABASE_URL', name: 'file:any.db' }],
    [{ database: '' }, ALL, { url: '', source: '--database', name: '' }],
    [
      { database: 'postgres://ada:secret@db/keys' },
      { PGPORT: '7' },
      { url: 'postgres://ada:secret@db/keys', source: '--database', name: 'postgres://db:7/keys' },
    ],
  ])('with the option %j and the variables %j', (option, env, expected) => {
    expect(databaseOf(io(env), option)).toEqual(expected);
  });
});

describe('a database that cannot be opened', () => {
  const databaseAt = (url: string) => databaseOf(io({}), { database: url });

  it.each([
    ['./keyward.db', /^--database: .*; for a file, write file:PATH$/, 2],
    ['./a:b.db', /^--database: .*; for a file, write file:PATH$/, 2],
    ['mysql://db', /^--database: (?!.*for a file)/, 2],
    ['postgres://db/keys?schema=A', /^--database: (?!.*for a file)/, 2],
  ])('%s is a mistake of the user', async (url, message, exitCode) => {
    for (const open of [openDatabase, openReady, checkDatabaseDriver]) {
      const error: unknown = await open(databaseAt(url)).catch((failure: unknown) => failure);
      expect(error).toMatchObject({ name: 'CliError', message: expect.stringMatching(message), exitCode });
    }
  });

  it('is named with the reason, without the name of the function', async () => {
    const error: unknown = await openDatabase(databaseAt('file:/lost/folder/keyward.db')).catch(
      (failure: unknown) => failure,
    );
    expect(error).toMatchObject({ name: 'CliError', exitCode: 3 });
    expect((error as Error).message).toMatch(/^file:\/lost\/folder\/keyward\.db: (?!openStore)/);
  });

  it('names the source of an encryption key that is no key', async () => {
    const keys = { texts: ['short'], source: 'KEYWARD_ENCRYPTION_KEY', file: false };
    const error: unknown = await openDatabase(databaseAt('memory:'), keys).catch((failure: unknown) => failure);
    expect(error).toMatchObject({
      message:
        'KEYWARD_ENCRYPTION_KEY must contain a key of 32 bytes in base64url (43 characters), or two such keys during a rotation',
      exitCode: 2,
    });
  });

  it('is opened, and is ready', async () => {
    await checkDatabaseDriver(databaseAt('memory:'));
    const store = await openReady(databaseAt('memory:'));
    expect(await store.ready()).toBe(true);
    expect(channel('keyward:store').hasSubscribers).toBe(false);
    await store.close();
  });
});

it.each([
  ['connect ECONNREFUSED ::1 (ECONNREFUSED)', 'connect ECONNREFUSED ::1'],
  ['the server closed the connection (57P01)', 'the server closed the connection (57P01)'],
  ['connect ECONNREFUSED', 'connect ECONNREFUSED'],
  ['a (b) c', 'a (b) c'],
  ['b ()', 'b ()'],
  ['(b)', '(b)'],
  ['x b (b) y', 'x b (b) y'],
  ['two\nb (b)', 'two\nb (b)'],
  ['', ''],
])('the message %j does not repeat its code: %j', (message, expected) => {
  expect(plain(message)).toBe(expected);
});
