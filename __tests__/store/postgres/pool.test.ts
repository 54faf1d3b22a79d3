import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { type BoundedPool, postgresPool } from '../../../lib/store/postgres/pool.js';
import { onServer, POSTGRES } from '../../support/test-stores.js';

onServer('a connection of a pool', () => {
  let pool: BoundedPool;
  let connection: Awaited<ReturnType<BoundedPool['connect']>>;

  beforeEach(async () => {
    pool = postgresPool(() => ({ connectionString: POSTGRES ?? '' }), {
      ...{ maxConnections: 1, connectTimeout: 10_000, statementTimeout: 10_000 },
    });
    connection = await pool.connect();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    connection.release();
    await pool.end();
  });

  const run = (text: string) => connection.query(text, []);
  const raise = (what: string) => run(`do $$ begin raise ${what}; end $$`);

  it.each(['22008', '40001', '42703', 'P0001'])('is used further after SQLSTATE %s', async (driverCode) => {
    await expect(raise(`sqlstate '${driverCode}'`)).rejects.toMatchObject({ driverCode });
    expect((await run('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it.each(['08006', '57P01', '25P03', '25006'])('is not used further after SQLSTATE %s', async (driverCode) => {
    await expect(raise(`sqlstate '${driverCode}'`)).rejects.toMatchObject({ driverCode });
    await expect(run('select 1 as one')).rejects.toMatchObject({ driverCode });
  });

  it('is not used further after an error of the network', async () => {
    const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    jest.spyOn(pg.Client.prototype, 'query').mockImplementationOnce((() => Promise.reject(reset)) as never);
    await expect(run('select 1 as one')).rejects.toMatchObject({ driverCode: 'ECONNRESET' });
    await expect(run('select 1 as one')).rejects.toMatchObject({ driverCode: 'ECONNRESET' });
  });

  /** Commits a transaction during whose commit PostgreSQL sends a message. */
  async function commitWith(level: 'warning' | 'notice') {
    await run('create temp table sent (one integer)');
    await run(
      `create function pg_temp.at_commit() returns trigger language plpgsql as
         $$ begin raise ${level} 'row'; return null; end $$`,
    );
    await run(
      `create constraint trigger at_commit after insert on sent deferrable initially deferred
         for each row execute function pg_temp.at_commit()`,
    );
    await run('begin');
    await run('insert into sent values (1)');
    return await run('commit');
  }

  it('refuses a commit with a warning, because the write may not be on the replica', async () => {
    await expect(commitWith('warning')).rejects.toMatchObject({ code: 'store_unavailable', driverCode: '01000' });
    expect((await run('select one from sent')).rows).toEqual([{ one: 1 }]);
  });

  it('accepts a commit with a notice, and other statements with a warning', async () => {
    const query = jest.spyOn(pg.Client.prototype, 'query');
    expect(await commitWith('notice')).toMatchObject({ command: 'COMMIT' });
    expect(await raise(`warning 'row'`)).toMatchObject({ command: 'DO' });
    // A listener that stays would be one more with each commit.
    expect((query.mock.contexts[0] as unknown as pg.Client).listenerCount('notice')).toBe(0);
  });
});

it('a pool that has ended refuses to connect', async () => {
  const pool = postgresPool(() => ({ connectionString: 'postgres://127.0.0.1:1/none' }), {
    ...{ maxConnections: 1, connectTimeout: 10_000, statementTimeout: 10_000 },
  });
  await pool.end();
  await expect(pool.connect()).rejects.toMatchObject({ name: 'StoreError', message: 'the store is closed' });
});
