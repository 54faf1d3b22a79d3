import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mintKey } from '../../lib/credentials/keyward-format.js';
import { type CommandLine, commandLine, type Ran, typing } from '../support/command-line.js';
import { onDatabase } from '../support/store-database.js';
import { placesOf, sharedEngines, type TestPlace } from '../support/test-stores.js';

interface Made {
  readonly key: string;
  readonly id: string;
  readonly secret: string;
  readonly record: { readonly id: string; readonly secrets: readonly { readonly id: string; readonly hint: string }[] };
}

describe.each(sharedEngines)('keyward keys find on %s', (engine) => {
  let place: TestPlace;
  let keyward: CommandLine;

  beforeEach(async () => {
    place = await placesOf[engine]();
    keyward = commandLine(place);
    await keyward.json('accounts', 'put', 'acme', '--api', 'payments', '--scope', 'payments');
  });

  afterEach(() => place.remove());

  const create = () =>
    keyward.json<Made>(
      ...['keys', 'create', '--account', 'acme', '--kind', 'secret', '--api', 'payments', '--name', 'till'],
    );
  const createAccessKey = () => keyward.json<Made>('access-keys', 'create', '--account', 'acme', '--scope', 'payments');
  const find = (secret: string, ...args: string[]): Promise<Ran> =>
    commandLine(place, `${secret}\n`).run('keys', 'find', '-', ...args);

  it('prints the key, its account and the command that revokes it', async () => {
    const { key, record } = await create();
    const { code, out, err } = await find(key);
    const [secret] = record.secrets;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.split('\n')).toEqual([
      `id           ${record.id}`,
      'kind         secret',
      'account      acme',
      'environment  live',
      'name         till',
      'state        active',
      `secret       ${secret?.hint} (${secret?.id}), current`,
      'last used    -',
      `To revoke the key, run: keyward keys revoke ${record.id}`,
      '',
    ]);
  });

  it('finds a secret that was deleted', async () => {
    const { secret, id, record } = await createAccessKey();
    await keyward.run('access-keys', 'add-secret', id);
    const [first] = record.secrets;
    await keyward.run('access-keys', 'delete-secret', id, first?.id ?? '', '--yes');
    // Only the last few ended secrets stay; this is what happens to older ones.
    const ended = `from secrets where ended_at is not null`;
    await onDatabase(place.url, `insert into ended_digests (digest, key_id) select digest, key_id ${ended}`);
    await onDatabase(place.url, `delete ${ended}`);
    const { code, out } = await find(secret);
    expect(code).toBe(0);
    expect(out).toMatch(/^secret +deleted$/m);
    expect(out).toMatch(/^last used +-\nThis secret is no longer accepted\.\n$/m);
    expect(JSON.parse((await find(secret, '--json')).out)).toMatchObject({ secret: null, revoke: null });
  });

  it('prints the same as JSON', async () => {
    const { key, record } = await create();
    const found = JSON.parse((await find(key, '--json')).out);
    expect(found).toEqual({ record, secret: record.secrets[0], revoke: `keyward keys revoke ${record.id}` });
  });

  it('finds a client secret, also one that was deleted', async () => {
    const { id, secret, record } = await createAccessKey();
    expect((await find(secret)).out).toMatch(
      new RegExp(`\nTo revoke the key, run: keyward access-keys revoke ${id}\n$`),
    );
    await keyward.json('access-keys', 'add-secret', id);
    expect((await find(secret)).out).toMatch(
      new RegExp(
        `\nTo delete only this client secret, run: keyward access-keys delete-secret ${id} ${record.secrets[0]?.id}\nTo revoke the whole key, run: keyward access-keys revoke ${id}\n$`,
      ),
    );
    await keyward.json('access-keys', 'delete-secret', id, record.secrets[0]?.id ?? '');
    const { out } = await find(secret);
    expect(out).toMatch(new RegExp(`^id +${id}\n`));
    expect(out).toMatch(/\nstate +active\nsecret +.*\nlast used +-\nThis secret is no longer accepted\.\n$/);
  });

  it.each(['keys', 'access-keys'])(
    'finds an old secret of %s in its grace period, and says how to refuse only this one',
    async (group) => {
      const { key, secret, record } = group === 'keys' ? await create() : await createAccessKey();
      await keyward.json(group, 'rotate', record.id, '--grace', '7d');
      expect((await find(key ?? secret)).out).toMatch(
        new RegExp(
          `, in its grace period\n.*\nTo end the grace period of this old secret, run: keyward ${group} end-grace ${record.id}\nTo revoke the whole key, run: keyward ${group} revoke ${record.id}\n$`,
        ),
      );
    },
  );

  it('offers to delete a client secret if a public key is left, but not if only an old secret is left', async () => {
    const { id } = await createAccessKey();
    const { secret } = await keyward.json<Made>('access-keys', 'rotate', id, '--grace', '7d');
    expect((await find(secret)).out).toMatch(
      new RegExp(`, current\nlast used +-\nTo revoke the key, run: keyward access-keys revoke ${id}\n$`),
    );
    const folder = mkdtempSync(join(tmpdir(), 'keyward-find-'));
    const { publicKey } = generateKeyPairSync('ed25519');
    writeFileSync(join(folder, 'client.json'), JSON.stringify(publicKey.export({ format: 'jwk' })));
    await keyward.json('access-keys', 'add-public-key', id, join(folder, 'client.json'));
    rmSync(folder, { recursive: true });
    expect((await find(secret)).out).toMatch(
      new RegExp(
        `\nTo delete only this client secret, run: keyward access-keys delete-secret ${id} \\w+\nTo revoke the whole key, run: keyward access-keys revoke ${id}\n$`,
      ),
    );
  });

  it('says how to revoke an expired key, because its expiration date can be extended', async () => {
    const { key, record } = await create();
    const { id } = record;
    await onDatabase(place.url, `update keys set expires_at = 1 where id = '${id}'`);
    const { out } = await find(key);
    expect(out).toContain(
      'The key has expired, but this secret will be accepted again if the expiration date is extended.',
    );
    expect(out).toContain(`To revoke the key, run: keyward keys revoke ${id}`);
  });

  it('says that an expired key that is also disabled must also be enabled', async () => {
    const { key, record } = await create();
    await keyward.json('keys', 'edit', record.id, '--disable');
    await onDatabase(place.url, `update keys set expires_at = 1 where id = '${record.id}'`);
    expect((await find(key)).out).toContain(
      '\nThe key has expired and is disabled, but this secret will be accepted again if the expiration date is extended and the key is enabled.\n',
    );
  });

  it('says whether an old secret of an expired key could be accepted again', async () => {
    const { key, record } = await create();
    const { id } = record;
    await keyward.json('keys', 'rotate', id, '--grace', '7d');
    await onDatabase(place.url, `update keys set expires_at = 2 where id = '${id}'`);
    expect((await find(key)).out).toContain(`To revoke the key, run: keyward keys revoke ${id}`);
    await onDatabase(place.url, `update secrets set retires_at = 1 where key_id = '${id}' and retires_at is not null`);
    expect((await find(key)).out).toMatch(/\nThis secret is no longer accepted\.\n$/);
  });

  it('says that a secret that was replaced after its key expired is no longer accepted', async () => {
    const { key, record } = await create();
    await onDatabase(place.url, `update keys set expires_at = 1 where id = '${record.id}'`);
    await onDatabase(place.url, `update secrets set ended_at = 2 where key_id = '${record.id}'`);
    expect((await find(key)).out).toMatch(/\nThis secret is no longer accepted\.\n$/);
  });

  it('says that the secret of a revoked key is refused already', async () => {
    const { key, record } = await create();
    await keyward.json('keys', 'revoke', record.id);
    expect((await find(key)).out).toMatch(/\nstate +revoked\n.*, ended\n.*\nThis secret is no longer accepted\.\n$/s);
    expect(JSON.parse((await find(key, '--json')).out).revoke).toBeNull();
  });

  it('finds an imported key, which has another format', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'keyward-find-'));
    const former = 'acme_live_0123456789';
    writeFileSync(
      join(folder, 'keys.csv'),
      `digest,kind,apis\n${createHash('sha256').update(former).digest('hex')},secret,all\n`,
    );
    await keyward.json('keys', 'import', join(folder, 'keys.csv'), '--account', 'acme');
    rmSync(folder, { recursive: true });
    expect((await find(former)).out).toMatch(/^id +key_\w+\nkind +secret\naccount +acme\n/);
  });

  it.each([
    [mintKey('secret', 'live'), 'check that the secret is complete, and that this is the right database'],
    ['sk_abc', 'the secret is mistyped or incomplete'],
  ])('ends with 1 if there is no such key, and does not print it: %s', async (secret, why) => {
    const { code, out, err } = await find(secret);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(new RegExp(`^there is no key with this secret in \\S+; ${why}\n$`));
    expect(err).not.toContain(secret);
  });

  it('refuses a secret in its arguments, and does not print it', async () => {
    const { key } = await create();
    const { code, out, err } = await keyward.run('keys', 'find', key);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(
      /^do not pass the secret as an argument, because other users can see it; pass "-" and provide .*$/m,
    );
    expect(err).not.toContain(key);
  });

  it('refuses an empty input', async () => {
    expect(await find('')).toMatchObject({ code: 2, err: 'expected a key or a client secret on standard input\n' });
  });

  it('tells a person at a terminal to paste the secret', async () => {
    const { key } = await create();
    expect(await typing(place, `${key}\n`, ['keys', 'find', '-'])).toMatchObject({
      ...{ code: 0, err: 'Paste the key or the client secret, press Enter, and then press Ctrl-D.\n' },
    });
  });
});
