import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createManagement, type Management } from 'keyward/management';
import type { CredentialStore } from 'keyward/store';
import { Feed } from '../../lib/store/change-feed.js';
import type { Engine } from '../../lib/store/engine.js';
import { openPostgres } from '../../lib/store/postgres/engine.js';
import type { Repository } from '../../lib/store/repository/repository.js';
import { sqlRepository } from '../../lib/store/repository/sql-repository.js';
import { openSqlite } from '../../lib/store/sqlite/engine.js';
import { addUsage } from '../../lib/store/usage/usage-queries.js';
import { createUsageWriter, type UsageWriter } from '../../lib/store/usage/usage-writer.js';
import { dayOf } from '../../lib/store/usage/utc-days.js';
import { fileOf, schemaOf } from '../support/store-database.js';
import { accountRow, addKey } from '../support/stored-rows.js';
import { type EngineName, engines, POSTGRES, placesOf, type TestPlace } from '../support/test-stores.js';

const MEMBER = { id: 'owner', account: 'acme', permissions: ['owner'] } as const;
const NOON = Date.UTC(2026, 10, 22, 12);
const MIDNIGHT = Date.UTC(2026, 10, 23);

const open: Readonly<Record<EngineName, (url: string) => Promise<Engine>>> = {
  memory: () => openSqlite(':memory:'),
  SQLite: (url) => openSqlite(fileOf(url)),
  PostgreSQL: async (url) => openPostgres(POSTGRES ?? '', schemaOf(url)),
};

describe.each(engines)('usage in %s', (name) => {
  let place: TestPlace;
  let engine: Engine;
  let repository: Repository;
  let management: Management;
  let writer: UsageWriter;
  let id: string;

  beforeEach(async () => {
    place = await placesOf[name]();
    engine = await open[name](place.url);
    await engine.migrate();
    repository = sqlRepository(engine, new Feed(engine));
    const store = { repository, resolveKey: () => undefined, ready: async () => true } as unknown as CredentialStore;
    management = createManagement({ store });
    writer = createUsageWriter(engine);
    ({ id } = await repository.transact(async (tx) => {
      await tx.insertAccount(accountRow());
      return await addKey(tx);
    }));
  });
  afterEach(async () => {
    jest.useRealTimers();
    await engine.close();
    await place.remove();
  });

  const standAt = (now: number) =>
    jest.useFakeTimers({ now, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
  const rows = () => repository.usage(id, 0, 1e6);
  const today = async () => (await management.usage(MEMBER, id)).days.at(-1);

  it('is written once a minute', async () => {
    standAt(NOON);
    for (let request = 0; request < 3; request += 1) writer.usageOf(id).accepted();
    writer.usageOf(id).refused();
    jest.advanceTimersByTime(59_999);
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersByTime(1);
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
    await writer.flush();
    expect(await rows()).toEqual([{ key_id: id, day: dayOf(NOON), accepted: 3, refused: 1 }]);
  });

  it('is added to earlier counts of this and other processes', async () => {
    for (const other of [writer, createUsageWriter(engine), writer]) {
      other.usageOf(id).accepted();
      other.usageOf(id).refused();
      await other.flush();
    }
    expect(await today()).toEqual({ day: expect.any(String), accepted: 3, refused: 3 });
  });

  it('belongs to the day on which it was counted', async () => {
    standAt(MIDNIGHT - 1_000);
    const counter = writer.usageOf(id);
    counter.accepted();
    // The interval ends with the day.
    jest.advanceTimersByTime(1_000);
    counter.accepted();
    jest.useRealTimers();
    await writer.flush();
    expect((await rows()).map(({ day, accepted }) => [day - dayOf(MIDNIGHT), accepted])).toEqual([
      [-1, 1],
      [0, 1],
    ]);
  });

  it('is counted with every counter of a key', async () => {
    const [one, other] = [writer.usageOf(id), writer.usageOf(id)];
    for (const counter of [one, other, one, writer.usageOf(id), writer.usageOf('key_other')]) counter.accepted();
    await writer.flush();
    one.accepted();
    await writer.flush();
    expect(await today()).toMatchObject({ accepted: 5 });
  });

  it('waits for a database that cannot be reached, and is written once', async () => {
    let isAway = true;
    const failing: Engine = {
      ...engine,
      transact: async (work) => (isAway ? Promise.reject(new Error('away')) : await engine.transact(work)),
    };
    const patient = createUsageWriter(failing);
    for (let minute = 0; minute < 3; minute += 1) {
      patient.usageOf(id).accepted();
      await patient.flush();
    }
    expect(await rows()).toEqual([]);
    isAway = false;
    patient.usageOf(id).accepted();
    await patient.flush();
    await patient.flush();
    expect(await today()).toMatchObject({ accepted: 4 });
  });

  it('is added to the counts that come while a write fails', async () => {
    let fail = (_error: Error): void => undefined;
    let isAway = true;
    const failing: Engine = {
      ...engine,
      transact: async (work) =>
        isAway ? await new Promise<never>((_resolve, reject) => (fail = reject)) : await engine.transact(work),
    };
    const patient = createUsageWriter(failing);
    patient.usageOf(id).accepted();
    const first = patient.flush();
    await new Promise(setImmediate);
    patient.usageOf(id).refused();
    const second = patient.flush();
    fail(new Error('away'));
    isAway = false;
    await Promise.all([first, second]);
    expect(await today()).toMatchObject({ accepted: 1, refused: 1 });
  });

  it('is counted once if the answer to a COMMIT is lost, and leaves one id of a batch', async () => {
    let losesAnswer = true;
    const failing: Engine = {
      ...engine,
      async transact(work) {
        const result = await engine.transact(work);
        if (losesAnswer) throw new Error('away');
        return result;
      },
    };
    const patient = createUsageWriter(failing);
    patient.usageOf(id).accepted();
    await patient.flush();
    losesAnswer = false;
    patient.usageOf(id).accepted();
    await patient.flush();
    expect(await today()).toMatchObject({ accepted: 2 });
    expect(await engine.lists.selectFrom('used_ids').select('id').execute()).toHaveLength(1);
  });

  it('is stored for 400 days by the clock of the database, whatever the clock of a process', async () => {
    const [now, wrong] = [dayOf(Date.now()), Date.now() + 500 * 86_400_000];
    await engine.transact((tx) => addUsage(tx, [{ key_id: id, day: now, accepted: 1, refused: 0 }]));
    const clock = jest.spyOn(Date, 'now').mockReturnValue(wrong);
    writer.usageOf(id).accepted();
    await writer.flush().finally(() => clock.mockRestore());
    expect((await rows()).map(({ day }) => day)).toEqual([now, dayOf(wrong)]);
  });

  it('is shown only to members of the account and of the environment', async () => {
    writer.usageOf(id).accepted();
    await writer.flush();
    const usage = await management.usage(MEMBER, id);
    expect(usage).toMatchObject({ id, accepted: 1, refused: 0 });
    expect(usage.days).toHaveLength(30);
    expect(usage.days.at(-1)).toEqual({ day: usage.to, accepted: 1, refused: 0 });
    const stranger = { ...MEMBER, account: 'other' };
    await expect(management.usage(stranger, id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(management.usage(MEMBER, 'key_none')).rejects.toMatchObject({ code: 'not_found' });
    expect(await management.recentUsage(MEMBER, [id, 'key_none'])).toEqual(
      new Map([[id, { accepted: 1, refused: 0 }]]),
    );
    expect((await management.recentUsage(stranger, [id])).size).toBe(0);
    expect((await management.recentUsage({ ...MEMBER, environment: 'live' }, [id])).size).toBe(1);
    expect((await management.recentUsage({ ...MEMBER, environment: 'sandbox' }, [id])).size).toBe(0);
    expect((await management.recentUsage(MEMBER, [])).size).toBe(0);
    expect((await management.recentUsage(MEMBER, [{} as string])).size).toBe(0);
    await expect(management.recentUsage(MEMBER, ['a\0'])).rejects.toMatchObject({ code: 'invalid', field: 'ids' });
  });

  it('of the last 30 days is the same in lists and on the page of a key', async () => {
    const now = dayOf(Date.now());
    const row = (day: number) => ({ key_id: id, day, accepted: 1, refused: 0 });
    await engine.transact((tx) => addUsage(tx, [row(now - 30), row(now - 29), row(now)]));
    expect(await management.usage(MEMBER, id)).toMatchObject({ accepted: 2 });
    expect(await management.recentUsage(MEMBER, [id])).toEqual(new Map([[id, { accepted: 2, refused: 0 }]]));
  });

  it('is shown for every day of a range', async () => {
    const [from, to] = [new Date('2026-01-30T12:00:00Z'), new Date('2026-02-02')];
    const { days, ...usage } = await management.usage(MEMBER, id, { from, to });
    expect(usage).toEqual({ id, from: '2026-01-30', to: '2026-02-02', accepted: 0, refused: 0 });
    expect(days.map(({ day }) => day)).toEqual(['2026-01-30', '2026-01-31', '2026-02-01', '2026-02-02']);
  });

  it.each([
    ['from after to', { from: new Date(86_400_000), to: new Date(0) }],
    ['401 days', { from: new Date(0), to: new Date(400 * 86_400_000) }],
    ['what is no date', { from: '2026-01-01' as never }],
    ['an invalid date', { to: new Date('x') }],
    ['another member', { days: 3 } as never],
  ])('refuses %s', async (_what, filter) => {
    await expect(management.usage(MEMBER, id, filter)).rejects.toMatchObject({ code: 'invalid' });
  });

  it('is stored for 400 days, also for keys that are no longer used', async () => {
    const now = dayOf(Date.now());
    const row = (day: number, key_id = id) => ({ key_id, day, accepted: 1, refused: 0 });
    const old = Array.from({ length: 600 }, (_, at) => row(now - 401, `key_${at}`));
    await engine.transact((tx) => addUsage(tx, [row(now - 400), row(now - 399), ...old]));
    writer.usageOf(id).accepted();
    await writer.flush();
    expect((await rows()).map(({ day }) => day - now)).toEqual([-399, 0]);
    expect(await repository.usage('key_599', 0, 1e6)).toEqual([]);
  });
});

describe('the usage of many keys', () => {
  let database: Engine;
  let engine: Engine;
  let batches: string[][];
  let writer: UsageWriter;

  beforeEach(async () => {
    database = await openSqlite(':memory:');
    await database.migrate();
    batches = [];
    engine = {
      ...database,
      async transact(work) {
        const before = new Set((await ids()).map(({ key_id }) => key_id));
        const result = await database.transact(work);
        batches.push((await ids()).map(({ key_id }) => key_id).filter((id) => !before.has(id)));
        return result;
      },
    };
    writer = createUsageWriter(engine);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await engine.close();
  });

  const ids = () => engine.lookups.selectFrom('usage').selectAll().execute();
  const written = () => batches.filter((batch) => batch.length > 0);

  it('is written in batches of 500, in the order of the keys', async () => {
    for (let at = 500; at >= 0; at -= 1) writer.usageOf(`key_${1_000 + at}`).accepted();
    await writer.flush();
    expect(written().map(({ length }) => length)).toEqual([500, 1]);
    expect(written()[1]).toEqual(['key_1500']);
  });

  it('is written early when 100,000 keys are counted', async () => {
    const timers = jest.spyOn(globalThis, 'clearTimeout');
    jest.spyOn(engine, 'transact').mockRejectedValue(new Error('away'));
    for (let at = 0; at < 99_999; at += 1) {
      const usage = writer.usageOf(`key_${at}`);
      // Each key is counted once, however many requests it has.
      for (const isAccepted of [at % 2 === 0, at % 2 === 1, true, false])
        isAccepted ? usage.accepted() : usage.refused();
    }
    expect(timers).not.toHaveBeenCalled();
    writer.usageOf('key_99999').accepted();
    expect(timers).toHaveBeenCalledTimes(1);
    await writer.flush();
  });

  it('is written by a timer that keeps no process alive', () => {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    writer.usageOf('key_1').accepted();
    writer.usageOf('key_2').accepted();
    expect(timers.mock.results.map(({ value }) => (value as NodeJS.Timeout).hasRef())).toEqual([false]);
  });

  it('waits for a database that cannot be reached: 100,000 keys, and the counts of these go on', async () => {
    const transact = jest.spyOn(engine, 'transact').mockRejectedValue(new Error('away'));
    for (let at = 0; at < 100_000; at += 1) writer.usageOf(`key_${100_000 + at}`).refused();
    await writer.flush();
    // The first batch of 500 failed, and waits apart from the others.
    for (let at = 0; at < 500; at += 1) writer.usageOf(`another_${at}`).refused();
    for (const id of ['one_too_many', 'key_150000']) writer.usageOf(id).refused();
    await writer.flush();
    transact.mockImplementation(database.transact);
    await writer.flush();
    const counts = new Map((await ids()).map(({ key_id, refused }) => [key_id, refused]));
    expect([counts.get('key_150000'), counts.get('key_199999'), counts.get('one_too_many')]).toEqual([2, 1, undefined]);
    expect(counts.size).toBe(100_500);
  });

  it('of old days is deleted once an hour, with the ids of old batches', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    const old = { key_id: 'key_old', day: 1, accepted: 1, refused: 0 };
    const isDeleted = async () => {
      await engine.lookups.insertInto('usage').values(old).execute();
      await engine.lookups.insertInto('used_ids').values({ id: 'old', expires_at: 1 }).execute();
      writer.usageOf('key_1').accepted();
      await writer.flush();
      const left = [
        ...(await engine.lookups.deleteFrom('usage').where('day', '=', 1).returning('key_id').execute()),
        ...(await engine.lookups.deleteFrom('used_ids').where('id', '=', 'old').returning('id').execute()),
      ];
      return left.length === 0;
    };
    expect(await isDeleted()).toBe(true);
    clock.mockReturnValue(3_600_999);
    expect(await isDeleted()).toBe(false);
    clock.mockReturnValue(3_601_000);
    expect(await isDeleted()).toBe(true);
  });

  it('has the id of its batch for a week, so that a batch is added once after a long outage', async () => {
    const before = Date.now();
    writer.usageOf('key_1').accepted();
    await writer.flush();
    const [row] = await engine.lookups.selectFrom('used_ids').selectAll().execute();
    const week = 7 * 86_400_000;
    expect(row?.id).toMatch(/^usage\.[0-9a-f-]{36}$/);
    expect(row?.expires_at).toBeGreaterThanOrEqual(before + week - 1);
    expect(row?.expires_at).toBeLessThanOrEqual(Date.now() + week + 1);
  });
});
