import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { commandLine } from '../support/command-line.js';

const folder = mkdtempSync(join(tmpdir(), 'keyward-help-'));
const keyward = commandLine({ url: `file:${join(folder, 'keyward.db')}` });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('N41 help of a command', () => {
  it.each([
    [['help'], 'Usage: keyward [options] [command]'],
    [['help', 'keys'], 'Usage: keyward keys '],
    [['help', 'keys', 'create'], 'Usage: keyward keys create '],
    [['keys', 'help', 'create'], 'Usage: keyward keys create '],
    [['help', 'access-keys', 'add-secret'], 'Usage: keyward access-keys add-secret '],
    [['help', 'serve', 'extra'], 'Usage: keyward serve '],
    [['--json', 'help', 'keys', 'create'], 'Usage: keyward keys create '],
  ])('N41 %j', async (args, usage) => {
    const { code, out, err } = await keyward.run(...args);
    expect([code, err]).toEqual([0, '']);
    expect(out.slice(0, usage.length)).toBe(usage);
  });

  it.each([
    [['help', 'keys', 'creat'], "unknown command 'creat'; did you mean create?"],
    [['help', 'kees'], "unknown command 'kees'; did you mean keys?"],
  ])('N41 %j suggests the intended name', async (args, message) => {
    const { code, out, err } = await keyward.run(...args);
    expect([code, out, err]).toEqual([2, '', `${message}\n(see --help)\n`]);
  });
});

describe('N41 a mistyped option is named, not the one that is missing because of it', () => {
  it.each([
    [['keys', 'list', '--acount', 'acme'], "unknown option '--acount'; did you mean --account?"],
    [['keys', 'create', '--account', 'acme', '--kid', 'secret'], "unknown option '--kid'; did you mean --kind?"],
    [['keys', 'create', '--acount=acme', '--kind', 'secret'], "unknown option '--acount'; did you mean --account?"],
    [['keys', 'revoke', 'key_x', '--yess'], "unknown option '--yess'; did you mean --yes?"],
    [['serve', '--audiance', 'x'], "unknown option '--audiance'; did you mean --audience?"],
    [['--jsn', 'accounts', 'list'], "unknown option '--jsn'"],
    [['--database', 'file:x.db', 'nosuch'], "unknown command 'nosuch'"],
    [['--database=file:x.db', 'keys', 'lst'], "unknown command 'lst'; did you mean list?"],
  ])('N41 %j', async (args, message) => {
    const { code, out, err } = await keyward.run(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err.split('\n')[0]).toBe(message);
  });

  it('N41 without one, the missing option is named', async () => {
    const { err } = await keyward.run('keys', 'list');
    expect(err).toMatch(/^required option '--account <id>' not specified\n/);
  });
});

describe('N41 --json with a mistake', () => {
  it.each([
    [['keys', 'list'], 2, 'usage', /^required option '--account <id>' not specified$/],
    [['keys', 'lst', '--account', 'acme'], 2, 'usage', /^unknown command 'lst'; did you mean list\?$/],
    [['keys'], 2, 'usage', /^expected a command; to see the commands, add --help$/],
    [['nosuch'], 2, 'usage', /^unknown command 'nosuch'$/],
    [['keys', 'view', 'key_x'], 1, 'refused', /^there is no key "key_x"/],
    [['accounts', 'put', 'a b'], 1, 'invalid', /^account: expected a string of 1 to 64/],
    [['accounts', 'list', '--database', 'mysql:x'], 2, 'usage', /^--database: expected the URL/],
    [['keys', 'inspect', 'sk_x'], 1, 'refused', /^the string is not a well-formed key$/],
    [['keys', 'list', '--account', 'x', '--limit', '0'], 2, 'usage', /^--limit 0: expected a number from 1 to 200$/],
  ])('N41 %j: one line of JSON on standard error', async (args, exitCode, code, message) => {
    const ran = await keyward.run(...args, '--json');
    expect(ran.code).toBe(exitCode);
    expect(ran.err.indexOf('\n')).toBe(ran.err.length - 1);
    expect(JSON.parse(ran.err)).toEqual({ error: { code, exitCode, message: expect.stringMatching(message) } });
  });
});

describe('N41 options of every command before the command', () => {
  it.each([[['--json', 'accounts', 'list']], [['accounts', '--json', 'list']], [['accounts', 'list', '--json']]])(
    'N41 %j',
    async (args) => {
      const { code, out } = await keyward.run(...args);
      expect([code, JSON.parse(out)]).toEqual([0, { accounts: [] }]);
    },
  );

  it('N41 --database too, with its value as an argument or after =', async () => {
    const other = `file:${join(folder, 'other.db')}`;
    await keyward.run('--database', other, 'accounts', 'put', 'acme', '--api', 'payments');
    const { out } = await keyward.run(`--database=${other}`, '--json', 'accounts', 'list');
    expect(JSON.parse(out)).toMatchObject({ accounts: [{ id: 'acme' }] });
  });

  it('N41 an error is printed as JSON there too', async () => {
    const { code, err } = await keyward.run('--json', 'keys', 'view', 'key_x');
    expect([code, JSON.parse(err).error.code]).toEqual([1, 'refused']);
  });
});

it('an argument after -- is no option: an error is printed as text', async () => {
  const { code, err } = await keyward.run('keys', 'inspect', '--', '--json');
  expect([code, err]).toEqual([1, 'the string is not a well-formed key\n']);
});
