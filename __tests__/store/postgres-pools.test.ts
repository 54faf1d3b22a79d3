import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { sql } from 'kysely';
import pg from 'pg';
import type { Engine } from '../../lib/store/engine.js';
import { openPostgres } from '../../lib/store/postgres/engine.js';
import { clientConfig, postgresPool } from '../../lib/store/postgres/pool.js';
import { deferred } from '../support/deferred.js';
import { schemaOf } from '../support/store-database.js';
import { startStoreProxy } from '../support/store-proxy.js';
import { eventually } from '../support/store-wait.js';
import { onServer, POSTGRES, placesOf, type TestPlace } from '../support/test-stores.js';

/** Where no server listens. */
const NOWHERE = 'postgres://127.0.0.1:1/none';

interface PoolOptions {
  readonly max: number;
  readonly connectionTimeoutMillis: number;
  readonly allowExitOnIdle: boolean;
  readonly Client: new () => { readonly connectionParameters: object };
}

afterEach(() => {
  jest.restoreAllMocks();
});

it('each pool has its own number of connections and its own time limits', async () => {
  const engine = openPostgres(NOWHERE, 'keyward');
  const used = jest.spyOn(pg.Pool.prototype, 'connect').mockImplementation(() => Promise.reject(new Error('down')));
  const configs: unknown[] = [];
  const bounds = async (work: (engine: Engine) => Promise<unknown>) => {
    await expect(work(engine)).rejects.toMatchObject({ code: 'store_unavailable' });
    const { options } = used.mock.contexts.at(-1) as unknown as { readonly options: PoolOptions };
    const client = new options.Client() as unknown as Record<string, number>;
    configs.push(options.allowExitOnIdle);
    return [options.max, options.connectionTimeoutMillis, client._connectionTimeoutMillis];
  };
  const read = (db: Engine['feed']) => db.selectFrom('feed_head').select('position').execute();
  expect(await bounds(({ lookups }) => read(lookups))).toEqual([6, 1_000, 1_000]);
  expect(await bounds(({ feed }) => read(feed))).toEqual([2, 1_000, 1_000]);
  expect(await bounds((own) => own.writeForRequest(read))).toEqual([4, 1_000, 1_000]);
  expect(await bounds(({ lists }) => read(lists))).toEqual([4, 10_000, 3_000]);
  expect(await bounds((own) => own.transact((tx) => read(tx)))).toEqual([4, 10_000, 3_000]);
  expect(new Set(configs)).toEqual(new Set([true]));
  await engine.close();
});

it('a connection has the name of keyward, keeps itself alive, and reads numbers as numbers', () => {
  const { types, ...config } = clientConfig(
    { connectionString: NOWHERE },
    { connectTimeout: 700, statementTimeout: 900 },
  );
  expect(config).toEqual({
    connectionString: NOWHERE,
    application_name: 'keyward',
    connectionTimeoutMillis: 700,
    // The server has half a second to cancel the statement first.
    query_timeout: 1_400,
    keepAlive: true,
    // Otherwise, a migration would wait two hours for a connection that is dead.
    keepAliveInitialDelayMillis: 10_000,
  });
  const parse = (oid: number, text: string) => types?.getTypeParser(oid, 'text')(text);
  expect([parse(20, '1800000000000'), parse(25, '7'), parse(16, 't')]).toEqual([1_800_000_000_000, '7', true]);
});

it.each([
  ['earliest', 0, 450],
  ['latest', 1, 550],
])('polls the feed at the %s of 500 ms and 10 percent', async (_which, random, delay) => {
  const engine = openPostgres(NOWHERE, 'keyward');
  jest.spyOn(pg.Client.prototype, 'connect').mockImplementation(() => new Promise(() => undefined));
  jest.spyOn(Math, 'random').mockReturnValue(random);
  jest.spyOn(performance, 'now').mockReturnValue(1_000);
  const timers = jest.spyOn(globalThis, 'setTimeout');
  let polls = 0;
  const end = engine.follow(async () => {
    polls += 1;
  });
  await new Promise(setImmediate);
  expect([polls, timers.mock.calls.map(([, milliseconds]) => milliseconds)]).toEqual([1, [delay]]);
  const [timer] = timers.mock.results.map(({ value }) => value as NodeJS.Timeout);
  // The feed keeps no process alive.
  expect(timer?.hasRef()).toBe(false);
  end();
  expect((timer as unknown as { readonly _destroyed: boolean })._destroyed).toBe(true);
  await engine.close();
});

onServer('a migration in PostgreSQL', () => {
  let place: TestPlace;
  let engine: Engine;

  beforeEach(async () => {
    place = await placesOf.PostgreSQL();
    engine = openPostgres(POSTGRES ?? '', schemaOf(place.url));
  });
  afterEach(async () => {
    await engine.close();
    await place.remove();
  });

  it('may take an hour, and the next start changes nothing', async () => {
    const query = jest.spyOn(pg.Client.prototype, 'query');
    const said = () => query.mock.calls.map(([text]) => String(text)).filter((text) => /^(?:begin|create)/.test(text));
    await engine.migrate();
    expect(said()[0]).toMatch(/create schema/i);
    expect(said().filter((text) => text.startsWith('begin'))).toEqual([
      expect.stringContaining('set local statement_timeout = 3599500'),
    ]);
    query.mockClear();
    await engine.migrate();
    expect(said()).toEqual([]);
  });

  it('that gets no answer is canceled when the store closes, and fails', async () => {
    const proxy = await startStoreProxy(place.url);
    try {
      const far = openPostgres(proxy.urlOf(POSTGRES ?? ''), schemaOf(place.url));
      proxy.holdAnswersTo(/create table/);
      const query = jest.spyOn(pg.Client.prototype, 'query');
      const failed = expect(far.migrate()).rejects.toMatchObject({ code: 'store_unavailable' });
      await eventually(() => query.mock.calls.some(([text]) => String(text).startsWith('create table')));
      await far.close();
      expect(proxy.cancellations()).toBe(1);
      await failed;
    } finally {
      await proxy.close();
    }
    await engine.migrate();
  });

  it('does not begin after the store was closed', async () => {
    const { query } = pg.Client.prototype;
    const asked = deferred<void>();
    jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
      asked.resolve();
      return Reflect.apply(query, this, args);
    });
    const refused = expect(engine.migrate()).rejects.toMatchObject({ message: 'the store is closed' });
    await asked.promise;
    await engine.close();
    await refused;
  });

  it('updates the statistics of keys and secrets', async () => {
    await engine.migrate();
    const query = jest.spyOn(pg.Client.prototype, 'query');
    await engine.analyze();
    const schema = schemaOf(place.url);
    expect(query.mock.calls.map(([text]) => text)).toEqual([
      `analyze "${schema}"."keys"`,
      `analyze "${schema}"."secrets"`,
    ]);
  });
});

onServer('a connection of a pool in PostgreSQL', () => {
  const poolOf = (statementTimeout: number) =>
    postgresPool(() => ({ connectionString: POSTGRES ?? '' }), {
      ...{ maxConnections: 1, connectTimeout: 10_000, statementTimeout },
    });

  it('is used further after a statement that PostgreSQL refused, or that was canceled', async () => {
    const pool = poolOf(300);
    const pids = [];
    for (const [refused, driverCode] of [
      ['select nothing_here', '42703'],
      ['select pg_sleep(60)', '57014'],
    ] as const) {
      const connection = await pool.connect();
      await expect(connection.query(refused, [])).rejects.toMatchObject({ code: 'store_unavailable', driverCode });
      const { rows } = await connection.query('select pg_backend_pid() as pid', []);
      pids.push(...rows);
      connection.release();
    }
    expect(pids[0]).toEqual({ pid: expect.any(Number) });
    expect(pids[1]).toEqual(pids[0]);
    await pool.end();
  });

  it('is not used further if a statement that took too long could not be canceled', async () => {
    const { query } = pg.Client.prototype;
    jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
      // Where no server listens: the request to cancel does not arrive.
      Object.assign(this, { port: 1 });
      return Reflect.apply(query, this, args);
    });
    const pool = poolOf(100);
    const connection = await pool.connect();
    await expect(connection.query('select pg_sleep(0.3)', [])).rejects.toMatchObject({ driverCode: '57014' });
    await expect(connection.query('select 1', [])).rejects.toMatchObject({
      ...{ name: 'StoreError', code: 'store_unavailable', driverCode: '57014' },
      message: 'a database statement took too long and could not be canceled (57014)',
    });
    connection.release();
    await pool.end();
  });
});

onServer('a pool in PostgreSQL that ends', () => {
  let engine: Engine;
  beforeEach(() => {
    engine = openPostgres(POSTGRES ?? '', 'keyward');
  });

  const read = (db: Engine['feed']) => sql`select 1`.execute(db);
  const closed = { code: 'store_unavailable', message: 'the store is closed' };

  it('refuses at once those who wait for a connection, and lets those who have one complete', async () => {
    let release: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const begun: string[] = [];
    const work = ['a', 'b', 'c', 'd'].map((name) =>
      engine.transact(async (db) => {
        begun.push(name);
        await held;
        await read(db);
        return name;
      }),
    );
    await eventually(() => begun.length === work.length);
    const late = [read(engine.lists), engine.transact(read)];
    const closing = engine.close();
    await Promise.all(late.map((one) => expect(one).rejects.toMatchObject(closed)));
    release?.();
    expect(await Promise.all(work)).toEqual(['a', 'b', 'c', 'd']);
    await closing;
  });

  it('keeps no connection that is opened for one who was refused', async () => {
    const { connect } = pg.Client.prototype;
    const opening = deferred<void>();
    jest.spyOn(pg.Client.prototype, 'connect').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
      opening.resolve();
      return Reflect.apply(connect, this, args);
    });
    const ended = jest.spyOn(pg.Client.prototype, 'end');
    const refused = expect(read(engine.lists)).rejects.toMatchObject(closed);
    await opening.promise;
    await engine.close();
    await refused;
    expect(ended).toHaveBeenCalledTimes(1);
  });

  it('ends although the network drops the last packet of a connection that was in use', async () => {
    jest.spyOn(pg.Connection.prototype, 'end').mockReturnValue();
    const [begun, held] = [deferred<void>(), deferred<void>()];
    const work = engine.transact(async (db) => {
      begun.resolve();
      await held.promise;
      await read(db);
      return 'done';
    });
    await begun.promise;
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const closing = engine.close();
    held.resolve();
    expect(await work).toBe('done');
    const limits = timers.mock.calls.filter(([, milliseconds]) => milliseconds === 500);
    expect(limits).toHaveLength(1);
    limits[0]?.[0]();
    await closing;
  });
});
