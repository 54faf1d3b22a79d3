import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import type { Engine } from '../../../lib/store/engine.js';
import { openPostgres } from '../../../lib/store/postgres/engine.js';
import { SqlTransaction } from '../../../lib/store/repository/sql-transaction.js';
import { StoreError } from '../../../lib/store/store-error.js';
import { onDatabase, schemaOf } from '../../support/store-database.js';
import { onServer, POSTGRES, placesOf, type TestPlace } from '../../support/test-stores.js';

describe('the feed in PostgreSQL', () => {
  let engine: Engine;
  beforeEach(() => {
    // Where no server listens.
    engine = openPostgres('postgres://127.0.0.1:1/none', 'own');
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await engine.close();
  });

  /** Polls the feed on a clock, and with timers, that a test sets. */
  async function followed() {
    const connects = jest.spyOn(pg.Client.prototype, 'connect').mockImplementation(() => new Promise(() => undefined));
    jest.spyOn(Math, 'random').mockReturnValue(0.75);
    const now = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    const timers = jest.spyOn(globalThis, 'setTimeout').mockImplementation((() => ({ unref: () => 0 })) as never);
    let polls = 0;
    const stop = engine.follow(async () => {
      polls += 1;
    });
    const settle = () => new Promise(setImmediate);
    await settle();
    const [client] = connects.mock.contexts as unknown as [pg.Client];
    return {
      ...{ client, stop },
      polls: () => polls,
      delays: () => timers.mock.calls.map(([, milliseconds]) => milliseconds),
      at: (time: number) => now.mockReturnValue(time),
      notify: () => client.emit('notification', { channel: 'keyward_own' }),
      async elapse() {
        timers.mock.calls.at(-1)?.[0]();
        await settle();
      },
    };
  }

  it('is polled earlier for notifications, but not twice within 50 ms', async () => {
    const feed = await followed();
    expect([feed.polls(), feed.delays()]).toEqual([1, [525]]);
    feed.at(1_010);
    feed.notify();
    feed.notify();
    expect([feed.polls(), feed.delays()]).toEqual([1, [525, 40]]);
    feed.at(1_050);
    await feed.elapse();
    expect([feed.polls(), feed.delays()]).toEqual([2, [525, 40, 525]]);
    feed.stop();
    feed.notify();
    expect(feed.delays()).toHaveLength(3);
  });

  it('has a connection for notifications with time limits of its own', async () => {
    const { client, stop } = await followed();
    expect(client).toMatchObject({ _connectionTimeoutMillis: 1_000, connectionParameters: { query_timeout: 3_500 } });
    stop();
  });
});

onServer('the PostgreSQL engine', () => {
  let place: TestPlace;
  let schema: string;
  let engine: Engine;

  beforeEach(async () => {
    place = await placesOf.PostgreSQL();
    schema = schemaOf(place.url);
    engine = openPostgres(POSTGRES ?? '', schema);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await engine.close();
    await place.remove();
  });

  it('is checked for writing only if it should write', async () => {
    await engine.migrate();
    const url = new URL(POSTGRES ?? '');
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    const readOnly = openPostgres(url.href, schema);
    try {
      await expect(readOnly.check({ write: false })).resolves.toBeUndefined();
      await expect(readOnly.check({ write: true })).rejects.toMatchObject({ driverCode: '25006' });
    } finally {
      await readOnly.close();
    }
  });

  it('closes the connections of a migration', async () => {
    const end = jest.spyOn(pg.Pool.prototype, 'end');
    await engine.migrate();
    expect(end).toHaveBeenCalledTimes(1);
  });

  it('has no texts in the indexes of lists, because PostgreSQL refuses rows whose indexed texts are long', async () => {
    await engine.migrate();
    const indexes = `select indexdef from pg_indexes where schemaname = '${schema}'`;
    const texts = (await onDatabase(place.url, indexes)).map(({ indexdef }) => String(indexdef));
    expect(texts.filter((text) => text.includes('keys_of_'))).toHaveLength(2);
    expect(texts.filter((text) => text.includes('search_text'))).toEqual([]);
  });

  it.each([`update audit set actor = 'eve'`, 'delete from audit', 'truncate audit'])(
    'refuses to change the audit log: %s',
    async (statement) => {
      await engine.migrate();
      await expect(onDatabase(place.url, statement)).rejects.toMatchObject({ message: 'audit is append-only' });
    },
  );

  it('locks a row before it is changed', async () => {
    await engine.migrate();
    const query = jest.spyOn(pg.Client.prototype, 'query');
    await engine.transact((db) => new SqlTransaction(engine, db, []).lockAccount('none'));
    expect(query.mock.calls.map(([text]) => text)).toContainEqual(expect.stringMatching(/ for no key update$/));
  });

  /** Fails with a SQLSTATE so many times, and returns how often it ran. */
  function failing(driverCode: string, times: number) {
    let runs = 0;
    return async () => {
      runs += 1;
      if (runs <= times) throw new StoreError('store_unavailable', 'failed', driverCode);
      return runs;
    };
  }

  it.each(['40001', '40P01', '55P03', '25006'])('repeats a write that fails with %s, ten times', async (driverCode) => {
    expect(await engine.transact(failing(driverCode, 10))).toBe(11);
    await expect(engine.transact(failing(driverCode, 11))).rejects.toMatchObject({ driverCode });
  });

  it('does not repeat a write that fails for another reason', async () => {
    await expect(engine.transact(failing('23505', 1))).rejects.toMatchObject({ driverCode: '23505' });
  });
});
