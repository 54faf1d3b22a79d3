import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openStore } from 'keyward/store';
import { type CommandLine, commandLine, typing } from '../support/command-line.js';
import { onDatabase } from '../support/store-database.js';
import { placesOf, type TestPlace } from '../support/test-stores.js';

interface Made {
  readonly key: string;
  readonly id: string;
  readonly record: { readonly id: string } & Readonly<Record<string, unknown>>;
}

let place: TestPlace;
let keyward: CommandLine;

beforeEach(async () => {
  place = await placesOf.SQLite();
  keyward = commandLine(place);
  await keyward.json(
    ...['accounts', 'put', 'acme', '--api', 'payments', '--api', 'disputes', '--scope', 'payments'],
    ...['--scope', 'payments:refund', '--channel', 'pc_1', '--channel', 'pc_2', '--platform', 'shop'],
  );
});

afterEach(() => place.remove());

const create = (...args: string[]) =>
  keyward.json<Made>('keys', 'create', '--account', 'acme', '--kind', 'secret', '--api', 'payments', ...args);
const createAccessKey = (...args: string[]) =>
  keyward.json<Made>('access-keys', 'create', '--account', 'acme', '--scope', 'payments', ...args);

describe('keyward accounts put', () => {
  it('sets every list, and "all" of APIs and channels', async () => {
    expect(await keyward.json('accounts', 'view', 'acme')).toMatchObject({
      account: {
        ...{ apis: ['payments', 'disputes'], scopes: ['payments', 'payments:refund'] },
        ...{ channels: ['pc_1', 'pc_2'], platforms: ['shop'] },
      },
    });
    expect(await keyward.json('accounts', 'put', 'acme', '--api', 'all', '--channel', 'all')).toMatchObject({
      account: { apis: 'all', channels: 'all', scopes: ['payments', 'payments:refund'], platforms: ['shop'] },
    });
    const { out } = await keyward.run('accounts', 'view', 'acme');
    expect(out).toMatch(/^id +acme\napis +all\nscopes +payments payments:refund\nchannels +all\nplatforms +shop\n/);
    expect(out).toMatch(/\ncreated +\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ\ndisabled +-\n$/);
  });

  it('prints a warning as JSON with --json', async () => {
    const { code, out, err } = await keyward.run('accounts', 'put', 'globex', '--json');
    expect([code, JSON.parse(out).account.id]).toEqual([0, 'globex']);
    expect(JSON.parse(err)).toEqual({ warning: { message: expect.stringContaining('has no APIs') } });
  });
});

describe('keyward keys create', () => {
  it('by default is live, has every scope of its APIs, and every channel', async () => {
    const { record } = await create();
    expect(record).toMatchObject({
      ...{ kind: 'secret', environment: 'live', account: 'acme', apis: ['payments'], scopes: null, platform: null },
      ...{ channels: 'all', expiresAt: null, name: null, metadata: null, allowedAddresses: null, limits: null },
    });
  });

  it('has each setting', async () => {
    const { key, record } = await create(
      ...['--api', 'disputes', '--scope', 'payments', '--scope', 'payments:refund', '--channel', 'pc_1'],
      ...['--platform', 'shop', '--expires', '2099-01-31', '--name', 'Till', '--environment', 'sandbox'],
    );
    expect(record).toMatchObject({
      ...{ apis: ['payments', 'disputes'], scopes: ['payments', 'payments:refund'], channels: ['pc_1'] },
      ...{ platform: 'shop', expiresAt: '2099-01-31T00:00:00.000Z', name: 'Till', environment: 'sandbox' },
    });
    expect(key).toMatch(/^sk_sbox_/);
    expect(record.createdBy).toMatch(/^cli:/);
  });

  it('shows all of them to people', async () => {
    const { record } = await create(
      ...['--scope', 'payments', '--channel', 'pc_1', '--platform', 'shop', '--expires', '2099-01-31'],
      ...['--allow-address', '203.0.113.7', '--name', 'Till'],
    );
    const { out } = await keyward.run('keys', 'view', record.id);
    const field = (name: string) => new RegExp(`^${name} {2,}(.*)$`, 'm').exec(out)?.[1];
    const names = ['kind', 'state', 'account', 'environment', 'name', 'apis', 'scopes', 'channels', 'platform'];
    expect([...names, 'allowed addresses', 'expires', 'revoked', 'version'].map(field)).toEqual([
      ...['secret', 'active', 'acme', 'live', 'Till', 'payments', 'payments', 'pc_1', 'shop'],
      ...['203.0.113.7', '2099-01-31 00:00:00Z', '-', '1'],
    ]);
    expect(field('created')).toMatch(/^\S+ \S+Z by cli:/);
    expect(out).toMatch(
      /\n\nSECRET +HINT +CREATED +ACCEPTED UNTIL +LAST USED +FROM\n\S+ +sk_\S+ +\S+ \S+Z +- +- +-\n$/,
    );
  });

  it('shows which scopes a key without a list has, and the value of a public key', async () => {
    const secret = await keyward.run('keys', 'view', (await create()).record.id);
    expect(secret.out).toMatch(/\nscopes +every scope of its APIs\n/);
    expect(secret.out).not.toMatch(/^(?:allowed addresses|limits|metadata|token binding|key) /m);
    const shop = await keyward.json<Made>(
      'keys',
      'create',
      '--account',
      'acme',
      '--kind',
      'public',
      '--api',
      'payments',
    );
    const { out } = await keyward.run('keys', 'view', shop.record.id);
    expect(out).toMatch(/\nscopes +none\n/);
    expect(out).toMatch(new RegExp(`^key +${shop.key}$`, 'm'));
  });
});

describe('keyward keys edit', () => {
  it('changes channels and platform, and removes platform and scopes', async () => {
    const { record } = await create('--scope', 'payments', '--channel', 'pc_1', '--platform', 'shop');
    const edit = async (...args: string[]) => (await keyward.json<Made>('keys', 'edit', record.id, ...args)).record;
    expect(await edit('--channel', 'pc_2')).toMatchObject({ channels: ['pc_2'], platform: 'shop' });
    expect(await edit('--no-platform')).toMatchObject({ channels: ['pc_2'], platform: null });
    expect(await edit('--channel', 'all')).toMatchObject({ channels: 'all', scopes: ['payments'] });
    expect(await edit('--no-scope')).toMatchObject({ scopes: null });
    expect(await edit('--api', 'all')).toMatchObject({ apis: 'all' });
  });

  it('disables a key until it is enabled', async () => {
    const { record } = await create();
    const edit = async (...args: string[]) => (await keyward.json<Made>('keys', 'edit', record.id, ...args)).record;
    expect(await edit('--disable')).toMatchObject({ state: 'disabled', disabledAt: expect.any(String) });
    expect(await edit('--name', 'Till')).toMatchObject({ state: 'disabled' });
    expect(await edit('--enable')).toMatchObject({ state: 'active', disabledAt: null });
  });
});

describe('keyward keys rotate', () => {
  it('refuses the old secret at once by default', async () => {
    const { record, key } = await create();
    const rotated = await keyward.json<Made & { record: { secrets: { state: string }[] } }>(
      'keys',
      'rotate',
      record.id,
    );
    expect(rotated.record.secrets.map(({ state }) => state)).toEqual(['current', 'ended']);
    expect(rotated.key).not.toBe(key);
  });

  it('accepts the old secret for the time of --grace', async () => {
    const { record } = await create();
    const before = Date.now();
    await keyward.json('keys', 'rotate', record.id, '--grace', '2h');
    const [row] = await onDatabase(place.url, 'select retires_at from secrets where retires_at is not null');
    expect(Number(row?.retires_at)).toBeGreaterThanOrEqual(before + 7_200_000);
    expect(Number(row?.retires_at)).toBeLessThanOrEqual(Date.now() + 7_200_000);
  });
});

describe('keyward access-keys', () => {
  const recordOf = async (id: string) => {
    const store = await openStore(place.url);
    try {
      return await store.resolveAccessKey(id);
    } finally {
      await store.close();
    }
  };

  it.each([
    ['dpop', 'dpop', 'dpop'],
    ['mtls', 'mtls', 'mtls'],
    ['any', true, 'dpop or mtls'],
  ])('require tokens that are bound by %s, and no longer', async (method, stored, shown) => {
    const { record } = await createAccessKey('--require-confirmation', method);
    expect(record.requireConfirmation).toBe(stored);
    expect((await keyward.run('access-keys', 'view', record.id)).out).toMatch(`token binding   ${shown}\n`);
    const edit = async (...args: string[]) =>
      (await keyward.json<Made>('access-keys', 'edit', record.id, ...args)).record.requireConfirmation;
    expect(await edit('--name', 'x')).toBe(stored);
    expect(await edit('--no-require-confirmation')).toBe(null);
    expect(await edit('--require-confirmation', method)).toBe(stored);
    expect((await keyward.run('access-keys', 'edit', record.id, '--require-confirmation', 'tls')).code).toBe(2);
  });

  it('have scopes and default scopes, which an edit replaces', async () => {
    const { record } = await createAccessKey(
      ...['--scope', 'payments:refund', '--default-scope', 'payments:refund', '--environment', 'sandbox'],
    );
    expect(record).toMatchObject({
      ...{ environment: 'sandbox', scopes: ['payments', 'payments:refund'], defaultScopes: ['payments:refund'] },
    });
    const edit = async (...args: string[]) =>
      (await keyward.json<Made>('access-keys', 'edit', record.id, ...args)).record;
    expect(await edit('--default-scope', 'payments')).toMatchObject({
      ...{ scopes: ['payments', 'payments:refund'], defaultScopes: ['payments'] },
    });
    expect(await edit('--scope', 'payments')).toMatchObject({ scopes: ['payments'], defaultScopes: ['payments'] });
    const { out } = await keyward.run('access-keys', 'view', record.id);
    expect(out).toMatch(/\nscopes +payments\ndefault scopes +payments\n/);
    expect(out).not.toMatch(/\napis /);
  });

  it('have no revoked tokens until --revoke-tokens', async () => {
    const { record } = await createAccessKey();
    expect(await recordOf(record.id)).toMatchObject({ tokensNotBefore: null, disabled: false });
    const before = Date.now();
    await keyward.json('access-keys', 'edit', record.id, '--revoke-tokens');
    const { tokensNotBefore } = (await recordOf(record.id)) as { readonly tokensNotBefore: Date };
    expect(tokensNotBefore.getTime()).toBeGreaterThanOrEqual(before - 1);
    expect(await keyward.run('access-keys', 'edit', record.id)).toMatchObject({ code: 2, out: '' });
  });

  it('are listed apart from keys, without filters that only keys have', async () => {
    const [key, access] = [await create(), await createAccessKey()];
    const ids = async (group: string) =>
      (await keyward.json<{ keys: { id: string }[] }>(group, 'list', '--account', 'acme')).keys.map(({ id }) => id);
    expect([await ids('keys'), await ids('access-keys')]).toEqual([[key.record.id], [access.record.id]]);
    for (const option of ['--kind', '--api']) {
      expect((await keyward.run('access-keys', 'list', '--account', 'acme', option, 'secret')).code).toBe(2);
    }
  });

  it('delete-secret prints the key with the secret that is left', async () => {
    const { record } = await createAccessKey();
    const added = await keyward.json<{ id: string; secret: string; record: { secrets: { id: string }[] } }>(
      ...['access-keys', 'add-secret', record.id],
    );
    expect(added).toMatchObject({ id: record.id, secret: expect.stringMatching(/^[\w-]{86}$/) });
    const [newest, oldest] = added.record.secrets.map(({ id }) => id);
    expect(await keyward.json('access-keys', 'delete-secret', record.id, oldest ?? '')).toMatchObject({
      record: {
        id: record.id,
        secrets: [
          { id: newest, state: 'current' },
          { id: oldest, state: 'ended' },
        ],
      },
    });
  });
});

describe('keyward … usage', () => {
  const day = (ago: number) => Math.floor(Date.now() / 86_400_000) - ago;
  const textOf = (number: number) => new Date(number * 86_400_000).toISOString().slice(0, 10);

  it.each([
    ['keys', create],
    ['access-keys', createAccessKey],
  ] as const)('keyward %s usage prints the days with requests', async (group, make) => {
    const { record } = await make();
    const { id } = record;
    const values = [1, 2, 3].map((ago) => `('${id}', ${day(ago)}, ${ago}, ${10 * ago})`);
    await onDatabase(place.url, `insert into usage (key_id, day, accepted, refused) values ${values}`);
    const usage = await keyward.json<{ days: object[] }>(group, 'usage', id);
    expect(usage).toMatchObject({ id, from: textOf(day(29)), to: textOf(day(0)), accepted: 6, refused: 60 });
    expect(usage.days).toHaveLength(30);
    const period = ['--from', textOf(day(3)), '--to', textOf(day(2))];
    expect(await keyward.run(group, 'usage', id, ...period)).toEqual({
      code: 0,
      err: '',
      out: [
        'DAY         ACCEPTED  REFUSED',
        `${textOf(day(3))}  3         30`,
        `${textOf(day(2))}  2         20`,
        `5 accepted and 50 refused requests from ${textOf(day(3))} to ${textOf(day(2))} (UTC)\n`,
      ].join('\n'),
    });
    const none = await keyward.run(group, 'usage', id, '--from', '2020-01-01', '--to', '2020-01-02');
    expect(none.out).toBe('There were no requests from 2020-01-01 to 2020-01-02.\n');
    expect((await keyward.run(group, 'usage', id, '--from', 'yesterday')).code).toBe(2);
    expect(await keyward.run(group, 'usage', 'key_none')).toMatchObject({ code: 1, out: '' });
  });
});

describe('keyward audit', () => {
  it('shows the entries of an actor, of a subject, and how often an operation was refused', async () => {
    const { record } = await create();
    const entries = async (...args: string[]) =>
      (await keyward.json<{ entries: { action: string; actor: string; count?: number }[] }>('audit', ...args)).entries;
    for (let time = 0; time < 4; time += 1) await keyward.run('keys', 'revoke', record.id);
    const all = await entries('--subject', record.id);
    const actor = all.at(-1)?.actor ?? '';
    expect(await entries('--subject', record.id, '--actor', actor)).toEqual(all);
    expect(await entries('--subject', record.id, '--actor', 'nobody')).toEqual([]);
    expect(await entries('--subject', 'key_none')).toEqual([]);
    expect(await entries('--limit', '1')).toHaveLength(1);
    // The minute may have ended meanwhile: then there are two entries.
    const { out } = await keyward.run('audit', '--action', 'key.revoke');
    expect(out).toMatch(/ refused +key_\S+ +\w+, [23] times\n/);
  });

  it('shows the entries of a period: from its start, and before its end', async () => {
    const { record } = await create();
    const [row] = await onDatabase(place.url, `select at from audit where subject = '${record.id}'`);
    const time = (plus: number) => new Date(Number(row?.at) + plus).toISOString();
    const count = async (...args: string[]) =>
      (await keyward.json<{ entries: object[] }>('audit', '--subject', record.id, ...args)).entries.length;
    expect(await count('--from', time(0), '--to', time(1))).toBe(1);
    expect(await count('--from', time(1))).toBe(0);
    expect(await count('--to', time(0))).toBe(0);
    expect(await count('--from', time(0).slice(0, 10))).toBe(1);
  });

  it('of one account has no column for the account, and says how the next page is shown', async () => {
    await create();
    const { out } = await keyward.run('audit', '--account', 'acme', '--limit', '1');
    expect(out).toMatch(/^TIME +ACTOR +ROLE +ADDRESS +ACTION +OUTCOME +SUBJECT +CHANGES\n/);
    expect(out).toMatch(/ cli:\S+ +owner +- +key\.create +done +key_\S+\n/);
    expect(out).toMatch(/\nThere are more entries\. For the next page, add --after \S+\n$/);
  });
});

describe('a question before what cannot be undone', () => {
  it('is asked before a secret is deleted', async () => {
    const { record } = await createAccessKey();
    await keyward.json('access-keys', 'add-secret', record.id);
    const view = await keyward.json<{ record: { secrets: { id: string }[] } }>('access-keys', 'view', record.id);
    const secret = view.record.secrets[0]?.id ?? '';
    const args = ['access-keys', 'delete-secret', record.id, secret];
    expect(await typing(place, 'n\n', args)).toMatchObject({
      ...{
        code: 1,
        err: expect.stringMatching(/^Delete the client secret \S+ from the access key ack_\S+\? .* \[y\/N\] /),
      },
    });
    expect(await typing(place, '', [...args, '--yes'])).toMatchObject({ code: 0, err: '' });
  });

  const viewOf = (id: string) =>
    keyward.json<{ record: { version: number; secrets: { hint: string }[] } }>('keys', 'view', id);

  it('is asked before a rotation that refuses the old secret at once', async () => {
    const { record } = await create('--name', 'till');
    const question = `Rotate the key ${record.id} "till" of the account acme? Its current secret will be refused immediately. To keep it valid for a while, answer no and run the command again with a grace period, such as --grace 7d. [y/N] `;
    const args = ['keys', 'rotate', record.id];
    for (const grace of [[], ['--grace', '0']])
      expect(await typing(place, 'n\n', [...args, ...grace])).toMatchObject({
        ...{ code: 1, err: `${question}the command was not confirmed, so nothing was changed\n` },
      });
    expect((await viewOf(record.id)).record.version).toBe(1);
    expect(await typing(place, '', [...args, '--grace', '7d'])).toMatchObject({ code: 0, err: '' });
    expect(await typing(place, '', [...args, '--yes'])).toMatchObject({ code: 0, err: '' });
    expect(await typing(place, 'y\n', args)).toMatchObject({ code: 0, err: question });
    const access = await createAccessKey();
    expect((await typing(place, '', ['access-keys', 'rotate', access.id])).err).toMatch(
      /^Rotate the access key ack_.*\? Its current client secret will be refused immediately\./,
    );
    const shown = await create('--kind', 'public');
    expect((await typing(place, '', ['keys', 'rotate', shown.record.id])).err).toMatch(
      /\? Its current public key will be refused immediately\./,
    );
  });

  it('is asked before a grace period is ended', async () => {
    const { record } = await create();
    const args = ['keys', 'end-grace', record.id];
    // There is no grace period, so there is nothing to ask.
    expect((await typing(place, '', args)).err).toBe('the key has no old secret in a grace period\n');
    await keyward.json('keys', 'rotate', record.id, '--grace', '7d');
    const hint = (await viewOf(record.id)).record.secrets[1]?.hint;
    const question = `End the grace period of the key ${record.id} of the account acme? Its old secret ${hint} will be refused immediately. This cannot be undone. [y/N] `;
    expect(await typing(place, 'n\n', args)).toMatchObject({ code: 1, err: expect.stringContaining(question) });
    expect(await typing(place, 'y\n', args)).toMatchObject({ code: 0, err: question });
  });

  it('is asked before the tokens of an access key are revoked', async () => {
    const { id } = await createAccessKey();
    const args = ['access-keys', 'edit', id];
    const question = `Revoke every access token that was issued with the access key ${id} of the account acme? Clients will be refused until they obtain a new access token. This cannot be undone. [y/N] `;
    expect(await typing(place, 'n\n', [...args, '--revoke-tokens'])).toMatchObject({
      ...{ code: 1, err: expect.stringContaining(question) },
    });
    expect(await typing(place, '', [...args, '--revoke-tokens', '--yes'])).toMatchObject({ code: 0, err: '' });
    expect(await typing(place, '', [...args, '--name', 'till'])).toMatchObject({ code: 0, err: '' });
  });

  it('is asked before an account is disabled', async () => {
    const question =
      'Disable the account acme? Its API keys, its access keys and their access tokens will be refused until the account is enabled again. [y/N] ';
    const args = ['accounts', 'disable', 'acme'];
    expect(await typing(place, 'n\n', args)).toMatchObject({ code: 1, err: expect.stringContaining(question) });
    expect(await keyward.json('accounts', 'view', 'acme')).toMatchObject({ account: { disabledAt: null } });
    expect(await typing(place, 'y\n', args)).toMatchObject({ code: 0, err: question });
    expect(await typing(place, '', args)).toMatchObject({ code: 0, err: '' });
    expect(await typing(place, '', ['accounts', 'enable', 'acme'])).toMatchObject({ code: 0, err: '' });
  });

  it('is asked before a public key is removed', async () => {
    const { record } = await createAccessKey();
    const args = ['access-keys', 'remove-public-key', record.id, 'none'];
    const asked = await typing(place, 'no\n', args);
    expect(asked).toMatchObject({ code: 1, err: expect.stringMatching(/^Remove the public key none .*nothing was/s) });
    expect((await typing(place, '', [...args, '--yes'])).err).not.toContain('[y/N]');
  });

  it('is asked before a signing key is revoked', async () => {
    await onDatabase(
      place.url,
      `insert into signing_keys (number, kid, alg, created_at, jwe) values (1, 'one', 'RS256', 0, 'x')`,
    );
    const args = ['signing-keys', 'revoke', 'one'];
    const asked = await typing(place, '\n', args);
    expect(asked).toMatchObject({ code: 1, err: expect.stringMatching(/^Revoke the signing key one\? /) });
    expect(await onDatabase(place.url, 'select kid from signing_keys')).toEqual([{ kid: 'one' }]);
    expect(await typing(place, 'YES\n', args)).toMatchObject({ code: 0 });
    expect(await onDatabase(place.url, 'select kid from signing_keys')).toEqual([]);
  });

  it.each([true, false])(
    'is not asked if the input is not a terminal, and standard error is one: %s',
    async (stderr) => {
      const { record } = await create();
      const args = ['keys', 'revoke', record.id];
      expect(await typing(place, 'n\n', args, { stdin: false, stderr })).toMatchObject({ code: 0, err: '' });
    },
  );

  it('is not skipped if only standard error is not a terminal: without --yes, nothing is changed', async () => {
    const { record } = await create();
    const args = ['keys', 'revoke', record.id];
    const terminals = { stdin: true, stderr: false };
    expect(await typing(place, 'y\n', args, terminals)).toEqual({
      ...{ code: 2, out: '' },
      err: 'this command asks for confirmation, but standard error is not a terminal; add --yes, or do not redirect standard error\n',
    });
    expect((await viewOf(record.id)).record).toMatchObject({ version: 1, state: 'active' });
    expect(await typing(place, '', [...args, '--yes'], terminals)).toMatchObject({ code: 0, err: '' });
  });
});

describe('keyward migrate', () => {
  it('says that the tables are up to date', async () => {
    expect(await keyward.run('migrate')).toEqual({ code: 0, out: 'The tables are up to date.\n', err: '' });
    expect(await keyward.json('migrate')).toEqual({ migrated: true });
  });
});

it('--version prints the version of the package', async () => {
  expect(await keyward.run('--version')).toEqual({
    code: 0,
    out: expect.stringMatching(/^\d+\.\d+\.\d+\S*\n$/),
    err: '',
  });
});

it.each(['--name', '--platform'])('%s "" is refused, and removes nothing', async (option) => {
  const { record } = await create('--name', 'till', '--channel', 'pc_1', '--platform', 'shop');
  const { code, err } = await keyward.run('keys', 'edit', record.id, option, '');
  expect([code, err]).toEqual([2, `${option} : expected a text that is not empty\n(see --help)\n`]);
  expect(await keyward.json('keys', 'view', record.id)).toMatchObject({ record: { name: 'till', platform: 'shop' } });
});
