import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { databaseOf } from '../../lib/cli/database.js';
import { runCli } from '../../lib/cli/program.js';
import { outputInto } from '../support/command-line.js';

const folder = mkdtempSync(join(tmpdir(), 'keyward-databases-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const urlOf = (name: string) => `file:${join(folder, name)}.db`;
const [typed, ours, platforms] = [urlOf('typed'), urlOf('ours'), urlOf('platforms')];

function ioWith(env: Readonly<Record<string, string>>) {
  const [out, err]: [string[], string[]] = [[], []];
  const said = () => ({ out: out.join(''), err: err.join('') });
  return { said, io: { stdin: process.stdin, stdout: outputInto(out), stderr: outputInto(err), env } };
}

async function run(env: Readonly<Record<string, string>>, ...args: string[]) {
  const { said, io } = ioWith(env);
  return { code: await runCli(args, io), ...said() };
}

describe('the database of a command', () => {
  const [KEYWARD_DATABASE, DATABASE_URL] = [ours, platforms];
  it.each([
    [typed, '--database', { KEYWARD_DATABASE, DATABASE_URL }, { database: typed }],
    [ours, 'KEYWARD_DATABASE', { KEYWARD_DATABASE, DATABASE_URL }, {}],
    [platforms, 'DATABASE_URL', { DATABASE_URL }, {}],
    ['file:./keyward.db', '', {}, {}],
  ])('is %s, named by %j', (url, source, env, options) => {
    expect(databaseOf(ioWith(env).io, options)).toEqual({ url, source, name: url });
  });

  it.each([
    ['accounts', 'list'],
    ['keys', 'list', '--account', 'acme'],
    ['access-keys', 'list', '--account', 'acme'],
    ['audit', '--account', 'acme'],
    ['migrate'],
    ['serve', '--audience', 'x', '--port', '0', '--encryption-key-file', join(folder, 'k')],
  ])('is read from the same variables by each command, which errors name: %s %s', async (...args) => {
    expect(await run({ DATABASE_URL: 'mysql://root:pw-canary@db/x' }, ...args)).toMatchObject({
      ...{
        code: 2,
        out: '',
        err: expect.stringMatching(/^DATABASE_URL: expected the URL 'memory:' or a URL that starts with [^\n]*\n$/),
      },
    });
    const both = { KEYWARD_DATABASE: 'redis:x', DATABASE_URL: platforms };
    expect((await run(both, ...args)).err).toMatch(/^KEYWARD_DATABASE: expected/);
  });

  it('is that of DATABASE_URL for writing and reading', async () => {
    await run({ DATABASE_URL: platforms }, 'accounts', 'put', 'acme', '--api', 'payments');
    expect((await run({ KEYWARD_DATABASE: platforms }, 'accounts', 'list')).out).toMatch(/\nacme /);
  });

  it('is named in the help', async () => {
    for (const args of [['accounts', 'list'], ['serve']]) {
      const { out } = await run({}, ...args, '--help');
      expect(out.replaceAll(/\s+/g, ' ')).toContain(
        'default: the environment variable KEYWARD_DATABASE or DATABASE_URL, or file:./keyward.db',
      );
    }
  });

  it('is named, with the cause, if it fails during a command', async () => {
    const url = urlOf('broken');
    await run({ DATABASE_URL: url }, 'migrate');
    new Database(url.slice('file:'.length)).exec('drop table accounts').close();
    expect(await run({ DATABASE_URL: url }, 'accounts', 'list')).toMatchObject({
      ...{
        code: 3,
        out: '',
        err: expect.stringContaining(`the database ${url} returned an error: no such table: accounts`),
      },
    });
  });
});

describe('the printed part of a PostgreSQL URL', () => {
  const nameOf = (url: string, env = {}) => databaseOf(ioWith(env).io, { database: url }).name;

  it.each([
    ['postgres://ada:s3cret@db.test:6432/keys?sslmode=require', 'postgres://db.test:6432/keys'],
    ['postgresql://ada:s%40cret@db.test/keys?schema=billing', 'postgres://db.test:5432/keys?schema=billing'],
    ['postgres:///keys?host=/run/postgresql&password=s3cret', 'postgres:///run/postgresql:5432/keys'],
    ['postgres://db.test/keys?user=ada@cluster', 'postgres://db.test:5432/keys'],
  ])('of %s: %s', (url, name) => {
    expect(nameOf(url)).toBe(name);
  });

  it('host and port from the environment, like the driver', () => {
    expect(nameOf('postgres:///keys', { PGHOST: 'db.test', PGPORT: '6432' })).toBe('postgres://db.test:6432/keys');
  });

  it.each([
    ...['postgres://ada:12/3@db.test/keys', 'postgres://ada:12?3@db.test/keys', 'postgres://ada:12#3@db.test/keys'],
    ...['postgres://ada:12?3=4@db.test/keys', 'postgres://ada:12/3?a=1&b=2@db.test/keys'],
  ])('refuses %s, because it could be a part of the password', (url) => {
    expect(() => nameOf(url)).toThrow(
      /^--database: the password in the URL contains a special character; percent-encode @ : \/ \? # and %$/,
    );
  });
});
