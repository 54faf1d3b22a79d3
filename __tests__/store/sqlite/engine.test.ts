import { existsSync, renameSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import Database from 'better-sqlite3';
import type { Kysely } from 'kysely';
import type { Engine } from '../../../lib/store/engine.js';
import { SqlTransaction } from '../../../lib/store/repository/sql-transaction.js';
import { openSqlite } from '../../../lib/store/sqlite/engine.js';
import type { Tables } from '../../../lib/store/tables.js';
import { deferred } from '../../support/deferred.js';
import { fileOf, onDatabase } from '../../support/store-database.js';
import { placesOf, type TestPlace } from '../../support/test-stores.js';

let place: TestPlace;
let file: string;
let engine: Engine;

beforeEach(async () => {
  place = await placesOf.SQLite();
  file = fileOf(place.url);
  engine = await openSqlite(file);
  await engine.migrate();
});

afterEach(async () => {
  jest.useRealTimers();
  jest.restoreAllMocks();
  await engine.close();
  await place.remove();
});

const setPosition = (url: string, position: number) => onDatabase(url, `update feed_head set position = ${position}`);
const positionIn = async (db: Kysely<Tables>) =>
  (await db.selectFrom('feed_head').select('position').executeTakeFirstOrThrow()).position;

/** Begins a transaction that runs until `end` is called; `ended` resolves with its result. */
async function holdTransaction() {
  const [begun, held] = [deferred<void>(), deferred<void>()];
  const work = engine.transact(async () => {
    begun.resolve();
    await held.promise;
  });
  const ended = Promise.allSettled([work]);
  await begun.promise;
  return { end: () => held.resolve(), ended };
}

describe('a database file that is open', () => {
  it('that was replaced is opened at once, and the former one is closed after its transaction', async () => {
    await onDatabase(place.url, `vacuum into '${file}.backup'`);
    await setPosition(`${place.url}.backup`, 7);
    const former = engine.lookups;
    expect(await positionIn(former)).toBe(0);
    const { end, ended } = await holdTransaction();
    for (const ending of ['-wal', '-shm']) rmSync(file + ending);
    renameSync(`${file}.backup`, file);
    const polled = engine.version();
    expect([engine.replacements, await positionIn(engine.lookups)]).toEqual([1, 7]);
    end();
    await polled;
    expect(await ended).toMatchObject([{ status: 'rejected', reason: { code: 'store_unavailable' } }]);
    await expect(positionIn(former)).rejects.toThrow('not open');
  });

  it('whose write-ahead log was deleted is opened again although a connection cannot be closed', async () => {
    await onDatabase(place.url, 'pragma wal_checkpoint(truncate)');
    rmSync(`${file}-wal`);
    const close = jest.spyOn(Database.prototype, 'close').mockImplementation(() => {
      throw new Error('busy');
    });
    await engine.version();
    expect(close).toHaveBeenCalled();
    expect(engine.replacements).toBe(1);
    expect(await positionIn(engine.lookups)).toBe(0);
  });

  it('that is deleted while it is opened again is not created', async () => {
    const { end, ended } = await holdTransaction();
    rmSync(`${file}-wal`);
    const polled = expect(engine.version()).rejects.toMatchObject({ code: 'store_unusable' });
    rmSync(file);
    end();
    await Promise.all([polled, ended]);
    expect(existsSync(file)).toBe(false);
  });

  it('has another version after a commit of another process', async () => {
    const before = await engine.version();
    expect(await engine.version()).toBe(before);
    await setPosition(place.url, 1);
    expect(await engine.version()).not.toBe(before);
  });

  it('is polled every 100 ms until that is stopped', () => {
    jest.useFakeTimers();
    let polls = 0;
    const stop = engine.follow(async () => {
      polls += 1;
    });
    jest.advanceTimersByTime(300);
    expect(polls).toBe(3);
    stop();
    jest.advanceTimersByTime(300);
    expect(polls).toBe(3);
  });

  it('needs no lock of a row', async () => {
    const lock = engine.transact((db) => new SqlTransaction(engine, db, []).lockAccount('none'));
    expect(await lock).toBeUndefined();
  });
});

describe('the tables', () => {
  it.each([`update audit set actor = 'eve'`, 'delete from audit', 'insert or replace into audit select * from audit'])(
    'refuse to change the audit log: %s',
    async (statement) => {
      await onDatabase(
        place.url,
        `insert into audit (id, at, account, actor, action, outcome)
           values ('a', 1, 'acme', 'kim', 'key.edit', 'done')`,
      );
      await expect(onDatabase(place.url, statement)).rejects.toMatchObject({ message: 'audit is append-only' });
    },
  );

  it('have the texts of searches in the indexes of lists', async () => {
    const indexes = `select name from sqlite_master where type = 'index' and sql like '%search_text%' order by name`;
    expect(await onDatabase(place.url, indexes)).toEqual([{ name: 'keys_of_account' }, { name: 'keys_of_kind' }]);
  });
});
