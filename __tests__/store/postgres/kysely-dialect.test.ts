import { expect, it } from '@jest/globals';
import { Kysely, type PostgresPool, type PostgresPoolClient, sql } from 'kysely';
import { BoundedPostgresDialect } from '../../../lib/store/postgres/kysely-dialect.js';

/** A pool that records the statements, and answers each one with the same rows. */
function recordingPool(rows: readonly unknown[] = []) {
  const said: string[] = [];
  const client = {
    query: async (text: string) => {
      said.push(text);
      return { command: 'SELECT', rowCount: rows.length, rows };
    },
    release: () => undefined,
  } as unknown as PostgresPoolClient;
  const pool: PostgresPool = { connect: async () => client, end: async () => undefined };
  const dialect = new BoundedPostgresDialect(pool, 'own', 700);
  return { said, dialect, db: new Kysely<unknown>({ dialect }) };
}

it('a transaction has time limits, which are sent with its beginning', async () => {
  const { said, db } = recordingPool();
  await db.transaction().execute((tx) => sql`select 1`.execute(tx));
  const [begin, ...others] = said;
  expect(begin?.split('; ')).toEqual([
    'begin',
    'set local statement_timeout = 700',
    'set local lock_timeout = 2000',
    'set local idle_in_transaction_session_timeout = 10000',
  ]);
  expect(others).toEqual(['select 1', 'commit']);
});

it('the migrator is told the names of the tables, and their schema', async () => {
  const { dialect, db } = recordingPool([{ tablename: 'migrations' }, { tablename: 'keys' }]);
  expect(await dialect.createIntrospector(db).getTables()).toMatchObject([
    { name: 'migrations', schema: 'own' },
    { name: 'keys', schema: 'own' },
  ]);
});
