import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CredentialStore, StoreWarning } from 'keyward/store';
import { eavesdrop } from '../../support/eavesdrop.js';
import { onDatabase, schemaOf } from '../../support/store-database.js';
import { makeStores, type Stores, storeKey } from '../../support/store-places.js';
import { sharedEngines } from '../../support/test-stores.js';

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

/** The tables of SQLite. A released migration must not change, so neither may this, except by a new migration. */
const TABLES = `
  accounts (id text primary key, apis text not null, scopes text not null, channels text not null, platforms
    text not null, created_at bigint not null, disabled_at bigint, version integer not null)
  audit (number integer primary key autoincrement, id text not null unique, at bigint not null, account text not
    null, actor text not null, role text, action text not null, outcome text not null, subject text, before
    text, after text, origin text)
  changes (position bigint primary key, id text not null, member text not null, subject text)
  creations (account text not null, idempotency_key text not null, request text not null, key_id text not null
    references keys (id), at bigint not null, constraint creations_pk primary key (account, idempotency_key))
  encryption_check (one integer primary key check (one = 1), jwe text not null)
  ended_digests (digest text primary key, key_id text not null references keys (id))
  feed_head (one integer primary key check (one = 1), position bigint not null)
  issuers (id text primary key, algorithm text not null, seen_at bigint not null)
  keys (id text primary key, kind text not null check (kind in ('secret', 'public', 'access')), account text not
    null references accounts (id), environment text not null check (environment in ('live', 'sandbox')), name
    text, apis text, scopes text, default_scopes text, channels text not null, platform text, created_at bigint
    not null, created_by text not null, expires_at bigint, revoked_at bigint, disabled_at bigint,
    tokens_not_before bigint, version integer not null, search_text text default '' not null, metadata text,
    allowed_addresses text, limits text, require_confirmation text check (require_confirmation in ('dpop',
    'mtls', 'any')), tokens_revoked integer default 0 not null, sort_name text default '' not null, used_at
    bigint default 0 not null, tokens_superseded integer default 0 not null)
  public_keys (key_id text not null references keys (id), kid text not null, jwk text not null, digest text not
    null unique, created_at bigint not null, last_used_at bigint, last_used_from text, constraint public_keys_pk
    primary key (key_id, kid))
  refusals (account text not null, actor text not null, action text not null, code text not null, key_id text
    not null, minute bigint not null, entry text not null unique, count integer not null, constraint refusals_pk
    primary key (account, actor, action, code, key_id, minute))
  revoked_tokens (key_id text not null references keys (id), jti text not null, number integer not null,
    expires_at bigint not null, constraint revoked_tokens_pk primary key (key_id, jti))
  secrets (digest text primary key, key_id text not null references keys (id), hint text not null, public_text
    text, created_at bigint not null, retires_at bigint, last_used_at bigint, last_used_from text, ended_at
    bigint)
  signing_keys (number integer primary key, kid text not null unique, alg text not null, created_at bigint not
    null, jwe text not null, retired_at bigint)
  usage (key_id text not null, day integer not null, accepted bigint not null, refused bigint not null,
    constraint usage_pk primary key (key_id, day)) without rowid
  used_ids (id text primary key, expires_at bigint not null)
`;

/** The constraints of PostgreSQL. */
const CONSTRAINTS = `
  accounts accounts_pkey PRIMARY KEY (id)
  audit audit_id_key UNIQUE (id)
  audit audit_pkey PRIMARY KEY (number)
  changes changes_pkey PRIMARY KEY ("position")
  creations creations_key_id_fkey FOREIGN KEY (key_id) REFERENCES keys(id)
  creations creations_pk PRIMARY KEY (account, idempotency_key)
  encryption_check encryption_check_one_check CHECK ((one = 1))
  encryption_check encryption_check_pkey PRIMARY KEY (one)
  ended_digests ended_digests_key_id_fkey FOREIGN KEY (key_id) REFERENCES keys(id)
  ended_digests ended_digests_pkey PRIMARY KEY (digest)
  feed_head feed_head_one_check CHECK ((one = 1))
  feed_head feed_head_pkey PRIMARY KEY (one)
  issuers issuers_pkey PRIMARY KEY (id)
  keys keys_account_fkey FOREIGN KEY (account) REFERENCES accounts(id)
  keys keys_environment_check CHECK ((environment = ANY (ARRAY['live'::text, 'sandbox'::text])))
  keys keys_kind_check CHECK ((kind = ANY (ARRAY['secret'::text, 'public'::text, 'access'::text])))
  keys keys_pkey PRIMARY KEY (id)
  keys keys_require_confirmation_check CHECK ((require_confirmation = ANY (ARRAY['dpop'::text, 'mtls'::text,
    'any'::text])))
  public_keys public_keys_digest_key UNIQUE (digest)
  public_keys public_keys_key_id_fkey FOREIGN KEY (key_id) REFERENCES keys(id)
  public_keys public_keys_pk PRIMARY KEY (key_id, kid)
  refusals refusals_entry_key UNIQUE (entry)
  refusals refusals_pk PRIMARY KEY (account, actor, action, code, key_id, minute)
  revoked_tokens revoked_tokens_key_id_fkey FOREIGN KEY (key_id) REFERENCES keys(id)
  revoked_tokens revoked_tokens_pk PRIMARY KEY (key_id, jti)
  secrets secrets_key_id_fkey FOREIGN KEY (key_id) REFERENCES keys(id)
  secrets secrets_pkey PRIMARY KEY (digest)
  signing_keys signing_keys_kid_key UNIQUE (kid)
  signing_keys signing_keys_pkey PRIMARY KEY (number)
  usage usage_pk PRIMARY KEY (key_id, day)
  used_ids used_ids_pkey PRIMARY KEY (id)
`;

/** The columns of PostgreSQL that have a default or a collation. */
const DEFAULTS = [
  "keys.search_text '' null",
  "keys.sort_name '' C",
  'keys.tokens_revoked 0 null',
  'keys.tokens_superseded 0 null',
  'keys.used_at 0 null',
];

/** Texts without line breaks and quotes of names, as they are compared. */
const flat = (text: string) => text.replaceAll('"', '').replaceAll(/\s+/g, ' ').trim();

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

  it('has the tables and columns of this version', async () => {
    const schema = schemaOf(stores.url);
    if (engine === 'SQLite') {
      const rows = await sql(
        `select sql from sqlite_master where type = 'table' and name not like 'migrations%' and name <> 'sqlite_sequence'
         order by name`,
      );
      expect(rows.map(({ sql: text }) => flat(`${text}`).replace('CREATE TABLE ', '')).join(' ')).toBe(flat(TABLES));
      return;
    }
    const constraints = await sql(
      `select relname || ' ' || conname || ' ' || pg_get_constraintdef(c.oid) as text
       from pg_constraint c join pg_class t on t.oid = conrelid
       where connamespace = '"${schema}"'::regnamespace and contype <> 'n' and relname not like 'migrations%'
       order by relname collate "C", conname collate "C"`,
    );
    expect(constraints.map(({ text }) => flat(`${text}`)).join(' ')).toBe(flat(CONSTRAINTS));
    const columns = await sql(
      `select table_name || '.' || column_name || ' ' || replace(column_default, '::text', '') || ' ' ||
         coalesce(collation_name, 'null') as text
       from information_schema.columns
       where table_schema = '${schema}' and table_name not like 'migrations%' and column_default is not null
       order by column_name collate "C"`,
    );
    expect(columns.map(({ text }) => text)).toEqual(DEFAULTS);
  });

  it('starts with one change in the feed: of everything', async () => {
    const rows = await sql(
      'select c.position, member, subject from changes c join feed_head h on h.position = c.position',
    );
    expect(rows.map((row) => ({ ...row, position: Number(row.position) }))).toEqual([
      { position: 0, member: 'all', subject: null },
    ]);
  });

  it('is used as it is if a newer version of keyward has changed it', async () => {
    await sql("insert into migrations (name, timestamp) values ('0999_newer', '2999-01-01T00:00:00.000Z')");
    const { id } = await storeKey(await stores.open());
    expect((await store.repository.transact((tx) => tx.key(id)))?.id).toBe(id);
    expect(await sql("select name from migrations where name > '0012_x'")).toEqual([{ name: '0999_newer' }]);
  });

  it('is not used if a migration fails, and the reason is reported', async () => {
    await sql("delete from migrations where name = '0012_ended_digests'");
    const events = eavesdrop();
    const reason = await stores.openAsIs(stores.url).then(
      // PostgreSQL may have another problem at the next attempt, so the store opens, and tries again.
      () => events.heard<StoreWarning>('keyward:store')[0]?.detail,
      ({ message }: Error) => message,
    );
    events.stop();
    expect(reason).toMatch(/ended_digests.* already exists/);
    expect(await sql("select name from migrations where name = '0012_ended_digests'")).toEqual([]);
  });

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
