import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { sql } from 'kysely';
import { keyViewOf } from '../../lib/management/keys/key-view.js';
import type { Engine } from '../../lib/store/engine.js';
import { createLastUsedWriter, type LastUsedWriter } from '../../lib/store/last-used.js';
import { keyWithSecrets, listKeys } from '../../lib/store/repository/account-and-key-queries.js';
import { openSqlite } from '../../lib/store/sqlite/engine.js';
import type { SecretRow } from '../../lib/store/tables.js';
import { accountRow, keyRow, secretRow } from '../support/stored-rows.js';

/** A second less than a minute. */
const A_WHILE = 59_000;

describe('last uses', () => {
  let engine: Engine;
  let uses: LastUsedWriter;
  let now: number;
  let writes: number;
  /** Milliseconds by which the clock of the database is ahead of this machine's. */
  let ahead: number;

  beforeEach(async () => {
    const database = await openSqlite(':memory:');
    await database.migrate();
    await database.transact(async (tx) => {
      await tx.insertInto('accounts').values(accountRow()).execute();
      await tx
        .insertInto('keys')
        .values(keyRow({ id: 'key_1' }))
        .execute();
      for (const text of ['one', 'two']) await tx.insertInto('secrets').values(secretRow('key_1', text)).execute();
    });
    writes = 0;
    engine = {
      ...database,
      get now() {
        return sql<number>`cast(${now + ahead} as integer)`;
      },
      transact(work) {
        writes += 1;
        return database.transact(work);
      },
    };
    uses = createLastUsedWriter(engine);
    now = 1_000_000;
    ahead = 0;
    for (const clock of [Date, performance]) jest.spyOn(clock, 'now').mockImplementation(() => now);
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await engine.close();
  });

  const of = (text: string) => secretRow('', text).digest;
  const stored = async (text: string) => {
    const rows: readonly SecretRow[] = await engine.lookups.selectFrom('secrets').selectAll().execute();
    const row = rows.find(({ digest }) => digest === of(text));
    return [row?.last_used_at, row?.last_used_from];
  };

  it('are written on flush, with time and address', async () => {
    uses.record(of('one'), '192.0.2.1');
    uses.record(of('two'), undefined);
    expect(await stored('one')).toEqual([null, null]);
    await uses.flush();
    expect([await stored('one'), await stored('two')]).toEqual([
      [now, '192.0.2.1'],
      [now, null],
    ]);
  });

  it('are written five seconds after the first of them, once', async () => {
    jest.useFakeTimers({ doNotFake: ['Date', 'performance', 'nextTick', 'queueMicrotask', 'setImmediate'] });
    try {
      uses.record(of('one'), '192.0.2.1');
      jest.advanceTimersByTime(3_000);
      uses.record(of('two'), undefined);
      jest.advanceTimersByTime(1_999);
      await new Promise(setImmediate);
      expect(writes).toBe(0);
      jest.advanceTimersByTime(1);
      await new Promise(setImmediate);
      expect(writes).toBe(1);
      jest.advanceTimersByTime(60_000);
    } finally {
      jest.useRealTimers();
    }
    await uses.flush();
    expect([writes, await stored('one'), await stored('two')]).toEqual([1, [now, '192.0.2.1'], [now, null]]);
  });

  it('are the order of lists of keys: the latest use of any secret', async () => {
    for (const [id, text] of [
      ['key_2', 'three'],
      ['key_3', 'four'],
    ] as const) {
      await engine.transact(async (tx) => {
        await tx.insertInto('keys').values(keyRow({ id })).execute();
        await tx.insertInto('secrets').values(secretRow(id, text)).execute();
      });
    }
    const order = async (isDescending: boolean) => {
      const filter = { account: 'acme', kinds: ['secret'], now, limit: 9, sort: { by: 'used', isDescending } } as const;
      return (await listKeys(engine.lists, filter, engine)).map(({ key }) => key.id);
    };
    uses.record(of('two'), undefined);
    now += 1_000;
    uses.record(of('three'), undefined);
    now -= 2_000;
    uses.record(of('one'), undefined);
    await uses.flush();
    expect(await order(true)).toEqual(['key_2', 'key_1', 'key_3']);
    expect(await order(false)).toEqual(['key_3', 'key_1', 'key_2']);
    now += 2 * A_WHILE;
    uses.record(of('one'), undefined);
    await uses.flush();
    expect(await order(true)).toEqual(['key_1', 'key_2', 'key_3']);
  });

  it('of several secrets of a key: the latest is the use of the key', async () => {
    const latest = now;
    uses.record(of('two'), undefined);
    now -= 1_000;
    uses.record(of('one'), undefined);
    now += 5_000;
    await uses.flush();
    const keys = await engine.lookups.selectFrom('keys').select('used_at').execute();
    expect(keys).toEqual([{ used_at: latest }]);
  });

  it('select the keys of a list that exist since before a time and were not used since', async () => {
    const rows = [keyRow({ id: 'key_2' }), keyRow({ id: 'key_3', created_at: now })];
    await engine.transact((tx) => tx.insertInto('keys').values(rows).execute());
    uses.record(of('one'), undefined);
    await uses.flush();
    const unusedSince = async (time: number) => {
      const sort = { by: 'created', isDescending: true } as const;
      const filter = { account: 'acme', kinds: ['secret'], now, limit: 9, sort, unusedSince: time } as const;
      return (await listKeys(engine.lists, filter, engine)).map(({ key }) => key.id).sort();
    };
    expect(await unusedSince(now)).toEqual(['key_2']);
    expect(await unusedSince(now + 1)).toEqual(['key_1', 'key_2', 'key_3']);
    expect(await unusedSince(0)).toEqual([]);
  });

  it('of a public key are written too', async () => {
    const row = { key_id: 'key_1', kid: 'one', jwk: '{}', digest: of('public'), created_at: 0 };
    await engine.transact((tx) =>
      tx
        .insertInto('public_keys')
        .values({ ...row, last_used_at: null, last_used_from: null })
        .execute(),
    );
    uses.record(of('public'), '203.0.113.7');
    await uses.flush();
    const [used] = await engine.lookups.selectFrom('public_keys').selectAll().execute();
    expect(used).toMatchObject({ last_used_at: now, last_used_from: '203.0.113.7' });
    // Lists are sorted by the use of the key.
    const [key] = await engine.lookups.selectFrom('keys').select('used_at').execute();
    expect(key).toEqual({ used_at: now });
  });

  it('stay the last use of the key after the secret or public key was deleted', async () => {
    const row = { key_id: 'key_1', kid: 'one', digest: of('public'), created_at: 0 };
    const jwk = '{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","kid":"one"}';
    await engine.transact((tx) =>
      tx
        .insertInto('public_keys')
        .values({ ...row, jwk, last_used_at: null, last_used_from: null })
        .execute(),
    );
    const lastUse = async () => {
      const found = await keyWithSecrets(engine.lists, 'key_1');
      return found && keyViewOf(found, now).lastUsedAt;
    };
    expect(await lastUse()).toBeNull();
    uses.record(of('one'), undefined);
    await uses.flush();
    await engine.transact((tx) => tx.deleteFrom('secrets').where('digest', '=', of('one')).execute());
    expect(await lastUse()).toEqual(new Date(now));
    now += 1;
    uses.record(of('public'), undefined);
    await uses.flush();
    await engine.transact((tx) => tx.deleteFrom('public_keys').execute());
    expect(await lastUse()).toEqual(new Date(now));
  });

  it.each([-600_000, 600_000])('have the time of the database, whose clock is %d ms ahead', async (difference) => {
    ahead = difference;
    uses.record(of('one'), undefined);
    now += 4_000;
    await uses.flush();
    expect(await stored('one')).toEqual([1_000_000 + difference, null]);
    const [key] = await engine.lookups.selectFrom('keys').select('used_at').execute();
    expect(key?.used_at).toBe(1_000_000 + difference);
  });

  it('are written in batches, and nothing if there are none', async () => {
    await uses.flush();
    expect(writes).toBe(0);
    for (let at = 0; at < 999; at += 1) uses.record(`unknown ${at}`, undefined);
    uses.record(of('two'), 'here');
    await uses.flush();
    expect([writes, await stored('two')]).toEqual([5, [now, 'here']]);
  });

  it('of one secret are written once a minute', async () => {
    uses.record(of('one'), 'first');
    await uses.flush();
    now += A_WHILE - 1;
    uses.record(of('one'), 'second');
    await uses.flush();
    expect(await stored('one')).toEqual([1_000_000, 'first']);
    now += 1;
    uses.record(of('one'), 'third');
    await uses.flush();
    expect(await stored('one')).toEqual([now, 'third']);
  });

  it('of a secret whose key was rotated are written immediately, then once a minute again', async () => {
    uses.record(of('one'), 'before');
    await uses.flush();
    now += 10_000;
    await engine.transact((tx) =>
      tx
        .insertInto('secrets')
        .values(secretRow('key_1', 'newer', { created_at: now }))
        .execute(),
    );
    now += 1_000;
    const first = now;
    uses.record(of('one'), 'after');
    await uses.flush();
    expect(await stored('one')).toEqual([first, 'after']);

    const written = writes;
    for (let second = 0; second < 50; second += 5) {
      now += 5_000;
      uses.record(of('one'), 'on and on');
      await uses.flush();
    }
    expect([writes, await stored('one')]).toEqual([written, [first, 'after']]);
    now = first + A_WHILE;
    uses.record(of('one'), 'later');
    await uses.flush();
    expect([writes, await stored('one')]).toEqual([written + 1, [now, 'later']]);
  });

  it('of a secret whose key was not rotated are not written again, even if another key was', async () => {
    await engine.transact((tx) =>
      tx
        .insertInto('keys')
        .values(keyRow({ id: 'key_2' }))
        .execute(),
    );
    await engine.transact((tx) =>
      tx
        .insertInto('secrets')
        .values([secretRow('key_2', 'its own'), secretRow('key_2', 'newer', { created_at: now + 2 })])
        .execute(),
    );
    for (const text of ['one', 'its own']) uses.record(of(text), 'before');
    await uses.flush();
    now += 5_000;
    for (const text of ['one', 'its own']) uses.record(of(text), 'after');
    await uses.flush();
    expect([await stored('one'), await stored('its own')]).toEqual([
      [1_000_000, 'before'],
      [now, 'after'],
    ]);
  });

  it('do not overwrite a later use written by another process', async () => {
    uses.record(of('one'), 'earlier');
    await engine.transact((tx) =>
      tx
        .updateTable('secrets')
        .set({ last_used_at: now + 1, last_used_from: 'x' })
        .execute(),
    );
    await uses.flush();
    expect(await stored('one')).toEqual([now + 1, 'x']);
  });

  it('are lost while the store cannot be reached, and written again afterwards', async () => {
    const out = jest.spyOn(engine, 'transact').mockRejectedValue(new Error('out of reach'));
    for (let at = 0; at < 2_000; at += 1) uses.record(`unknown ${at}`, undefined);
    uses.record(of('one'), 'lost');
    await uses.flush();
    expect(out).toHaveBeenCalledTimes(1);
    out.mockRestore();
    uses.record(of('one'), 'found');
    await uses.flush();
    expect(await stored('one')).toEqual([now, 'found']);
  });

  it('are written again after their write failed', async () => {
    const out = jest.spyOn(engine, 'transact').mockRejectedValue(new Error('out of reach'));
    uses.record(of('one'), 'lost');
    await uses.flush();
    out.mockRestore();
    uses.record(of('one'), 'found');
    await uses.flush();
    expect(await stored('one')).toEqual([now, 'found']);
  });

  it('are limited to 10,000 secrets at a time', async () => {
    for (let at = 0; at < 10_000; at += 1) uses.record(`unknown ${at}`, undefined);
    uses.record(of('one'), 'one too many');
    await uses.flush();
    expect(await stored('one')).toEqual([null, null]);
    uses.record(of('one'), 'in time');
    await uses.flush();
    expect(await stored('one')).toEqual([now, 'in time']);
  });

  it('replace an earlier use of the same secret, also while 10,000 secrets wait', async () => {
    uses.record(of('one'), 'first');
    for (let at = 0; at < 10_000; at += 1) uses.record(`unknown ${at}`, undefined);
    now += 1_000;
    uses.record(of('one'), 'second');
    await uses.flush();
    expect(await stored('one')).toEqual([now, 'second']);
  });

  it('are written 5 s after the first of them, by a timer that keeps no process alive', async () => {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const flushed = async () => {
      const [write, delay] = timers.mock.calls.at(-1) ?? [];
      expect(delay).toBe(5_000);
      const timer = timers.mock.results.at(-1)?.value as NodeJS.Timeout | undefined;
      expect(timer?.hasRef()).toBe(false);
      write?.();
      await uses.flush();
    };
    uses.record(of('one'), 'first');
    uses.record(of('two'), 'first');
    expect(timers).toHaveBeenCalledTimes(1);
    await flushed();
    expect(await stored('one')).toEqual([1_000_000, 'first']);
    // Each write sets the timer again.
    now += A_WHILE;
    uses.record(of('one'), 'second');
    expect(timers).toHaveBeenCalledTimes(2);
    await flushed();
    expect(await stored('one')).toEqual([now, 'second']);
  });

  it('have the address in its shortest form', async () => {
    uses.record(of('one'), '::ffff:203.0.113.7');
    await uses.flush();
    expect(await stored('one')).toEqual([now, '203.0.113.7']);
  });

  it('of 10,000 secrets are remembered, then forgotten together', async () => {
    for (let at = 0; at < 9_999; at += 1) uses.record(`unknown ${at}`, undefined);
    uses.record(of('one'), 'first');
    await uses.flush();
    now += 1_000;
    uses.record(of('two'), 'other');
    await uses.flush();
    // With 10,000 in memory the next write forgets them, so the use is written before the minute has passed.
    uses.record(of('one'), 'second');
    await uses.flush();
    expect(await stored('one')).toEqual([now, 'second']);
  });

  it('are counted apart if they repeat: 10,000 of each', async () => {
    uses.record(of('one'), 'first');
    await uses.flush();
    for (let at = 0; at < 10_000; at += 1) uses.record(`unknown ${at}`, undefined);
    await engine.transact((tx) =>
      tx
        .insertInto('secrets')
        .values(secretRow('key_1', 'newer', { created_at: now + 1 }))
        .execute(),
    );
    now += 2;
    uses.record(of('one'), 'after');
    await uses.flush();
    expect(await stored('one')).toEqual([now, 'after']);
  });
});
