import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Kysely, sql } from 'kysely';
import { connectSqlite, disconnectSqlite, type SqliteConnections } from '../../lib/store/sqlite/connections.js';
import { openSqlite } from '../../lib/store/sqlite/engine.js';
import { storeClosed } from '../../lib/store/store-error.js';
import type { Tables } from '../../lib/store/tables.js';
import { fileOf, holdDatabase } from '../support/store-database.js';
import { eventually } from '../support/store-wait.js';
import { accountRow } from '../support/stored-rows.js';
import { placesOf, type TestPlace } from '../support/test-stores.js';

let place: TestPlace;

beforeEach(async () => {
  place = await placesOf.SQLite();
});

afterEach(async () => {
  jest.restoreAllMocks();
  await place.remove();
});

describe('the connections of a database file', () => {
  let connections: SqliteConnections;

  beforeEach(() => {
    connections = connectSqlite(fileOf(place.url), { exists: false });
  });
  afterEach(() => disconnectSqlite(connections, storeClosed()));

  const pragma = async (db: Kysely<Tables>, name: string) =>
    Object.values((await sql<Record<string, unknown>>`${sql.raw(`pragma ${name}`)}`.execute(db)).rows[0] ?? {})[0];

  it('block the event loop for at most 50 ms while another process has the lock', async () => {
    const { writer, lookups, lists } = connections;
    const all = [writer, lookups, lists];
    expect(await Promise.all(all.map((db) => pragma(db, 'busy_timeout')))).toEqual([50, 50, 50]);
  });

  it('analyze a part of each index only, because analyze blocks the event loop', async () => {
    expect(await pragma(connections.writer, 'analysis_limit')).toBe(1_000);
  });

  it('enforce foreign keys, and write to a log beside the file', async () => {
    expect(await pragma(connections.writer, 'foreign_keys')).toBe(1);
    expect(await pragma(connections.writer, 'journal_mode')).toBe('wal');
  });

  it.each(['lookups', 'lists'] as const)('%s cannot write', async (name) => {
    await sql`create table written (id text)`.execute(connections.writer);
    const writing = sql`insert into written values ('x')`.execute(connections[name]);
    await expect(writing).rejects.toMatchObject({ driverCode: 'SQLITE_READONLY' });
  });
});

it('requests are served between the transactions of a long write', async () => {
  const engine = await openSqlite(fileOf(place.url));
  await engine.migrate();
  let turns = 0;
  const count = () => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  for (let batch = 0; batch < 10; batch += 1) {
    await engine.transact((tx) => tx.selectFrom('feed_head').select('position').execute());
  }
  clearImmediate(next);
  expect(turns).toBeGreaterThanOrEqual(9);
  await engine.close();
});

it('a transaction is retried for 5 s while another process has the lock', async () => {
  const engine = await openSqlite(fileOf(place.url));
  await engine.migrate();
  const other = await holdDatabase(place.url, 'update feed_head set position = position');
  const start = performance.now();
  const now = jest.spyOn(performance, 'now').mockReturnValue(start);
  const writing = engine.transact((tx) => tx.insertInto('accounts').values(accountRow()).execute());
  now.mockReturnValue(start + 4_999);
  const timers = jest.spyOn(globalThis, 'setTimeout');
  // The waits of the test itself are shorter.
  const waits = () => timers.mock.calls.map(([, milliseconds]) => Number(milliseconds)).filter((wait) => wait >= 10);
  await Promise.race([writing, eventually(() => waits().length > 2)]);
  expect(Math.max(...waits())).toBeLessThanOrEqual(30);
  await other.commit();
  await writing;
  await engine.close();
});
