import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { keywardFormat } from '../../lib/credentials/api-key.js';
import { type CommandLine, commandLine } from '../support/command-line.js';
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

  it('shows an account as it was put, and changes what is said alone', async () => {
    const { account } = await keyward.json<{ account: object }>('accounts', 'put', 'acme', '--platform', 'shop');
    expect(account).toMatchObject({ id: 'acme', apis: ['payments', 'disputes'], platforms: ['shop'], version: 2 });
    expect(await keyward.json('accounts', 'view', 'acme')).toEqual({ account });
    expect(await keyward.json('accounts', 'list')).toEqual({ accounts: [account] });
  });

  it('prints the text of a new key this once', async () => {
    const { key, record } = await secretKey('--name', 'till', '--environment', 'sandbox');
    expect(keywardFormat.read(key ?? '')).toMatchObject({ kind: 'secret', environment: 'sandbox' });
    expect(record).toMatchObject({ name: 'till', apis: ['payments'], state: 'active', version: 1 });
    const { out } = await keyward.run('keys', 'view', record.id);
    expect(out).toContain('till');
    expect(out).not.toContain(key);
  });

  it('prints Identifier and Secret of a new access key', async () => {
    const { id, secret, record } = await accessKey();
    expect(record.id).toBe(id);
    expect(secret).toMatch(/^[\w-]{86}$/);
    expect(record).toMatchObject({ kind: 'access', scopes: ['payments'], defaultScopes: ['payments'] });
  });

  it('prints for people what it prints for programs', async () => {
    const key = await keyward.run('keys', 'create', '--account', 'acme', '--kind', 'secret', '--api', 'all');
    expect(key).toMatchObject({ code: 0, err: '' });
    expect(key.out).toMatch(/\nKey {9}sk_[a-z2-7]{27}\nIt is shown this once\.\n$/);
    const access = await keyward.run('access-keys', 'create', '--account', 'acme', '--scope', 'payments');
    expect(access.out).toMatch(/\nIdentifier {2}ack_[a-z2-7]{26}\nSecret {6}[\w-]{86}\nIt is shown this once\.\n$/);
    const shop = await keyward.run('keys', 'create', '--account', 'acme', '--kind', 'public', '--api', 'payments');
    expect(shop.out).toMatch(/\nKey {9}pk_[a-z2-7]{27}\n$/);
    const list = await keyward.run('keys', 'list', '--account', 'acme');
    expect(list.out.split('\n')[0]).toMatch(/^ID +KIND +ENVIRONMENT +STATE +HINT +REACH +LAST USED +EXPIRES +NAME$/);
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
    const told = await keyward.run('keys', 'list', '--account', 'acme', '--limit', '1');
    expect(told.out).toMatch(/\nThere are more\. Add: --after \S+\n$/);
  });

  it('edits what is said, and leaves the rest', async () => {
    const { record } = await secretKey('--name', 'till');
    const edit = (...args: string[]) => keyward.json<Made>('keys', 'edit', record.id, ...args);
    expect((await edit('--api', 'disputes')).record).toMatchObject({ name: 'till', apis: ['disputes'], version: 2 });
    expect((await edit('--disable')).record.state).toBe('disabled');
    expect((await edit('--enable', '--expires', '1h')).record.state).toBe('active');
    expect((await edit('--no-expires', '--no-name')).record).toMatchObject({ expiresAt: null, name: null });
    expect(await keyward.run('keys', 'edit', record.id)).toMatchObject({ code: 2, out: '' });
    expect(await keyward.run('keys', 'edit', record.id, '--api', 'payouts')).toMatchObject({
      ...{ code: 1, err: '--api: the account does not have payouts\n' },
    });
  });

  it('rolls with a grace period, ends it, and revokes', async () => {
    const { record, key } = await secretKey();
    const rolled = await keyward.json<Made & { record: { secrets: { retiresAt: string | null }[] } }>(
      ...['keys', 'roll', record.id, '--grace', '24h'],
    );
    expect(rolled.key).not.toBe(key);
    expect(rolled.record.secrets.map(({ retiresAt }) => retiresAt === null)).toEqual([true, false]);
    expect((await keyward.run('keys', 'end-grace', record.id)).code).toBe(0);
    expect((await keyward.run('keys', 'end-grace', record.id)).err).toBe('no rolled key is in its grace period\n');
    expect((await keyward.json<Made>('keys', 'revoke', record.id)).record.state).toBe('revoked');
    expect((await keyward.run('keys', 'revoke', record.id)).err).toBe('the key was deleted; that is final\n');
  });

  it('keeps two Secrets of an access key, and the last one', async () => {
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
      err: 'secret: the last one cannot be deleted; delete the key\n',
    });
    const edited = await keyward.json<Made>('access-keys', 'edit', record.id, '--revoke-tokens', '--disable');
    expect(edited.record.state).toBe('disabled');
  });

  it('tells in the audit who did what, refusals too', async () => {
    const { record } = await secretKey();
    await keyward.run('keys', 'edit', record.id, '--name', 'till');
    await keyward.run('keys', 'revoke', record.id);
    await keyward.run('keys', 'revoke', record.id);
    const { entries } = await keyward.json<{ entries: { action: string; outcome: string }[] }>(
      ...['audit', '--account', 'acme', '--subject', record.id],
    );
    expect(entries.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      ...['key.delete refused', 'key.delete done', 'key.edit done', 'key.create done'],
    ]);
    const { out } = await keyward.run('audit', '--account', 'acme', '--action', 'key.edit');
    expect(out).toContain('name: null -> "till"');
  });

  it('disables an account, and enables it', async () => {
    expect(
      (await keyward.json<{ account: { disabledAt: string } }>('accounts', 'disable', 'acme')).account.disabledAt,
    ).toMatch(/Z$/);
    expect((await keyward.run('accounts', 'list')).out).toMatch(/acme .* disabled\n$/);
    expect(await keyward.json('accounts', 'enable', 'acme')).toMatchObject({ account: { disabledAt: null } });
  });
});
