import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CredentialStore } from 'keyward/store';
import { onDatabase, schemaOf } from '../support/store-database.js';
import { makeStores, type Stores, storeKey } from '../support/store-places.js';
import { sharedEngines } from '../support/test-stores.js';

/** The indexes of both engines, by name; those of SQLite that have another column are below. */
const INDEXES: Readonly<Record<string, string>> = {
  access_keys_by_sort_name: 'account, sort_name, id',
  access_keys_by_used_at: 'account, used_at, id',
  api_keys_by_sort_name: 'account, sort_name, id',
  api_keys_by_used_at: 'account, used_at, id',
  audit_of_account: 'account, at, number',
  audit_of_action: 'account, action, at, number',
  audit_of_actor: 'account, actor, at, number',
  audit_of_subject: 'subject, at, number',
  creations_by_time: 'account, at',
  keys_of_account: 'account, created_at, id',
  keys_of_kind: 'account, kind, created_at, id',
  revoked_tokens_by_expiry: 'expires_at',
  revoked_tokens_by_number: 'key_id, number',
  secrets_of_key: 'key_id',
  usage_of_day: 'day',
  used_ids_by_expiry: 'expires_at',
};
const OF_SQLITE = {
  keys_of_account: 'account, created_at, id, search_text',
  keys_of_kind: 'account, kind, created_at, id, search_text',
};

const BREAKS_A_CONSTRAINT = { message: expect.stringMatching(/constraint/i) };

describe.each(sharedEngines)('the schema in %s', (engine) => {
  let stores: Stores;
  let store: CredentialStore;
  let sql: (...statements: string[]) => ReturnType<typeof onDatabase>;

  beforeEach(async () => {
    stores = await makeStores(engine);
    store = await stores.open();
    sql = (...statements) => onDatabase(stores.url, ...statements);
  });
  afterEach(() => stores.close());

  it('has an index for each list and each deletion', async () => {
    const rows = await sql(
      engine === 'SQLite'
        ? "select name, sql from sqlite_master where type = 'index' and sql is not null"
        : `select indexname as name, indexdef as sql from pg_indexes where schemaname = '${schemaOf(stores.url)}'`,
    );
    const columnsOf = (text: string) => /\(([^)]*)\)/.exec(text)?.[1]?.replaceAll('"', '') ?? '';
    const found = Object.fromEntries(rows.map(({ name, sql: text }) => [String(name), columnsOf(String(text))]));
    expect(found).toMatchObject({ ...INDEXES, ...(engine === 'SQLite' && OF_SQLITE) });
    const partial = rows.filter(({ sql: text }) => /where/i.test(String(text))).map(({ name }) => name);
    expect(partial.sort()).toEqual(Object.keys(INDEXES).filter((name) => name.includes('_keys_by_')));
  });

  it.each([
    ['a key of an unknown environment', "update keys set environment = 'test'"],
    ['a key of an unknown kind', "update keys set kind = 'master'"],
    ['an unknown binding of tokens', "update keys set require_confirmation = 'tls'"],
    ['a key of no account', "update keys set account = 'nobody'"],
    ['a secret of no key', "update secrets set key_id = 'nobody'"],
    ['a second head of the feed', 'insert into feed_head (one, position) values (2, 0)'],
    ['a second encryption check', "insert into encryption_check (one, jwe) values (2, 'x')"],
    ['usage without a key', 'insert into usage (day, accepted, refused) values (1, 1, 1)'],
    [
      'a public key of no key',
      "insert into public_keys (key_id, kid, jwk, digest, created_at) values ('x', 'x', '{}', 'x', 0)",
    ],
    [
      'a revoked token of no key',
      "insert into revoked_tokens (key_id, jti, number, expires_at) values ('x', 'x', 1, 0)",
    ],
    ['an ended digest of no key', "insert into ended_digests (digest, key_id) values ('x', 'x')"],
  ])('refuses %s', async (_what, statement) => {
    await storeKey(store);
    await expect(sql(statement)).rejects.toMatchObject(BREAKS_A_CONSTRAINT);
  });

  it('refuses a second signing key of one kid, a second public key of one kid, and a second revocation of one token', async () => {
    const { id } = await storeKey(store, { kind: 'access' });
    const signing = (number: number) =>
      `insert into signing_keys (number, kid, alg, created_at, jwe) values (${number}, 'one', 'ES256', 0, 'x')`;
    const publicKey = (digest: string) =>
      `insert into public_keys (key_id, kid, jwk, digest, created_at) values ('${id}', 'one', '{}', '${digest}', 0)`;
    const revoked = (number: number) =>
      `insert into revoked_tokens (key_id, jti, number, expires_at) values ('${id}', 'one', ${number}, 0)`;
    for (const [first, second] of [
      [signing(1), signing(2)],
      [publicKey('a'), publicKey('b')],
      [revoked(1), revoked(2)],
    ] as const) {
      await sql(first);
      await expect(sql(second)).rejects.toMatchObject(BREAKS_A_CONSTRAINT);
    }
  });

  it('sorts names by code point', async () => {
    for (const name of ['Zebra', 'apfel', 'Äpfel', 'a b', 'ab']) await storeKey(store, { name });
    const filter = { account: 'acme', kinds: ['secret'], now: 0, limit: 9 } as const;
    const keys = await store.repository.keys({ ...filter, sort: { by: 'name', isDescending: false } });
    expect(keys.map(({ key }) => key.name)).toEqual(['a b', 'ab', 'apfel', 'Zebra', 'Äpfel']);
  });
});
