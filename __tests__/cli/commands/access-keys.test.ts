import { createPublicKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { START } from '../../support/manual-clock.js';
import { onDatabase } from '../../support/store-database.js';
import { transcriptOnDatabase } from '../../support/transcript.js';

const keyward = transcriptOnDatabase();

interface Made {
  readonly id: string;
  readonly secret: string;
  readonly record: { readonly secrets: readonly { readonly id: string }[] };
}

/** The example of RFC 8037 appendix A.2. */
const JWK = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' } as const;

beforeEach(async () => {
  const scopes = ['--scope', 'payments', '--scope', 'payments:refund'];
  await keyward.json('accounts', 'put', 'acme', ...scopes, '--channel', 'pc_1', '--platform', 'shop');
});

const CREATE = ['access-keys', 'create', '--account', 'acme', '--scope', 'payments'];
const create = (...args: string[]) => keyward.json<Made>(...CREATE, ...args);

function file(name: string, text: string): string {
  writeFileSync(join(keyward.folder, name), text);
  return join(keyward.folder, name);
}

/** Asks the question of a command: the answer is first no, then yes. */
async function asked(...args: string[]): Promise<string> {
  return `${await keyward.runWith('n\n', args, true)}\n${await keyward.runWith('y\n', args, true)}`;
}

describe('the whole output of keyward access-keys', () => {
  it('create, with the defaults and with every setting', async () => {
    expect(await keyward.both(...CREATE)).toMatchSnapshot();
    expect(await keyward.run('access-keys', 'create', '--account', 'acme')).toMatchSnapshot();
    expect(
      await keyward.both(
        ...[...CREATE, '--scope', 'payments:refund', '--default-scope', 'payments', '--environment', 'sandbox'],
        ...['--require-confirmation', 'any', '--name', 'Till', '--channel', 'pc_1', '--platform', 'shop'],
        ...['--expires', '2030-01-01', '--metadata', 'a=1', '--allow-address', '192.0.2.0/24', '--limit', '5/1m'],
      ),
    ).toMatchSnapshot();
  });

  it('edit, which changes and removes settings', async () => {
    const { id } = await create('--scope', 'payments:refund');
    expect(
      await keyward.both(
        ...['access-keys', 'edit', id, '--scope', 'payments', '--default-scope', 'payments', '--disable'],
        ...['--require-confirmation', 'dpop', '--revoke-tokens', '--name', 'Till'],
      ),
    ).toMatchSnapshot();
    expect(
      await keyward.both('access-keys', 'edit', id, '--no-require-confirmation', '--enable', '--no-name'),
    ).toMatchSnapshot();
  });

  it('add-secret, rotate, end-grace and delete-secret', async () => {
    const { id } = await create();
    expect(await keyward.run('access-keys', 'add-secret', id)).toMatchSnapshot();
    const { record } = await keyward.json<Made>('access-keys', 'view', id);
    const [newest = '', oldest = ''] = record.secrets.map((secret) => secret.id);
    expect(await keyward.both('access-keys', 'delete-secret', id, oldest)).toMatchSnapshot();
    expect(await keyward.run('access-keys', 'delete-secret', id, newest)).toMatchSnapshot();
    expect(await keyward.run('access-keys', 'add-secret', id, '--json')).toMatchSnapshot();
    expect(await keyward.both('access-keys', 'rotate', id, '--grace', '24h')).toMatchSnapshot();
    expect(await keyward.both('access-keys', 'end-grace', id)).toMatchSnapshot();
  });

  it('add-public-key, view and remove-public-key', async () => {
    const { id } = await create();
    const jwk = file('client.json', JSON.stringify({ ...JWK, kid: '2026-11' }));
    const pem = createPublicKey({ key: JWK, format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString();
    expect(await keyward.run('access-keys', 'add-public-key', id, jwk)).toMatchSnapshot();
    expect(await keyward.both('access-keys', 'add-public-key', id, jwk)).toMatchSnapshot();
    expect(await keyward.run('access-keys', 'add-public-key', id, file('client.pem', pem), '--json')).toMatchSnapshot();
    await onDatabase(
      keyward.url,
      `update public_keys set last_used_at = ${START}, last_used_from = '192.0.2.7' where kid = '2026-11'`,
    );
    expect(await keyward.both('access-keys', 'view', id)).toMatchSnapshot();
    expect(await keyward.both('access-keys', 'remove-public-key', id, '2026-11')).toMatchSnapshot();
  });

  it('add-public-key with a wrong file', async () => {
    const { id } = await create();
    const add = (path: string) => keyward.run('access-keys', 'add-public-key', id, path);
    expect(await add(join(keyward.folder, 'none.pem'))).toMatchSnapshot();
    expect(await add(keyward.folder)).toMatchSnapshot();
    expect(await add(file('notes.txt', 'no key'))).toMatchSnapshot();
    expect(await add(file('large.pem', 'x'.repeat(16_385)))).toMatchSnapshot();
    expect(await add(file('private.json', JSON.stringify({ ...JWK, d: JWK.x })))).toMatchSnapshot();
  });

  it('list, usage and revoke', async () => {
    expect(await keyward.both('access-keys', 'list', '--account', 'acme')).toMatchSnapshot();
    const { id } = await create('--name', 'Till');
    expect(await keyward.both('access-keys', 'list', '--account', 'acme')).toMatchSnapshot();
    expect(
      await keyward.run('access-keys', 'usage', id, '--from', '2027-01-14', '--to', '2027-01-15'),
    ).toMatchSnapshot();
    expect(await keyward.both('access-keys', 'revoke', id)).toMatchSnapshot();
  });

  it('for an ID that does not exist, and for a key of the other group', async () => {
    await keyward.json('accounts', 'put', 'acme', '--api', 'payments');
    const { record } = await keyward.json<{ record: { id: string } }>(
      ...['keys', 'create', '--account', 'acme', '--kind', 'secret', '--api', 'payments'],
    );
    for (const command of ['view', 'rotate', 'revoke', 'end-grace']) {
      expect(await keyward.run('access-keys', command, record.id)).toMatchSnapshot();
    }
    for (const args of [['usage'], ['edit', '--name', 'x'], ['add-secret'], ['delete-secret', 'x']]) {
      const [command = '', ...more] = args;
      expect(await keyward.run('access-keys', command, 'ack_none', ...more)).toMatchSnapshot();
    }
    const access = await create();
    expect(await keyward.both('keys', 'view', access.id)).toMatchSnapshot();
  });
});

describe('a question on a terminal', () => {
  it('is asked before tokens, secrets, public keys and the access key are lost', async () => {
    const { id } = await create('--name', 'Till');
    expect(await asked('access-keys', 'edit', id, '--revoke-tokens')).toMatchSnapshot();
    await keyward.json(
      'access-keys',
      'add-public-key',
      id,
      file('client.json', JSON.stringify({ ...JWK, kid: 'one' })),
    );
    expect(await asked('access-keys', 'remove-public-key', id, 'one')).toMatchSnapshot();
    const { record } = await keyward.json<Made>('access-keys', 'add-secret', id);
    expect(await asked('access-keys', 'delete-secret', id, record.secrets[1]?.id ?? '')).toMatchSnapshot();
    expect(await asked('access-keys', 'rotate', id)).toMatchSnapshot();
    await keyward.json('access-keys', 'rotate', id, '--grace', '1h');
    expect(await asked('access-keys', 'end-grace', id)).toMatchSnapshot();
    expect(await asked('access-keys', 'revoke', id)).toMatchSnapshot();
  });
});

describe('the whole output of keyward keys find for a client secret', () => {
  const find = async (secret: string) =>
    `${await keyward.runWith(`${secret}\n`, ['keys', 'find', '-'])}\n${await keyward.runWith(secret, ['keys', 'find', '-', '--json'])}`;

  it('that is the only one, one of two, deleted, and in its grace period', async () => {
    const { id, secret, record } = await create();
    expect(await find(secret)).toMatchSnapshot();
    const added = await keyward.json<Made>('access-keys', 'add-secret', id);
    expect(await find(secret)).toMatchSnapshot();
    await keyward.json('access-keys', 'delete-secret', id, record.secrets[0]?.id ?? '');
    expect(await find(secret)).toMatchSnapshot();
    await keyward.json('access-keys', 'rotate', id, '--grace', '1h');
    expect(await find(added.secret)).toMatchSnapshot();
  });
});
