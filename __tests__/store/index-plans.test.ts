import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { type CompiledQuery, Kysely, SqliteDialect } from 'kysely';
import type { Engine } from '../../lib/store/engine.js';
import { findAccessKey, findKey } from '../../lib/store/find-credential.js';
import { listKeys } from '../../lib/store/repository/account-and-key-queries.js';
import { listAudit } from '../../lib/store/repository/list-audit.js';
import type { AuditFilter, KeyFilter, KeySort } from '../../lib/store/repository/repository.js';
import { RevokedTokensCache } from '../../lib/store/revoked-tokens/revoked-tokens-cache.js';
import { openSqlite } from '../../lib/store/sqlite/engine.js';
import type { Tables } from '../../lib/store/tables.js';
import { deleteUsageBefore, usageOfKey, usageTotals } from '../../lib/store/usage/usage-queries.js';
import { fileOf } from '../support/store-database.js';
import { makeStores, type Stores, storeKey } from '../support/store-places.js';

let stores: Stores;
let engine: Engine;
let database: Database.Database;
let db: Kysely<Tables>;
const statements: CompiledQuery[] = [];

beforeAll(async () => {
  stores = await makeStores('SQLite');
  const store = await stores.open();
  await storeKey(store, { id: 'key_1' });
  await storeKey(store, { id: 'ack_1', kind: 'access', apis: null });
  await store.revokeToken('ack_1', 'jti', new Date(Date.now() + 3_600_000));
  engine = await openSqlite(fileOf(stores.url));
  database = new Database(fileOf(stores.url));
  db = new Kysely<Tables>({
    dialect: new SqliteDialect({ database }),
    log: ({ query }) => void statements.push(query),
  });
});
beforeEach(() => {
  statements.length = 0;
});
afterAll(async () => {
  await db.destroy();
  await engine.close();
  await stores.close();
});

/** How SQLite runs the statements on a table, one line for each step; all statements without a table. */
function plans(table = ''): readonly string[] {
  const those = statements.filter(({ sql }) => sql.includes(`from "${table}`));
  expect(those.length).toBeGreaterThan(0);
  return those.flatMap(({ sql, parameters }) =>
    database
      .prepare<unknown[], { detail: string }>(`explain query plan ${sql}`)
      .all(...parameters)
      .map(({ detail }) => detail),
  );
}

const searches = (lines: readonly string[], table: string) =>
  lines.flatMap((line) => new RegExp(`^SEARCH ${table} USING (?:COVERING )?INDEX (\\w+) `).exec(line)?.[1] ?? []);

const SLOW = /^SCAN |TEMP B-TREE/;

describe('a page of keys is read from one index, in its order', () => {
  const API_KEYS = ['secret', 'public'] as const;
  it.each<[KeyFilter['kinds'], KeySort['by'], string]>([
    [API_KEYS, 'created', 'keys_of_account'],
    [['public'], 'created', 'keys_of_kind'],
    [['access'], 'created', 'keys_of_kind'],
    [API_KEYS, 'name', 'api_keys_by_sort_name'],
    [['secret'], 'name', 'api_keys_by_sort_name'],
    [['access'], 'name', 'access_keys_by_sort_name'],
    [API_KEYS, 'used', 'api_keys_by_used_at'],
    [['public'], 'used', 'api_keys_by_used_at'],
    [['access'], 'used', 'access_keys_by_used_at'],
  ])('%j by %s: %s', async (kinds, by, index) => {
    const all = { account: 'acme', kinds, now: 0, limit: 2 };
    for (const isDescending of [true, false]) {
      for (const after of [undefined, { value: by === 'name' ? 'A' : 1, id: 'key_0' }]) {
        for (const filter of [{}, { text: 'till', api: 'payments', environment: 'live', unusedSince: 5 }] as const) {
          await listKeys(db, { ...all, ...filter, sort: { by, isDescending }, after }, engine);
        }
      }
    }
    const lines = plans('keys');
    expect(lines.filter((line) => SLOW.test(line))).toEqual([]);
    expect(new Set(searches(lines, 'keys'))).toEqual(new Set([index]));
  });
});

describe('a page of the audit log is read from one index, in its order', () => {
  it.each<[Partial<AuditFilter>, string]>([
    [{}, 'audit_of_account'],
    [{ from: 1, to: 2 }, 'audit_of_account'],
    [{ subject: 'key_1' }, 'audit_of_subject'],
    [{ actor: 'ada' }, 'audit_of_actor'],
    [{ action: 'key.edit' }, 'audit_of_action'],
    [{ subject: 'key_1', actor: 'ada', action: 'key.edit' }, 'audit_of_subject'],
    [{ actor: 'ada', action: 'key.edit', from: 1 }, 'audit_of_actor'],
  ])('%j: %s', async (filter, index) => {
    for (const after of [undefined, { time: 1, id: 'x' }]) {
      await listAudit(db, { account: 'acme', limit: 2, after, ...filter }, engine);
    }
    const lines = plans('audit');
    expect(lines.filter((line) => SLOW.test(line))).toEqual([]);
    expect(searches(lines, 'audit')).toContain(index);
    expect(searches(lines, 'audit').filter((name) => name.startsWith('audit_of_') && name !== index)).toEqual([]);
  });

  it('that of every account in the order of writing', async () => {
    for (const after of [undefined, { time: 1, id: 'x' }]) {
      await listAudit(db, { limit: 2, after, action: 'key.edit', actor: 'ada' }, engine);
    }
    expect(plans('audit').filter((line) => /TEMP B-TREE/.test(line))).toEqual([]);
  });

  it('that of a period of every account in batches: the end of a batch does not depend on the period', async () => {
    await listAudit(db, { limit: 2, from: 1, to: 2 }, engine);
    const ends = statements.filter(({ sql }) => sql.includes('from "audit"') && sql.includes('offset'));
    expect(ends.length).toBeGreaterThan(0);
    expect(ends.filter(({ sql }) => /"at" (?:>=|<)/.test(sql))).toEqual([]);
  });
});

it('a credential, its revoked tokens and its usage are found by indexes', async () => {
  await findKey(db, '0'.repeat(64));
  expect((await findAccessKey(db, 'ack_1', new RevokedTokensCache())).record?.id).toBe('ack_1');
  await usageOfKey(db, 'key_1', 1, 2);
  await usageTotals(db, { account: 'acme', environment: undefined, ids: ['key_1'] }, 1);
  await db.transaction().execute((tx) => deleteUsageBefore(tx, 1, 10));
  const lines = statements
    .filter(({ sql }) => /^(?:select|delete)/.test(sql))
    .flatMap(({ sql, parameters }) =>
      database
        .prepare<unknown[], { detail: string }>(`explain query plan ${sql}`)
        .all(...parameters)
        .map(({ detail }) => detail),
    );
  expect(lines.filter((line) => /^SCAN (?!feed_head)/.test(line))).toEqual([]);
  expect(lines).toContainEqual(expect.stringMatching(/^SEARCH secrets USING INDEX \S+ \(digest=\?\)/));
  expect(lines).toContainEqual(expect.stringMatching(/revoked_tokens_by_number \(key_id=\? AND number>\?\)/));
});
