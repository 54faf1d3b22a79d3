import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { commandLine } from '../support/command-line.js';
import { onFastClock } from '../support/fast-clock.js';

const folder = mkdtempSync(join(tmpdir(), 'keyward-cli-'));
const url = `file:${join(folder, 'keyward.db')}`;
const keyward = commandLine({ url });
const NOBODY =
  /^there is no account "nobody" in file:\S+\/keyward\.db; to create one, run: keyward accounts put ID --api NAME$/;
const SERVE = ['serve', '--port', '0', '--encryption-key-file', join(folder, 'k')];
writeFileSync(join(folder, 'text.db'), 'this is no database, however long it is: '.repeat(50));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a mistake', () => {
  it.each([
    [2, /unknown command 'key'/, ['key']],
    [2, /required option '--account <id>' not specified/, ['keys', 'list']],
    [2, /unknown option '--stat'/, ['keys', 'list', '--account', 'acme', '--stat', 'active']],
    [
      2,
      /^--kind access: allowed choices are secret, public$/,
      ['keys', 'create', '--account', 'acme', '--api', 'all', '--kind', 'access'],
    ],
    [2, /^--grace soon: expected 0, or a duration with a unit, such as/, ['keys', 'rotate', 'x', '--grace', 'soon']],
    [2, /^--grace 7: 7 has no unit; expected 0, or .* 90s, 30m, 24h or 7d$/, ['keys', 'rotate', 'x', '--grace', '7']],
    [2, /^--grace 31d: expected a duration of at most 30d$/, ['access-keys', 'rotate', 'x', '--grace', '31d']],
    [2, /'--disable' cannot be used with option '--enable'/, ['keys', 'edit', 'key_x', '--disable', '--enable']],
    [2, /^--from 7d: expected a date, such as 2027-01-31 or 2027-01-31T12:00:00Z$/, ['audit', '--from', '7d']],
    [2, /^--to 12h: expected a date, such as/, ['audit', '--to', '12h']],
    [2, /^unknown command 'toString'$/, ['toString']],
    [2, /^--expires tomorrow: expected a date, such as 2027-01-31/, ['keys', 'edit', 'key_x', '--expires', 'tomorrow']],
    [
      2,
      /^--api: "all" cannot be combined with other values$/,
      ['accounts', 'put', 'x', '--api', 'all', '--api', 'payments'],
    ],
    [2, /^--limit 1000: expected a number from 1 to 200$/, ['audit', '--account', 'acme', '--limit', '1000']],
    [1, /^there is no key "key_x" in file:\S+\/keyward\.db$/, ['keys', 'view', 'key_x']],
    [1, NOBODY, ['accounts', 'view', 'nobody']],
    [1, NOBODY, ['accounts', 'disable', 'nobody']],
    [1, NOBODY, ['audit', '--account', 'nobody']],
    [2, /^the account ID is empty; pass the ID of an account$/, ['keys', 'list', '--account', '']],
    [2, /^the account ID is empty; pass the ID of an account$/, ['accounts', 'view', '']],
    [1, NOBODY, ['access-keys', 'create', '--account', 'nobody', '--scope', 'x']],
    [1, /^account: expected a string of 1 to 64 characters/, ['accounts', 'put', '__proto__']],
    [
      2,
      /^--database: expected the URL 'memory:' or a URL that starts with [^;]+$/,
      ['accounts', 'list', '--database', 'mysql://root:pw-canary@db/x'],
    ],
    [2, /^--database: expected .*; for a file, write file:PATH$/, ['accounts', 'list', '--database', 'keyward.db']],
    [
      2,
      /^--database: the password in the URL contains a special character; percent-encode/,
      ['accounts', 'list', '--database', 'postgres://ada:1/pw-canary@db/x'],
    ],
    [3, /database file|not a database/, ['accounts', 'list', '--database', `file:${join(folder, 'text.db')}`]],
    [3, /cannot open the database file/, ['accounts', 'list', '--database', `file:${join(folder, 'none/keyward.db')}`]],
    [
      3,
      /^the database postgres:\/\/127\.0\.0\.1:1\/x cannot be reached: connect ECONNREFUSED 127\.0\.0\.1:1$/,
      ['accounts', 'list', '--database', 'postgres://keyward:pw-canary@127.0.0.1:1/x'],
    ],
    [
      3,
      /^the database postgres:\/\/db\.invalid:6432\/x cannot be reached: getaddrinfo (?:ENOTFOUND|EAI_AGAIN) db\.invalid$/,
      ['accounts', 'list', '--database', 'postgres://keyward:pw-canary@db.invalid:6432/x'],
    ],
    [1, NOBODY, ['keys', 'list', '--account', 'nobody']],
    [
      2,
      /^--issuer must be an https URL (?!.*got a string)/,
      ['serve', '--audience', 'x', '--issuer', 'no url', '--port', '0', '--encryption-key-file', join(folder, 'k')],
    ],
    [
      2,
      /^the audience of the tokens is missing; set --audience or KEYWARD_AUDIENCE to the URL of your API$/,
      ['serve', '--port', '0'],
    ],
    [2, /ENOENT/, ['serve', '--audience', 'x', '--encryption-key-file', join(folder, 'none/k')]],
    [2, /^--audience must be/, [...SERVE, '--audience', '']],
    [2, /^the file .*none\.mjs does not exist$/, ['routes', join(folder, 'none.mjs')]],
    [2, /does not export an Express app/, ['routes', join(folder, 'empty.mjs')]],
  ])('ends with %i and a sentence: %s', async (code, sentence, args) => {
    writeFileSync(join(folder, 'empty.mjs'), 'export default {};');
    const ran = await onFastClock(() => keyward.run(...args));
    // The first command that gets as far as the encryption key creates its file, and says so.
    const lines = ran.err.split('\n').filter((line) => !line.startsWith('warning: the encryption key file'));
    expect(lines[0]).toMatch(sentence);
    expect(ran.code).toBe(code);
    expect(ran.out).toBe('');
    expect(ran.err).not.toMatch(/\n {4}at |pw-canary/);
  });

  it('suggests the intended name', async () => {
    const { err } = await keyward.run('keys', 'creat');
    expect(err).toBe("unknown command 'creat'; did you mean create?\n(see --help)\n");
  });

  it('is reported with the option that was typed', async () => {
    await keyward.json('accounts', 'put', 'acme', '--api', 'payments', '--scope', 'payments');
    const create = ['--account', 'acme', '--kind', 'secret', '--api', 'payments'];
    for (const [args, sentence] of [
      [['keys', 'create', ...create, '--expires', '2020-01-01'], '--expires: expected a time in the future'],
      [['keys', 'create', ...create, '--scope', 'refunds'], '--scope: the account is not entitled to "refunds"'],
      [['keys', 'list', '--account', 'acme', '--after', 'x'], '--after: '],
      [
        ['access-keys', 'create', '--account', 'acme', '--scope', 'payments', '--default-scope', 'x'],
        '--default-scope: ',
      ],
      [['accounts', 'put', 'acme', '--platform', 'a b'], '--platform: '],
      [['keys', 'create', ...create, '--allow-address', 'x'], '--allow-address: '],
      [['keys', 'create', ...create, '--limit', '5/1m', '--limit', '6/1m'], '--limit: '],
      [['keys', 'create', ...create, '--metadata', `${'x'.repeat(41)}=1`], '--metadata: '],
      [['keys', 'list', '--account', 'acme', '--unused-since', '0001-01-01'], '--unused-since: '],
    ] as const) {
      const { code, err } = await keyward.run(...args);
      expect([code, err.slice(0, sentence.length)]).toEqual([1, sentence]);
    }
  });

  it('--grace 0 is a duration', async () => {
    const { err } = await keyward.run('keys', 'rotate', 'key_x', '--grace', '0');
    expect(err).toMatch(/^there is no key/);
  });

  it('serve: a public address needs its URL', async () => {
    const { code, err } = await keyward.run(...SERVE, '--audience', 'x', '--host', '0.0.0.0');
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(
        / listens on 0\.0\.0\.0, which is not a loopback host; set --issuer or KEYWARD_ISSUER to the https URL of the server$/m,
      ),
    ]);
  });

  it('serve: a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, err } = await keyward.run(...SERVE, '--audience', 'x', '--port', String(port));
    other.close();
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/is already in use \(EADDRINUSE\); choose another port with --port\n$/),
    ]);
  });
});

describe('help', () => {
  it.each([
    [['--help'], ['accounts', 'keys', 'access-keys', 'audit', 'migrate', 'routes', 'serve']],
    [
      ['keys', '--help'],
      ['create', 'list', 'view', 'edit', 'rotate', 'revoke', 'import', 'inspect', 'patterns', 'scan'],
    ],
    [
      ['keys', 'create', '--help'],
      ['--account', '--kind', '--database', '--json', 'Example: keyward keys create'],
    ],
    [
      ['keys', 'import', '--help'],
      ['column names', 'digest', 'Example: keyward keys import'],
    ],
  ])('%j contains %j', async (args, words) => {
    const { code, out } = await keyward.run(...args);
    expect(code).toBe(0);
    for (const word of words) expect(out).toContain(word);
  });
});
