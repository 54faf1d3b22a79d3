import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runCli } from '../../lib/cli/program.js';
import { keywardFormat } from '../../lib/credentials/keyward-format.js';
import { openStore } from '../../lib/store/open-store.js';
import { type CommandLine, commandLine, outputInto } from '../support/command-line.js';
import { accountRow } from '../support/stored-rows.js';
import { placesOf, sharedEngines, type TestPlace } from '../support/test-stores.js';

interface Made {
  readonly key?: string;
  readonly id?: string;
  readonly secret?: string;
  readonly record: { readonly id: string; readonly state: string; readonly version: number } & Record<string, unknown>;
}

describe.each(sharedEngines)('keyward on %s', (engine) => {
  let place: TestPlace;
  let keyward: CommandLine;

  beforeEach(async () => {
    place = await placesOf[engine]();
    keyward = commandLine(place);
    const apis = ['--api', 'payments', '--api', 'disputes'];
    await keyward.json('accounts', 'put', 'acme', ...apis, '--scope', 'payments', '--scope', 'payments:refund');
  });

  afterEach(() => place.remove());

  const secretKey = (...more: string[]) =>
    keyward.json<Made>('keys', 'create', '--account', 'acme', '--kind', 'secret', '--api', 'payments', ...more);
  const accessKey = (...more: string[]) =>
    keyward.json<Made>('access-keys', 'create', '--account', 'acme', '--scope', 'payments', ...more);

  it('shows an account as it was put, and changes only the given settings', async () => {
    const { account } = await keyward.json<{ account: object }>('accounts', 'put', 'acme', '--platform', 'shop');
    expect(account).toMatchObject({ id: 'acme', apis: ['payments', 'disputes'], platforms: ['shop'], version: 2 });
    expect(await keyward.json('accounts', 'view', 'acme')).toEqual({ account });
    expect(await keyward.json('accounts', 'list')).toEqual({ accounts: [account] });
  });

  it('lists every account once, if the last page is full', async () => {
    const store = await openStore(place.url);
    await store.repository.transact(async (tx) => {
      for (let number = 101; number < 300; number += 1) await tx.insertAccount(accountRow({ id: `acme-${number}` }));
    });
    await store.close();
    const { accounts } = await keyward.json<{ accounts: { id: string }[] }>('accounts', 'list');
    expect([accounts.length, new Set(accounts.map(({ id }) => id)).size]).toEqual([200, 200]);
  });

  it('prints a new key only once', async () => {
    const { key, record } = await secretKey('--name', 'till', '--environment', 'sandbox');
    expect(keywardFormat.read(key ?? '')).toMatchObject({ kind: 'secret', environment: 'sandbox' });
    expect(record).toMatchObject({ name: 'till', apis: ['payments'], state: 'active', version: 1 });
    const { out } = await keyward.run('keys', 'view', record.id);
    expect(out).toContain('till');
    expect(out).not.toContain(key);
  });

  it('prints client ID and client secret of a new access key', async () => {
    const { id, secret, record } = await accessKey();
    expect(record.id).toBe(id);
    expect(secret).toMatch(/^[\w-]{86}$/);
    expect(record).toMatchObject({ kind: 'access', scopes: ['payments'], defaultScopes: ['payments'] });
  });

  it('prints the same data for people and for programs', async () => {
    const key = await keyward.run('keys', 'create', '--account', 'acme', '--kind', 'secret', '--api', 'all');
    expect(key).toMatchObject({ code: 0, err: '' });
    expect(key.out).toMatch(/\nKey {9}sk_[a-z2-7]{27}\nSave this value now\. It is shown only once\.\n$/);
    const access = await keyward.run('access-keys', 'create', '--account', 'acme', '--scope', 'payments');
    expect(access.out).toMatch(
      /\nClient ID {6}ack_[a-z2-7]{26}\nClient secret {2}[\w-]{86}\nSave this value now\. It is shown only once\.\n$/,
    );
    const shop = await keyward.run('keys', 'create', '--account', 'acme', '--kind', 'public', '--api', 'payments');
    expect(shop.out).toMatch(/\nKey {9}pk_[a-z2-7]{27}\n$/);
    const list = await keyward.run('keys', 'list', '--account', 'acme');
    expect(list.out.split('\n')[0]).toMatch(/^ID +KIND +ENVIRONMENT +STATE +HINT +APIS +LAST USED +EXPIRES +NAME$/);
    expect(list.out.trimEnd().split('\n')).toHaveLength(3);
  });

  it('lists by kind, API, state and text, page by page', async () => {
    // No id or hint has an 8 in it.
    const names = ['one', '8two', 'three'];
    for (const name of names) await secretKey('--name', name);
    await keyward.json('keys', 'create', '--account', 'acme', '--kind', 'public', '--api', 'disputes');
    const list = async (...args: string[]) =>
      keyward.json<{ keys: { name: string }[]; next: string | null }>('keys', 'list', '--account', 'acme', ...args);
    expect((await list('--kind', 'secret')).keys.map(({ name }) => name)).toEqual(names.toReversed());
    expect((await list('--api', 'disputes')).keys).toHaveLength(1);
    expect((await list('--text', '8TW')).keys).toMatchObject([{ name: '8two' }]);
    expect((await list('--state', 'revoked')).keys).toEqual([]);
    const first = await list('--kind', 'secret', '--limit', '2');
    expect(first.keys).toHaveLength(2);
    expect((await list('--kind', 'secret', '--after', first.next ?? '')).keys).toMatchObject([{ name: 'one' }]);
    const sorted = async (order: string) => (await list('--sort', order)).keys.map(({ name }) => name);
    expect(await sorted('-name')).toEqual((await sorted('name')).reverse());
    expect((await keyward.run('keys', 'list', '--account', 'acme', '--sort', 'digest')).code).toBe(2);
    expect((await list('--unused-since', '2020-01-01')).keys).toEqual([]);
    expect((await list('--unused-since', '9999-01-01')).keys).toHaveLength(4);
    const noDay = await keyward.run('keys', 'list', '--account', 'acme', '--unused-since', 'soon');
    expect([noDay.code, noDay.err]).toEqual([2, expect.stringContaining('expected a date, such as 2027-01-31')]);
    const entries = async (...args: string[]) =>
      (await keyward.json<{ entries: unknown[] }>('audit', '--account', 'acme', '--action', 'key.create', ...args))
        .entries;
    expect(await entries('--from', '2020-01-01')).toEqual(await entries());
    expect(await entries('--to', '2020-01-01')).toEqual([]);
    const printed = await keyward.run('keys', 'list', '--account', 'acme', '--limit', '1');
    expect(printed.out).toMatch(/\nThere are more keys\. For the next page, add --after \S+\n$/);
  });

  it('gives keys metadata, addresses and limits, and removes them', async () => {
    const made = await secretKey(
      ...['--metadata', 'team=checkout', '--metadata', 'note=a=b', '--allow-address', '203.0.113.0/24'],
      ...['--limit', '100/1m', '--limit', '5000/d'],
    );
    const { id } = made.record;
    expect(made.record).toMatchObject({
      metadata: { team: 'checkout', note: 'a=b' },
      allowedAddresses: ['203.0.113.0/24'],
      limits: [
        { requests: 100, seconds: 60 },
        { requests: 5_000, seconds: 86_400 },
      ],
    });
    const { out } = await keyward.run('keys', 'view', id);
    expect(out).toMatch(/limits +100\/1m 5000\/1d\n/);
    expect(out).toMatch(/metadata +team=checkout, note=a=b\n/);
    const edit = (...args: string[]) => keyward.json<Made>('keys', 'edit', id, ...args);
    expect((await edit('--metadata', 'team=refunds')).record).toMatchObject({ metadata: { team: 'refunds' } });
    expect((await edit('--no-metadata', '--no-allow-address', '--no-limit')).record).toMatchObject({
      ...{ metadata: null, allowedAddresses: null, limits: null },
    });
    const again = ['--no-metadata', '--metadata', 'a=1', '--no-allow-address', '--allow-address', '203.0.113.7'];
    expect((await edit(...again, '--no-limit', '--limit', '5/1m', '--no-scope', '--scope', 'payments')).record).toEqual(
      expect.objectContaining({
        metadata: { a: '1' },
        allowedAddresses: ['203.0.113.7'],
        limits: [{ requests: 5, seconds: 60 }],
        scopes: ['payments'],
      }),
    );
    for (const wrong of [
      ['--limit', '100'],
      ['--limit', '100 per minute'],
      ['--metadata', 'team'],
      ['--metadata', 'a=1', '--metadata', 'a=2'],
    ]) {
      expect((await keyward.run('keys', 'edit', id, ...wrong)).code).toBe(2);
    }
  });

  it('edits the given settings, and keeps the others', async () => {
    const { record } = await secretKey('--name', 'till');
    const edit = (...args: string[]) => keyward.json<Made>('keys', 'edit', record.id, ...args);
    expect((await edit('--api', 'disputes')).record).toMatchObject({ name: 'till', apis: ['disputes'], version: 2 });
    expect((await edit('--disable')).record.state).toBe('disabled');
    expect((await edit('--enable', '--expires', '1h')).record.state).toBe('active');
    expect((await edit('--no-expires', '--no-name')).record).toMatchObject({ expiresAt: null, name: null });
    expect(await keyward.run('keys', 'edit', record.id)).toMatchObject({ code: 2, out: '' });
    expect(await keyward.run('keys', 'edit', record.id, '--api', 'payouts')).toMatchObject({
      ...{ code: 1, err: '--api: the account is not entitled to "payouts"\n' },
    });
  });

  it('rotates with a grace period, ends it, and revokes', async () => {
    const { record, key } = await secretKey();
    const rotated = await keyward.json<Made & { record: { secrets: { acceptedUntil: string | null }[] } }>(
      ...['keys', 'rotate', record.id, '--grace', '24h'],
    );
    expect(rotated.key).not.toBe(key);
    expect(rotated.record.secrets.map(({ acceptedUntil }) => acceptedUntil === null)).toEqual([true, false]);
    expect((await keyward.run('keys', 'end-grace', record.id)).code).toBe(0);
    // N37: the old secret is refused from now on.
    expect((await keyward.run('keys', 'view', record.id)).out).toMatch(/Z {2}ended +-/);
    expect((await keyward.run('keys', 'end-grace', record.id)).err).toBe(
      'the key has no old secret in a grace period\n',
    );
    expect((await keyward.json<Made>('keys', 'revoke', record.id)).record.state).toBe('revoked');
    expect((await keyward.run('keys', 'revoke', record.id)).err).toBe(
      'the key is revoked, and this cannot be undone; create a new key\n',
    );
  });

  it('keeps two client secrets of an access key, and the last one', async () => {
    const { record, secret } = await accessKey('--default-scope', 'payments');
    const added = await keyward.json<Made & { record: { secrets: { id: string }[] } }>(
      'access-keys',
      'add-secret',
      record.id,
    );
    expect(added.secret).not.toBe(secret);
    const [newest, oldest] = added.record.secrets.map(({ id }) => id);
    const remove = (id = '') => keyward.run('access-keys', 'delete-secret', record.id, id);
    expect((await remove(oldest)).code).toBe(0);
    expect(await remove(newest)).toMatchObject({
      code: 1,
      err: 'secret: the access key has no other credential, or only an old secret in its grace period; add a client secret or public key first, or revoke the access key\n',
    });
    const edited = await keyward.json<Made>('access-keys', 'edit', record.id, '--revoke-tokens', '--disable');
    expect(edited.record.state).toBe('disabled');
  });

  it('shows actors and actions in the audit log, also refusals', async () => {
    const { record } = await secretKey();
    await keyward.run('keys', 'edit', record.id, '--name', 'till');
    await keyward.run('keys', 'revoke', record.id);
    await keyward.run('keys', 'revoke', record.id);
    const { entries } = await keyward.json<{ entries: { action: string; outcome: string }[] }>(
      ...['audit', '--account', 'acme', '--subject', record.id],
    );
    expect(entries.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      ...['key.revoke refused', 'key.revoke done', 'key.edit done', 'key.create done'],
    ]);
    const { out } = await keyward.run('audit', '--account', 'acme', '--action', 'key.edit');
    expect(out).toContain('name: null -> "till"');
    const { out: revoked } = await keyward.run('audit', '--account', 'acme', '--action', 'key.revoke');
    // The action and its time say it already.
    expect(revoked).toMatch(/key\.revoke +done +key_\w+$/m);
  });

  it('shows the audit log of every account, page by page', async () => {
    await keyward.json('accounts', 'put', 'globex', '--api', 'payments');
    await secretKey();
    type Page = { entries: { account: string; action: string }[]; next: string | null };
    const first: Page = await keyward.json('audit', '--limit', '2');
    expect(first.next).toEqual(expect.any(String));
    const second: Page = await keyward.json('audit', '--limit', '2', '--after', first.next ?? '');
    expect(second.next).toBeNull();
    const seen = [...first.entries, ...second.entries].map(({ account, action }) => `${account} ${action}`);
    expect(seen).toEqual(['acme key.create', 'globex account.put', 'acme account.put']);
    const { out } = await keyward.run('audit', '--actor', 'nobody');
    expect(out).toBe('There are no matching entries.\n');
    expect((await keyward.run('audit')).out).toMatch(/^TIME +ACCOUNT +ACTOR .*\n\S+ \S+ +acme /);
  });

  it('warns of an account without an API', async () => {
    const { code, err } = await keyward.run('accounts', 'put', 'globex', '--scope', 'payments');
    const remedy = 'to add an API, run: keyward accounts put globex --api NAME';
    expect([code, err]).toEqual([
      0,
      `warning: this account has no APIs, so secret and public keys cannot be created for it; ${remedy}\n`,
    ]);
    expect(await keyward.run('accounts', 'put', 'globex', '--api', 'all')).toMatchObject({ code: 0, err: '' });
  });

  it('asks before it revokes on a terminal', async () => {
    const { record } = await secretKey('--name', 'till');
    const typing = async (answer: string, ...args: string[]) => {
      const [out, err]: [string[], string[]] = [[], []];
      const stdin = Object.assign(Readable.from([answer]), { isTTY: true });
      const stderr = { ...outputInto(err), isTerminal: true };
      const code = await runCli(args, { stdin, stdout: outputInto(out), stderr, env: { KEYWARD_DATABASE: place.url } });
      return { code, err: err.join('') };
    };
    const question = `Revoke the key ${record.id} "till" of the account acme? This cannot be undone. [y/N] `;
    for (const answer of ['n\n', '\n', '', 'yesterday\n']) {
      const asked = await typing(answer, 'keys', 'revoke', record.id);
      expect(asked).toEqual({ code: 1, err: `${question}the command was not confirmed, so nothing was changed\n` });
    }
    expect(await typing('y\n', 'keys', 'revoke', record.id)).toEqual({ code: 0, err: question });
    const access = await accessKey();
    expect(await typing('', 'access-keys', 'revoke', access.record.id, '--yes')).toEqual({ code: 0, err: '' });
  });

  it('disables an account, and enables it', async () => {
    expect(
      (await keyward.json<{ account: { disabledAt: string } }>('accounts', 'disable', 'acme')).account.disabledAt,
    ).toMatch(/Z$/);
    expect((await keyward.run('accounts', 'list')).out).toMatch(/acme .* disabled\n$/);
    expect(await keyward.json('accounts', 'enable', 'acme')).toMatchObject({ account: { disabledAt: null } });
  });
});
