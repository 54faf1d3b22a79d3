import { beforeEach, describe, expect, it } from '@jest/globals';
import { START } from '../../support/manual-clock.js';
import { onDatabase } from '../../support/store-database.js';
import { transcriptOnDatabase } from '../../support/transcript.js';

const keyward = transcriptOnDatabase();

interface Made {
  readonly key: string;
  readonly record: { readonly id: string };
}

beforeEach(async () => {
  await keyward.json(
    ...['accounts', 'put', 'acme', '--api', 'payments', '--api', 'disputes', '--scope', 'payments'],
    ...['--scope', 'payments:refund', '--channel', 'pc_1', '--channel', 'pc_2', '--platform', 'shop'],
  );
});

const CREATE = ['keys', 'create', '--account', 'acme', '--api', 'payments'];
const EVERY_SETTING = [
  ...['--kind', 'secret', '--api', 'disputes', '--scope', 'payments', '--scope', 'payments:refund'],
  ...['--channel', 'pc_1', '--platform', 'shop', '--expires', '90d', '--name', 'Till', '--environment', 'sandbox'],
  ...['--metadata', 'team=checkout', '--metadata', 'note=a=b', '--allow-address', '203.0.113.0/24'],
  ...['--allow-address', '2001:db8::/32', '--limit', '100/1m', '--limit', '5000/1d'],
];
const create = (...args: string[]) => keyward.json<Made>(...CREATE, '--kind', 'secret', ...args);

/** Asks the question of a command: the answer is first no, then yes. */
async function asked(...args: string[]): Promise<string> {
  return `${await keyward.runWith('n\n', args, true)}\n${await keyward.runWith('y\n', args, true)}`;
}

describe('the whole output of keyward keys', () => {
  it('create, for a secret key and a public key with the defaults', async () => {
    expect(await keyward.both(...CREATE, '--kind', 'secret')).toMatchSnapshot();
    expect(await keyward.both(...CREATE, '--kind', 'public')).toMatchSnapshot();
  });

  it('create with every setting, and view', async () => {
    expect(await keyward.run(...CREATE, ...EVERY_SETTING)).toMatchSnapshot();
    const { record } = await keyward.json<Made>(...CREATE, ...EVERY_SETTING);
    expect(await keyward.both('keys', 'view', record.id)).toMatchSnapshot();
  });

  it('edit, which changes every setting, and removes every setting', async () => {
    const { record } = await create();
    expect(
      await keyward.both(
        ...['keys', 'edit', record.id, '--name', 'Shop', '--api', 'all', '--scope', 'payments', '--channel', 'pc_2'],
        ...['--platform', 'shop', '--expires', '2030-02-28T01:02:03+01:00', '--metadata', 'a=1'],
        ...['--allow-address', '192.0.2.1', '--limit', '1/1s', '--disable'],
      ),
    ).toMatchSnapshot();
    expect(
      await keyward.both(
        ...['keys', 'edit', record.id, '--no-name', '--no-scope', '--channel', 'all', '--no-platform'],
        ...['--no-expires', '--no-metadata', '--no-allow-address', '--no-limit', '--enable'],
      ),
    ).toMatchSnapshot();
  });

  it('rotate, with and without a grace period, end-grace and revoke', async () => {
    const { record } = await create('--name', 'Till');
    expect(await keyward.run('keys', 'rotate', record.id, '--grace', '7d')).toMatchSnapshot();
    expect(await keyward.run('keys', 'end-grace', record.id)).toMatchSnapshot();
    expect(await keyward.run('keys', 'rotate', record.id, '--json')).toMatchSnapshot();
    expect(await keyward.both('keys', 'revoke', record.id)).toMatchSnapshot();
    expect(await keyward.both('keys', 'end-grace', record.id)).toMatchSnapshot();
  });

  it('view, for a key that was used, is disabled, and has expired', async () => {
    const { record } = await create('--expires', '1h');
    await onDatabase(
      keyward.url,
      `update secrets set last_used_at = ${START + 123}, last_used_from = '203.0.113.9'`,
      `update keys set used_at = ${START + 123}, disabled_at = ${START + 456}`,
    );
    expect(await keyward.both('keys', 'view', record.id)).toMatchSnapshot();
    await onDatabase(keyward.url, `update keys set expires_at = ${START + 999}`);
    expect(await keyward.both('keys', 'view', record.id)).toMatchSnapshot();
  });

  it('list, without keys, with short and long values, with each filter, and page by page', async () => {
    expect(await keyward.both('keys', 'list', '--account', 'acme')).toMatchSnapshot();
    await create();
    await create('--api', 'disputes', '--name', 'n'.repeat(100), '--expires', '2030-01-01', '--environment', 'sandbox');
    // No ID and no hint contains an 8 or a space.
    const { record } = await keyward.json<Made>(...CREATE, '--kind', 'public', '--name', 'shop 8');
    await keyward.json('keys', 'edit', record.id, '--disable');
    const list = (...args: string[]) => keyward.run('keys', 'list', '--account', 'acme', ...args);
    expect(await list()).toMatchSnapshot();
    expect(await list('--json')).toMatchSnapshot();
    for (const filter of [
      ['--kind', 'public'],
      ['--api', 'disputes'],
      ['--state', 'disabled'],
      ['--text', 'SHOP 8'],
      ['--unused-since', '2027-01-16', '--sort', 'created'],
      ['--limit', '1', '--sort', 'name'],
      ['--limit', '1', '--json'],
    ]) {
      expect(await list(...filter)).toMatchSnapshot();
    }
    await keyward.json('keys', 'revoke', record.id);
    expect(await list('--state', 'revoked')).toMatchSnapshot();
  });

  it('usage, without and with requests', async () => {
    const { id } = (await create()).record;
    expect(await keyward.both('keys', 'usage', id)).toMatchSnapshot();
    const day = Math.floor(START / 86_400_000);
    await onDatabase(
      keyward.url,
      `insert into usage (key_id, day, accepted, refused) values ('${id}', ${day - 3}, 12345, 0), ('${id}', ${day - 1}, 0, 7)`,
    );
    expect(await keyward.run('keys', 'usage', id)).toMatchSnapshot();
    expect(await keyward.both('keys', 'usage', id, '--from', '2027-01-13', '--to', '2027-01-14')).toMatchSnapshot();
  });
});

describe('a question on a terminal', () => {
  it('is asked before a key is rotated, its grace period is ended, and it is revoked', async () => {
    const { record } = await create('--name', 'Till "2"');
    expect(await asked('keys', 'rotate', record.id)).toMatchSnapshot();
    await keyward.json('keys', 'rotate', record.id, '--grace', '1h');
    expect(await asked('keys', 'end-grace', record.id)).toMatchSnapshot();
    expect(await asked('keys', 'revoke', record.id)).toMatchSnapshot();
  });

  it('is asked about a public key and a key without a name', async () => {
    const { record } = await keyward.json<Made>(...CREATE, '--kind', 'public');
    expect(await asked('keys', 'rotate', record.id)).toMatchSnapshot();
    await keyward.json('keys', 'rotate', record.id, '--grace', '1h');
    expect(await asked('keys', 'end-grace', record.id, '--json')).toMatchSnapshot();
  });

  it('is not asked if standard error is not a terminal, or with --yes', async () => {
    const { record } = await create();
    expect(await keyward.runWith('', ['keys', 'rotate', record.id, '--yes', '--json'], true)).toMatchSnapshot();
  });
});

describe('the whole output of keyward keys find', () => {
  const find = async (secret: string) =>
    `${await keyward.runWith(`${secret}\n`, ['keys', 'find', '-'], true)}\n${await keyward.runWith(secret, ['keys', 'find', '-', '--json'])}`;

  it('for a key that is active, was used, is rotated, has expired, is disabled and is revoked', async () => {
    const { key, record } = await create('--name', 'Till');
    expect(await find(key)).toMatchSnapshot();
    await onDatabase(
      keyward.url,
      `update secrets set last_used_at = ${START + 123}, last_used_from = '203.0.113.9'`,
      `update keys set used_at = ${START + 123}`,
    );
    expect(await find(key)).toMatchSnapshot();
    await onDatabase(keyward.url, 'update secrets set last_used_from = null');
    await keyward.json('keys', 'rotate', record.id, '--grace', '1h');
    expect(await find(key)).toMatchSnapshot();
    await onDatabase(keyward.url, `update keys set expires_at = ${START + 999}`);
    expect(await find(key)).toMatchSnapshot();
    await keyward.json('keys', 'edit', record.id, '--disable');
    expect(await find(key)).toMatchSnapshot();
    await keyward.json('keys', 'revoke', record.id);
    expect(await find(key)).toMatchSnapshot();
  });

  it('for a key that is not in the database, and for a wrong input', async () => {
    expect(await keyward.runWith('acme_0123456789', ['keys', 'find', '-'])).toMatchSnapshot();
    expect(await keyward.runWith('sk_abc', ['keys', 'find', '-', '--json'])).toMatchSnapshot();
    expect(await keyward.runWith(' \n', ['keys', 'find', '-'])).toMatchSnapshot();
    expect(await keyward.run('keys', 'find', 'sk_abc')).toMatchSnapshot();
  });
});

it.each([
  ['create', '--account', 'acme', '--kind', 'secret'],
  ['edit', 'key_1'],
])('keys %s: a list with "all" has no other value', async (...args) => {
  expect(await keyward.run('keys', ...args, '--api', 'all', '--api', 'payments')).toContain(
    '\n--api: "all" cannot be combined with other values\n[exit code 2]',
  );
});
