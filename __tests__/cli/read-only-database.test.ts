import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openDatabase } from '../../lib/cli/database.js';
import { chooseAccount } from '../../lib/cli/serve/served-dashboard.js';
import { commandLine } from '../support/command-line.js';
import { onFastClock } from '../support/fast-clock.js';
import { onDatabase } from '../support/store-database.js';
import { makeStores, type Stores } from '../support/store-places.js';
import { onServer, POSTGRES } from '../support/test-stores.js';

onServer('commands on a PostgreSQL server that is read-only, as after a failover', () => {
  let stores: Stores;
  let role: string;
  let url: string;
  let key: { readonly key: string; readonly record: { readonly id: string } };

  beforeAll(async () => {
    stores = await makeStores('PostgreSQL');
    const writable = commandLine(stores);
    await writable.json('accounts', 'put', 'acme', '--api', 'payments');
    key = await writable.json('keys', 'create', '--account', 'acme', '--kind', 'secret', '--api', 'payments');
    role = `role_${randomBytes(6).toString('hex')}`;
    await onDatabase(
      POSTGRES ?? '',
      `create role ${role} superuser login password 'none'`,
      `alter role ${role} set default_transaction_read_only = on`,
    );
    url = Object.assign(new URL(stores.url), { username: role, password: 'none' }).href;
  });

  afterAll(async () => {
    await stores.close();
    await onDatabase(POSTGRES ?? '', `drop role ${role}`);
  });

  it.each([
    ['accounts', 'list'],
    ['accounts', 'view', 'acme'],
    ['keys', 'list', '--account', 'acme'],
    ['keys', 'view', 'KEY'],
    ['keys', 'usage', 'KEY'],
    ['access-keys', 'list', '--account', 'acme'],
    ['audit', '--account', 'acme'],
    ['signing-keys', 'list'],
    ['keys', 'find', '-'],
  ])('only read, so they work: %s %s', async (...args) => {
    const given = args.map((arg) => (arg === 'KEY' ? key.record.id : arg));
    expect(await commandLine({ url }, key.key).run(...given)).toMatchObject({ code: 0, err: '' });
  });

  it.each([
    ['a database with tables', ''],
    ['a database without tables', `test_${randomBytes(6).toString('hex')}`],
  ])('write, so the error says that it is read-only: %s', async (_what, schema) => {
    const other = new URL(url);
    if (schema !== '') other.searchParams.set('schema', schema);
    const { code, out, err } = await onFastClock(() =>
      commandLine({ url: other.href }).run('keys', 'revoke', key.record.id),
    );
    expect([code, out]).toEqual([3, '']);
    expect(err).toMatch(/^the database postgres:\S+ is read-only, probably because it is a standby; use the /);
  });

  it('a key of the other group is not found', async () => {
    const { code, err } = await commandLine({ url }).run('access-keys', 'view', key.record.id);
    expect([code, err]).toEqual([1, expect.stringMatching(/^there is no access key "key_\w+" in postgres:/)]);
  });

  it('serve waits, and says that the database may be read-only', async () => {
    const database = { url, source: '--database', name: 'DB' };
    const store = await openDatabase(database);
    const choice = await chooseAccount({ dashboard: true }, store, database);
    await store.close();
    expect(choice).toEqual({ state: 'waiting', reason: 'the database DB cannot be reached, or is read-only' });
  });
});
