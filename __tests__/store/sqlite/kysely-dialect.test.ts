import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import Database from 'better-sqlite3';
import { Kysely, sql } from 'kysely';
import { guardedDatabase, WriterDialect } from '../../../lib/store/sqlite/kysely-dialect.js';
import { deferred } from '../../support/deferred.js';

let database: Database.Database;
let writer: Kysely<unknown>;

beforeEach(() => {
  database = new Database(':memory:');
  writer = new Kysely({ dialect: new WriterDialect(guardedDatabase(database), new AbortController().signal) });
});

afterEach(() => {
  jest.restoreAllMocks();
  database.close();
});

it('a write begins even if it waited long for another write of this process', async () => {
  const [begun, held] = [deferred<void>(), deferred<void>()];
  const first = writer.transaction().execute(async () => {
    begun.resolve();
    await held.promise;
  });
  await begun.promise;
  const second = writer.transaction().execute(async (tx) => (await sql`select 1 as one`.execute(tx)).rows);
  await new Promise(setImmediate);
  jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
  held.resolve();
  await first;
  expect(await second).toEqual([{ one: 1 }]);
});

it('the database is closed with its connection', async () => {
  await sql`select 1`.execute(writer);
  expect(database.open).toBe(true);
  await writer.destroy();
  expect(database.open).toBe(false);
});

it('rows are read one by one', () => {
  const rows = guardedDatabase(database).prepare('select value from json_each(?)').iterate(['[1, 2]']);
  expect([...rows]).toEqual([{ value: 1 }, { value: 2 }]);
});
