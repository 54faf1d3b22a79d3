import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type CredentialStore, openStore } from 'keyward/store';
import type { RepositoryTransaction } from '../../lib/store/repository/repository.js';
import { canariesOf, printed } from '../support/canaries.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { onDatabase, schemaOf } from '../support/store-database.js';
import { makeStores, type Stores, storeKey } from '../support/store-places.js';
import { eventually } from '../support/store-wait.js';
import { keyRow, secretRow } from '../support/stored-rows.js';
import { engines, onServer, POSTGRES } from '../support/test-stores.js';

const CANARY = `canary${randomBytes(12).toString('hex')}`;
const PASSWORD = `password${randomBytes(12).toString('hex')}`;
type Statement = [what: string, work: (tx: RepositoryTransaction) => Promise<unknown>];

const heardIn = (value: unknown) => canariesOf([CANARY, PASSWORD]).heardIn(printed(value));

let events: Eavesdropper;

beforeEach(() => {
  events = eavesdrop();
});

afterEach(() => events.stop());

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => error,
  );

describe.each(engines)('errors of a store in %s when a statement fails', (engine) => {
  let stores: Stores;
  let store: CredentialStore;

  beforeEach(async () => {
    stores = await makeStores(engine);
    store = await stores.open({ encryptionKey: randomBytes(32) });
    await storeKey(store, { id: CANARY });
  });

  afterEach(() => stores.close());

  const ofPostgres: Statement[] = [
    ['a value is none of its column', (tx) => tx.insertKey(keyRow({ created_at: CANARY as never, name: CANARY }), [])],
    ['a text has a NUL', (tx) => tx.insertKey(keyRow({ name: `${CANARY}\0` }), [])],
  ];
  it.each<Statement>([
    ['a row of that key is there', (tx) => tx.insertKey(keyRow({ id: CANARY, name: CANARY }), [])],
    ['a check forbids a value', (tx) => tx.insertKey(keyRow({ kind: CANARY as 'secret', name: CANARY }), [])],
    ['a column may not be empty', (tx) => tx.insertKey(keyRow({ name: CANARY, created_by: null as never }), [])],
    ['another row is missing', (tx) => tx.insertSecret(secretRow(CANARY + CANARY, CANARY, { hint: CANARY }))],
    ...(engine === 'PostgreSQL' ? ofPostgres : []),
  ])('L07 %s: no value is in the error', async (_what, work) => {
    const failure = await failureOf(store.repository.transact(work));
    expect(heardIn(failure)).toEqual([]);
    expect(failure).toMatchObject({ name: 'StoreError' });
    expect(failure).not.toHaveProperty('detail');
  });
});

const URLS = [
  `postgre://ada:${PASSWORD}@db.test/keys`,
  `redis://:${PASSWORD}@cache.test:6379/0`,
  `postgres://ada:${PASSWORD}@db.test:port/keys`,
  `postgres://ada:${PASSWORD}@[::1/keys`,
  `postgres://ada:${PASSWORD}@db.test/keys?schema=Not-A-Schema`,
  `mysql://ada:${PASSWORD}@db.test/keys`,
  PASSWORD,
];

describe('errors of a store about its URL', () => {
  it.each(URLS)('L07 an invalid URL: its password is not in the error (%#)', async (url) => {
    const failure = await failureOf(openStore(url));
    expect(failure).toBeInstanceOf(TypeError);
    expect(heardIn(failure)).toEqual([]);
  });

  it('L07 an unreachable server: the password is neither in an event nor in a failed lookup', async () => {
    const store = await openStore(`postgres://ada:${PASSWORD}@127.0.0.1:1/keys`);
    const failure = await failureOf(Promise.resolve(store.resolveAccessKey(CANARY)));
    await eventually(() => events.heard('keyward:store').length > 0);
    expect(failure).toMatchObject({ code: 'store_unavailable', driverCode: 'ECONNREFUSED' });
    expect(heardIn([failure, events.heard(), store, await store.ready()])).toEqual([]);
    await store.close();
  });

  it.each([`a${CANARY}`, Buffer.from(CANARY), [CANARY], null])(
    'L11 an invalid encryptionKey is not printed (%#)',
    async (key) => {
      const failure = await failureOf(openStore('memory:', { encryptionKey: key as string }));
      expect(failure).toBeInstanceOf(TypeError);
      expect(heardIn(failure)).toEqual([]);
    },
  );

  it('L11 a store prints neither its signing keys, nor its encryptionKey, nor its URL', async () => {
    const encryptionKey = Buffer.from((CANARY + CANARY).slice(0, 32)).toString('base64url');
    const stores = await makeStores('SQLite');
    const store = await stores.open({ encryptionKey });
    await store.addSigningKey({ kid: 'one', alg: 'ES256', jwk: { d: CANARY }, createdAt: new Date() }, undefined);
    expect(canariesOf([encryptionKey, CANARY, stores.url]).heardIn(printed([store, events.heard()]))).toEqual([]);
    await stores.close();
  });
});

onServer('what a store in PostgreSQL says when it is refused', () => {
  const url = (change: (url: URL) => void) => {
    const changed = new URL(POSTGRES ?? '');
    changed.searchParams.set('schema', `test_${randomBytes(6).toString('hex')}`);
    changed.password = PASSWORD;
    change(changed);
    return changed.href;
  };

  it.each([
    ['a role that is not there', (to: URL) => Object.assign(to, { username: 'nobody_at_all' })],
    ['a database that is not there', (to: URL) => Object.assign(to, { pathname: '/nothing_at_all' })],
  ])('L07 %s: it does not open, and the password is not in the error', async (_what, change) => {
    const failure = await failureOf(openStore(url(change)));
    expect(failure).toMatchObject({ name: 'StoreError', code: 'store_unusable' });
    expect(heardIn([failure, events.heard()])).toEqual([]);
  });

  it('L07 without the right to create tables it does not open; if they exist no such right is needed', async () => {
    const role = `role_${randomBytes(6).toString('hex')}`;
    const stores = await makeStores('PostgreSQL');
    await onDatabase(POSTGRES ?? '', `create role ${role} login password '${PASSWORD}'`);
    const asRole = new URL(stores.url);
    Object.assign(asRole, { username: role, password: PASSWORD });
    const failure = await failureOf(openStore(asRole.href));
    expect(failure).toMatchObject({ code: 'store_unusable', driverCode: '42501' });
    expect(heardIn([failure, events.heard()])).toEqual([]);

    await stores.open();
    const schema = schemaOf(stores.url);
    const grants = [
      `grant usage on schema "${schema}" to ${role}`,
      `grant select on all tables in schema "${schema}" to ${role}`,
    ];
    await onDatabase(POSTGRES ?? '', ...grants);
    const reader = await stores.open({}, asRole.href);
    expect(await reader.ready()).toBe(true);
    expect(heardIn(await failureOf(storeKey(reader)))).toEqual([]);
    await stores.close();
    await onDatabase(POSTGRES ?? '', `drop role ${role}`);
  });
});
