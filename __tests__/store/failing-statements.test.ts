import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createManagement, type Management } from 'keyward/management';
import type { CredentialStore } from 'keyward/store';
import { digestOf } from '../../lib/credentials/digest.js';
import { onDatabase, schemaOf } from '../support/store-database.js';
import { makeStores, type Stores, storeKey } from '../support/store-places.js';
import { type EngineName, sharedEngines } from '../support/test-stores.js';

type Engine = Exclude<EngineName, 'memory'>;

/** The tables that these operations write. */
const WRITTEN = [
  ...['accounts', 'keys', 'secrets', 'signing_keys', 'encryption_check', 'revoked_tokens', 'audit', 'changes'],
  'feed_head',
];
const EVENTS = WRITTEN.flatMap((table) => ['insert', 'update', 'delete'].map((event) => [table, event] as const));
const COUNTER = ['create table fault (n integer, at integer)', 'insert into fault values (0, 0)'];

/** Statements that let one written row fail: the one with the number `at` of a transaction. */
const FAULTS: Readonly<Record<Engine, (schema: string) => readonly string[]>> = {
  SQLite: () => [
    ...COUNTER,
    ...EVENTS.map(
      ([table, event]) => `create trigger fail_${event}_${table} before ${event} on ${table}
      begin update fault set n = n + 1; select raise(abort, 'fault') from fault where n = at; end`,
    ),
  ],
  PostgreSQL: (schema) => [
    ...COUNTER,
    `create function fail() returns trigger language plpgsql as $$ begin
       update "${schema}".fault set n = n + 1;
       if exists (select from "${schema}".fault where n = at) then raise exception 'fault' using errcode = '53200'; end if;
       return case tg_op when 'DELETE' then old else new end;
     end $$`,
    ...EVENTS.map(
      ([table, event]) =>
        `create trigger fail_${event}_${table} before ${event} on ${table} for each row execute function fail()`,
    ),
  ],
};

const signingKey = (kid: string) => {
  const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  return { kid, alg: 'ES256', jwk, createdAt: new Date(0), retiredAt: null };
};

interface Place {
  readonly store: CredentialStore;
  readonly management: Management;
}

describe.each(sharedEngines as readonly Engine[])('a statement that fails, in %s', (engine) => {
  let stores: Stores;
  let place: Place;

  beforeEach(async () => {
    stores = await makeStores(engine);
    const store = await stores.open({ encryptionKey: Buffer.alloc(32, 7) });
    place = { store, management: createManagement({ store }) };
    await storeKey(store, { id: 'ack_1', kind: 'access', apis: null, scopes: '["payments"]' });
    await store.addSigningKey(signingKey('one'), undefined);
    await onDatabase(stores.url, ...FAULTS[engine](schemaOf(stores.url)));
  });
  afterEach(() => stores.close());

  /** Every row of these tables. */
  async function rows(): Promise<readonly string[]> {
    const tables = WRITTEN.map(async (table) =>
      (await onDatabase(stores.url, `select * from ${table}`)).map((row) => `${table} ${JSON.stringify(row)}`),
    );
    return (await Promise.all(tables)).flat().sort();
  }

  it.each<[string, number, (at: Place) => Promise<unknown>]>([
    ['a new account', 4, ({ management }) => management.accounts.put('op', 'globex', { apis: 'all' })],
    ['a change of an account', 4, ({ management }) => management.accounts.put('op', 'acme', { apis: ['payments'] })],
    ['an account that is disabled', 4, ({ management }) => management.accounts.setDisabled('op', 'acme', true)],
    [
      'an import',
      7,
      ({ management }) =>
        management.keys.import('op', 'acme', [
          { digest: digestOf('one'), kind: 'secret', apis: ['payments'] },
          { digest: digestOf('two'), kind: 'public', apis: ['payments'] },
        ]),
    ],
    ['a revoked token', 4, ({ store }) => store.revokeToken('ack_1', 'jti', new Date(Date.now() + 3_600_000))],
    ['a new signing key', 2, ({ store }) => store.addSigningKey(signingKey('two'), 'one')],
    ['a signing key that is retired', 2, ({ store }) => store.retireSigningKey('one')],
    ['a signing key that is removed', 2, ({ store }) => store.removeSigningKey('one', 'cli:ada')],
    ['another encryption key', 3, ({ store }) => store.reencryptSigningKeys('cli:ada')],
  ])('leaves every table as it was, and the same operation succeeds later: %s', async (_what, written, operate) => {
    const before = await rows();
    for (let at = 1; at <= written; at += 1) {
      await onDatabase(stores.url, `update fault set n = 0, at = ${at}`);
      // A signing key that could not be added gives `false` if the database reports a conflict.
      const outcome = await operate(place).catch(() => false);
      expect([at, outcome]).toEqual([at, false]);
      expect([at, await rows()]).toEqual([at, before]);
    }
    await onDatabase(stores.url, `update fault set n = 0, at = ${written + 1}`);
    expect(await operate(place)).not.toBe(false);
    expect(await rows()).not.toEqual(before);
  });
});
