import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { commandLine } from '../support/command-line.js';

const folder = mkdtempSync(join(tmpdir(), 'keyward-cli-'));
const url = `file:${join(folder, 'keyward.db')}`;
const keyward = commandLine({ url });
writeFileSync(join(folder, 'text.db'), 'this is no database, however long it is: '.repeat(50));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a mistake', () => {
  it.each([
    [2, /unknown command 'key'/, ['key']],
    [2, /required option '--account <id>' not specified/, ['keys', 'list']],
    [2, /unknown option '--stat'/, ['keys', 'list', '--account', 'acme', '--stat', 'active']],
    [
      2,
      /Allowed choices are secret, public/,
      ['keys', 'create', '--account', 'acme', '--api', 'all', '--kind', 'access'],
    ],
    [2, /Expected a duration, such as 30m, 24h or 7d/, ['keys', 'roll', 'key_x', '--grace', 'soon']],
    [2, /Expected a date, such as 2027-01-31/, ['keys', 'edit', 'key_x', '--expires', 'tomorrow']],
    [2, /"all" stands alone/, ['accounts', 'put', 'x', '--api', 'all', '--api', 'payments']],
    [2, /Expected 1 to 200/, ['audit', '--account', 'acme', '--limit', '1000']],
    [1, /^There is no key "key_x"\.$/, ['keys', 'view', 'key_x']],
    [1, /^there is no such account$/, ['accounts', 'view', 'nobody']],
    [1, /^account: expected 1 to 64 of/, ['accounts', 'put', '__proto__']],
    [2, /^openStore: expected a URL that begins/, ['accounts', 'list', '--database', 'mysql://root@db/keys']],
    [3, /database file|not a database/, ['accounts', 'list', '--database', `file:${join(folder, 'text.db')}`]],
    [3, /cannot open the database file/, ['accounts', 'list', '--database', `file:${join(folder, 'none/keyward.db')}`]],
    [
      3,
      /^The database cannot be reached\.$/,
      ['accounts', 'list', '--database', 'postgres://keyward:pw-canary@127.0.0.1:1/x'],
    ],
    [1, /^there is no such account$/, ['keys', 'list', '--account', 'nobody']],
    [
      2,
      /^createIssuer: /,
      ['serve', '--audience', 'x', '--issuer', 'no url', '--port', '0', '--encryption-key-file', join(folder, 'k')],
    ],
    [2, /ENOENT/, ['serve', '--audience', 'x', '--encryption-key-file', join(folder, 'none/k')]],
    [2, /Cannot find module/, ['routes', join(folder, 'none.mjs')]],
    [2, /exports no Express app/, ['routes', join(folder, 'empty.mjs')]],
  ])('ends with %i and a sentence: %s', async (code, sentence, args) => {
    writeFileSync(join(folder, 'empty.mjs'), 'export default {};');
    const ran = await keyward.run(...args);
    expect(ran.err.trim().split('\n')[0]).toMatch(sentence);
    expect(ran.code).toBe(code);
    expect(ran.out).toBe('');
    expect(ran.err).not.toMatch(/\n {4}at |pw-canary/);
  });

  it('names what was meant', async () => {
    const { err } = await keyward.run('keys', 'creat');
    expect(err).toContain('Did you mean create?');
  });
});

describe('help', () => {
  it.each([
    [['--help'], ['accounts', 'keys', 'access-keys', 'audit', 'migrate', 'routes', 'serve']],
    [
      ['keys', '--help'],
      ['create', 'list', 'view', 'edit', 'roll', 'revoke', 'import', 'inspect', 'patterns', 'scan'],
    ],
    [
      ['keys', 'create', '--help'],
      ['--account', '--kind', '--database', '--json', 'Example: keyward keys create'],
    ],
    [
      ['keys', 'import', '--help'],
      ['Columns', 'digest', 'Example: keyward keys import'],
    ],
  ])('%j tells of %j', async (args, words) => {
    const { code, out } = await keyward.run(...args);
    expect(code).toBe(0);
    for (const word of words) expect(out).toContain(word);
  });
});
