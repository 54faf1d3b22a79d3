import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type CompiledQuery, Kysely, PostgresDialect, type RawBuilder } from 'kysely';
import pg from 'pg';
import { listKeys } from '../../lib/store/repository/account-and-key-queries.js';
import { listAudit } from '../../lib/store/repository/list-audit.js';
import type { KeyFilter, KeySort } from '../../lib/store/repository/repository.js';
import type { Tables } from '../../lib/store/tables.js';
import { onDatabase, schemaOf } from '../support/store-database.js';
import { makeStores, type Stores } from '../support/store-places.js';
import { accountRow } from '../support/stored-rows.js';
import { onServer } from '../support/test-stores.js';

const ROWS = 30_000;
/** Places in the middle of the lists. */
const MIDDLE = 1 << 19;
/** That of PostgreSQL, whose batches are larger than the tables. */
const ENGINE = {
  batch: 1_000_000,
  hints: {
    unlikely: (condition: RawBuilder<boolean>) => condition,
    unindexed: (column: RawBuilder<unknown>) => column,
  },
};

onServer('plans of PostgreSQL', () => {
  let stores: Stores;
  let pool: pg.Pool;
  let db: Kysely<Tables>;
  const statements: CompiledQuery[] = [];

  beforeAll(async () => {
    stores = await makeStores('PostgreSQL');
    const store = await stores.open();
    await store.repository.transact((tx) => tx.insertAccount(accountRow()));
    // The order of the index is not the order of the table, so that reading many rows through the index is expensive.
    const time = `hashint8(i)::bigint & 1048575`;
    await onDatabase(
      stores.url,
      `insert into keys (id, kind, account, environment, apis, channels, created_at, created_by, version, search_text)
         select 'key_' || i, 'secret', 'acme', 'live', '"all"', '"all"', ${time}, 'bulk', 1, 'N' || i
         from generate_series(1, ${ROWS}) i`,
      `insert into audit (id, at, account, actor, action, outcome)
         select 'entry_' || i, ${time}, 'acme', 'dana', 'key.create', 'done' from generate_series(1, ${ROWS}) i`,
      `update keys set sort_name = 'N' || hashint8(created_at), used_at = created_at`,
      `update keys set kind = 'access', apis = null where created_at % 10 = 0`,
      'analyze keys, audit',
    );
    const url = new URL(stores.url);
    url.searchParams.delete('schema');
    pool = new pg.Pool({ connectionString: url.href, max: 1, options: `-c search_path=${schemaOf(stores.url)}` });
    db = new Kysely<Tables>({
      dialect: new PostgresDialect({ pool }),
      log: ({ query }) => void statements.push(query),
    });
  });

  afterAll(async () => {
    await db.destroy();
    await stores.close();
  });

  /** The most rows that the planner expects from a step of the last statement on a table. */
  async function rowsExpected(table: string): Promise<number> {
    return Math.max(...(await stepsOf(table)).map((step) => step['Plan Rows']));
  }

  /** The steps of the last statement on a table. */
  async function stepsOf(table: string): Promise<readonly Plan[]> {
    const { sql = '', parameters = [] } = statements.findLast((one) => one.sql.includes(`from "${table}"`)) ?? {};
    const { rows } = await pool.query(`explain (format json) ${sql}`, [...parameters]);
    const all = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(all)];
    return all(rows[0]['QUERY PLAN'][0].Plan);
  }

  it('few rows are expected between two places in a list of keys', async () => {
    const sort = { by: 'created', isDescending: true } as const;
    const after = { value: MIDDLE, id: 'x' };
    const all = { account: 'acme', kinds: ['secret', 'public'], now: 0, limit: 10, sort, after } as const;
    expect((await listKeys(db, all, ENGINE)).length).toBe(10);
    expect(await rowsExpected('keys')).toBeLessThan(ROWS / 50);
  });

  it.each<[KeyFilter['kinds'], KeySort['by'], string]>([
    [['secret', 'public'], 'created', 'keys_of_account'],
    [['access'], 'created', 'keys_of_kind'],
    [['secret', 'public'], 'name', 'api_keys_by_sort_name'],
    [['access'], 'name', 'access_keys_by_sort_name'],
    [['secret', 'public'], 'used', 'api_keys_by_used_at'],
    [['access'], 'used', 'access_keys_by_used_at'],
  ])('a page of keys is read from one index, in its order: %j by %s', async (kinds, by, index) => {
    for (const isDescending of [true, false]) {
      for (const after of [undefined, { value: by === 'name' ? 'N5' : MIDDLE, id: 'x' }]) {
        const filter = { account: 'acme', kinds, now: 0, limit: 10, sort: { by, isDescending }, after };
        expect((await listKeys(db, filter, ENGINE)).length).toBe(10);
        const steps = await stepsOf('keys');
        expect(steps.map((step) => step['Index Name']).filter((name) => name !== undefined)).toEqual([index]);
        expect(steps.map((step) => step['Node Type'])).not.toContain('Sort');
      }
    }
  });

  it('few rows are expected between two places in the audit log', async () => {
    const filter = { account: 'acme', limit: 10, after: { time: MIDDLE, id: 'x' } };
    expect((await listAudit(db, filter, ENGINE)).length).toBe(10);
    expect(await rowsExpected('audit')).toBeLessThan(ROWS / 50);
  });
});

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Plan Rows': number;
  readonly Plans?: readonly Plan[];
}
