import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type CommandLine, commandLine } from '../support/command-line.js';
import { onDatabase } from '../support/store-database.js';
import { placesOf, type TestPlace } from '../support/test-stores.js';

interface Made {
  readonly record: { readonly id: string; readonly hint: string; readonly secrets: readonly { readonly id: string }[] };
}

let place: TestPlace;
let keyward: CommandLine;
let folder: string;

beforeEach(async () => {
  place = await placesOf.SQLite();
  keyward = commandLine(place);
  folder = mkdtempSync(join(tmpdir(), 'keyward-tables-'));
  await keyward.json(
    ...['accounts', 'put', 'acme', '--api', 'payments', '--api', 'disputes', '--scope', 'payments'],
    ...['--scope', 'payments:refund', '--channel', 'pc_1', '--platform', 'shop'],
  );
});

afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await place.remove();
});

const create = (...args: string[]) =>
  keyward.json<Made>('keys', 'create', '--account', 'acme', '--kind', 'secret', '--api', 'payments', ...args);
const createAccessKey = (...args: string[]) =>
  keyward.json<Made>('access-keys', 'create', '--account', 'acme', '--scope', 'payments', ...args);

/** A time in 2026, as a column of the database and as it is printed. */
const timeOf = (day: number) => Date.UTC(2026, 0, day, 12, 30, 15);
const printed = (day: number) => `2026-01-${String(day).padStart(2, '0')} 12:30:15Z`;

/** The tables that a command prints, each as its rows of cells; fields such as `id` are a table of two columns. */
async function tablesOf(...args: string[]): Promise<readonly (readonly (readonly string[])[])[]> {
  const { code, out, err } = await keyward.run(...args);
  expect([code, err]).toEqual([0, '']);
  return out
    .trimEnd()
    .split('\n\n')
    .map((table) => table.split('\n').map((line) => line.split(/ {2,}/)));
}

describe('a table has each value below its heading:', () => {
  it('the secrets of a key, with the time and the address of the last use', async () => {
    const { record } = await create();
    const rotated = await keyward.json<Made>('keys', 'rotate', record.id, '--grace', '1h');
    const [young, old] = rotated.record.secrets.map(({ id }) => id);
    await onDatabase(
      place.url,
      `update secrets set created_at = ${timeOf(2)} where retires_at is null`,
      `update secrets set created_at = ${timeOf(1)}, retires_at = ${Date.UTC(2099, 0, 31)}, last_used_at = ${timeOf(3)}, last_used_from = '203.0.113.9' where retires_at is not null`,
    );
    const [, secrets] = await tablesOf('keys', 'view', record.id);
    expect(secrets).toEqual([
      ['SECRET', 'HINT', 'CREATED', 'ACCEPTED UNTIL', 'LAST USED', 'FROM'],
      [young, rotated.record.hint, printed(2), '-', '-', '-'],
      [old, record.hint, printed(1), '2099-01-31 00:00:00Z', printed(3), '203.0.113.9'],
    ]);
  });

  it('the public keys of an access key', async () => {
    const { record } = await createAccessKey();
    for (const name of ['one', 'two']) {
      const { publicKey } = generateKeyPairSync('ed25519');
      const jwk = { ...publicKey.export({ format: 'jwk' }), kid: name };
      writeFileSync(join(folder, name), JSON.stringify(jwk));
      expect((await keyward.run('access-keys', 'add-public-key', record.id, join(folder, name))).code).toBe(0);
    }
    await onDatabase(
      place.url,
      `update public_keys set created_at = ${timeOf(1)}, last_used_at = ${timeOf(3)}, last_used_from = '2001:db8::7' where kid = 'one'`,
      `update public_keys set created_at = ${timeOf(2)} where kid = 'two'`,
    );
    const [, , publicKeys] = await tablesOf('access-keys', 'view', record.id);
    expect(publicKeys).toEqual([
      ['KID', 'TYPE', 'ADDED', 'LAST USED', 'FROM'],
      ['two', 'Ed25519', printed(2), '-', '-'],
      ['one', 'Ed25519', printed(1), printed(3), '2001:db8::7'],
    ]);
  });

  it('keys and access keys of a list', async () => {
    const { record } = await create(
      ...['--scope', 'payments:refund', '--expires', '2099-01-31', '--name', 'Till', '--environment', 'sandbox'],
    );
    const access = await createAccessKey('--scope', 'payments:refund');
    await onDatabase(place.url, `update keys set used_at = ${timeOf(3)} where id = '${record.id}'`);
    const headings = [...['ID', 'KIND', 'ENVIRONMENT', 'STATE', 'HINT', 'APIS', 'LAST USED', 'EXPIRES', 'NAME']];
    expect(await tablesOf('keys', 'list', '--account', 'acme')).toEqual([
      [
        headings,
        [
          ...[record.id, 'secret', 'sandbox', 'active', record.hint, 'payments', printed(3)],
          ...['2099-01-31 00:00:00Z', 'Till'],
        ],
      ],
    ]);
    expect(await tablesOf('access-keys', 'list', '--account', 'acme')).toEqual([
      [
        headings.map((heading) => (heading === 'APIS' ? 'SCOPES' : heading)),
        [access.record.id, 'access', 'live', 'active', access.record.hint, 'payments payments:refund', '-', '-', '-'],
      ],
    ]);
  });

  it('accounts, with the time at which one was disabled', async () => {
    await keyward.run('accounts', 'put', 'globex', '--api', 'all');
    await keyward.run('accounts', 'disable', 'acme');
    expect(await tablesOf('accounts', 'list')).toEqual([
      [
        ['ID', 'APIS', 'SCOPES', 'STATE'],
        ['acme', 'payments disputes', 'payments payments:refund', 'disabled'],
        ['globex', 'all', 'none', 'active'],
      ],
    ]);
    await onDatabase(place.url, `update accounts set created_at = ${timeOf(1)}, disabled_at = ${timeOf(2)}`);
    const [fields = []] = await tablesOf('accounts', 'view', 'acme');
    expect(fields.slice(-2)).toEqual([
      ['created', printed(1)],
      ['disabled', printed(2)],
    ]);
  });

  it('signing keys, with the time at which one was retired', async () => {
    await keyward.run('migrate');
    const row = (number: number, kid: string, created: number, retired: number | null) =>
      `(${number}, '${kid}', 'ES256', ${timeOf(created)}, 'x', ${retired === null ? 'null' : timeOf(retired)})`;
    await onDatabase(
      place.url,
      `insert into signing_keys (number, kid, alg, created_at, jwe, retired_at) values ${row(1, 'old', 1, 3)}, ${row(2, 'young', 2, null)}`,
    );
    expect(await tablesOf('signing-keys', 'list')).toEqual([
      [
        ['KID', 'ALGORITHM', 'STATE', 'CREATED', 'RETIRED'],
        ['old', 'ES256', 'retired', printed(1), printed(3)],
        ['young', 'ES256', 'signing', printed(2), '-'],
      ],
    ]);
  });

  it('the entries of the audit log, with the address of the member', async () => {
    const changes = [`'{"name":"Till"}', '{"name":"Shop"}'`, `null, '{"refused":"not_found"}'`];
    const rows = changes.map(
      (change, at) =>
        `('id_${at}', ${timeOf(1 + at)}, 'acme', 'ada', 'owner', 'key.edit', '${['done', 'refused'][at]}', 'key_1', ${change}, '203.0.113.9')`,
    );
    await onDatabase(
      place.url,
      `insert into audit (id, at, account, actor, role, action, outcome, subject, before, after, origin) values ${rows}`,
    );
    const entry = ['ada', 'owner', '203.0.113.9', 'key.edit'];
    expect(await tablesOf('audit', '--account', 'acme', '--actor', 'ada')).toEqual([
      [
        ['TIME', 'ACTOR', 'ROLE', 'ADDRESS', 'ACTION', 'OUTCOME', 'SUBJECT', 'CHANGES'],
        [printed(2), ...entry, 'refused', 'key_1', 'not_found'],
        [printed(1), ...entry, 'done', 'key_1', 'name: "Till" -> "Shop"'],
      ],
    ]);
    const [[headings, first] = []] = await tablesOf('audit', '--actor', 'ada');
    expect([headings?.[1], first?.slice(0, 3)]).toEqual(['ACCOUNT', [printed(2), 'acme', 'ada']]);
  });
});

it('a revoked key is shown with the times of its expiry and its revocation', async () => {
  const { record } = await create('--expires', '2099-01-31');
  await keyward.run('keys', 'revoke', record.id);
  await onDatabase(place.url, `update keys set created_at = ${timeOf(1)}, revoked_at = ${timeOf(2)}`);
  const [fields = []] = await tablesOf('keys', 'view', record.id);
  const shown = new Map(fields.map(([name = '', value]) => [name, value]));
  expect(['state', 'expires', 'revoked'].map((name) => shown.get(name))).toEqual([
    ...['revoked', '2099-01-31 00:00:00Z', printed(2)],
  ]);
  expect(shown.get('created')).toMatch(new RegExp(`^${printed(1)} by cli:`));
});
