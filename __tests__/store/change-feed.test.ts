import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Change } from 'keyward';
import type { StoreWarning } from 'keyward/store';
import { appendChange, Feed } from '../../lib/store/change-feed.js';
import type { Engine } from '../../lib/store/engine.js';
import { openSqlite } from '../../lib/store/sqlite/engine.js';
import { StoreError } from '../../lib/store/store-error.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { listenTo } from '../support/store-listener.js';

let events: Eavesdropper;

beforeEach(() => {
  events = eavesdrop();
});

afterEach(() => {
  events.stop();
  jest.restoreAllMocks();
});

/** An engine whose polls a test makes, each as slow as it says. */
async function polledByHand() {
  const database = await openSqlite(':memory:');
  await database.migrate();
  let poll: () => Promise<void> = async () => undefined;
  let slowness = 0;
  let elapsed = 0;
  let failures = 0;
  let version: string | undefined;
  let replacements = 0;
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() + elapsed);
  const engine: Engine = {
    ...database,
    async version() {
      elapsed += slowness;
      if (failures > 0) {
        failures -= 1;
        throw new StoreError('store_unavailable', 'the connection was closed');
      }
      return version;
    },
    get replacements() {
      return replacements;
    },
    follow(given) {
      poll = given;
      return () => undefined;
    },
  };
  return {
    engine,
    poll: (milliseconds = 0) => {
      slowness = milliseconds;
      return poll();
    },
    /** From now on the engine reports this version of the database file. */
    setVersion: (given: string) => {
      version = given;
    },
    /** From now on the engine reports that it has opened the database file again. */
    replace: () => {
      replacements += 1;
    },
    /** The next attempts fail. */
    fail: (attempts: number) => {
      failures = attempts;
    },
    append: (change: Change) => database.transact((tx) => appendChange(database, tx, change)),
    change: (key: string) => database.transact((tx) => appendChange(database, tx, { key })),
  };
}

/** Inserts changes of the keys `1`, `2`... after the first row of an empty feed, without the head of the feed. */
async function insertChanges(engine: Engine, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, at) => {
    return { position: at + 1, id: `change ${at + 1}`, member: 'key', subject: `${at + 1}` } as const;
  });
  await engine.lookups.insertInto('changes').values(rows).execute();
}

const warnings = () => events.heard<StoreWarning>('keyward:store');
const NOT_REACHED = { warning: 'unreachable', detail: 'the connection was closed' };
const REACHED = { warning: 'reachable', detail: undefined };
const FEED_REPLACED = {
  warning: 'replaced',
  detail:
    'the last change that this process has read is no longer in the change feed, so all cached records were invalidated',
};

describe('a feed', () => {
  it('confirms entries as of the start of a poll, however long it takes', async () => {
    const { engine, poll, change } = await polledByHand();
    const feed = new Feed(engine);
    const heard = listenTo(feed);
    feed.start();
    await poll();
    expect([heard.changes, heard.currents()]).toEqual([['all'], 1]);
    await change('a');
    await poll(4_000);
    expect([heard.changes, heard.currents()]).toEqual([['all', { key: 'a' }], 2]);
    expect(heard.ages[0]).toBeLessThan(1_000);
    expect(heard.ages[1]).toBeGreaterThanOrEqual(4_000);
    await engine.close();
  });

  it.each([
    { attempts: 1, outcome: 'reports no outage', warnings: [], polls: 2 },
    { attempts: 2, outcome: 'reports an outage', warnings: ['unreachable'], polls: 1 },
  ])('$outcome if $attempts of the attempts of a poll fail', async ({ attempts, warnings: expected, polls }) => {
    const { engine, poll, fail } = await polledByHand();
    const feed = new Feed(engine);
    const heard = listenTo(feed);
    feed.start();
    await poll();
    fail(attempts);
    await poll();
    expect(warnings().map(({ warning }) => warning)).toEqual(expected);
    expect(heard.currents()).toBe(polls);
    await engine.close();
  });

  it('refuses an answer that is older than the feed was when it was asked, and no answer during which a change came', async () => {
    const { engine, poll, change } = await polledByHand();
    const feed = new Feed(engine);
    feed.start();
    await change('a');
    await poll();
    const found = (position: number) => async () => ({ record: 'found', position });
    expect(await feed.lookUp(found(1))).toBe('found');
    await expect(feed.lookUp(found(0))).rejects.toMatchObject({
      code: 'store_unavailable',
      message: 'the database replica returned older data than the change feed; try again',
    });
    const answer = await feed.lookUp(async () => {
      await change('b');
      await poll();
      return { record: 'found', position: 1 };
    });
    expect(answer).toBe('found');
    await engine.close();
  });

  it('starts another poll for a request during a poll', async () => {
    const { engine, poll } = await polledByHand();
    const feed = new Feed(engine);
    const heard = listenTo(feed);
    feed.start();
    await Promise.all([poll(), poll(), poll()]);
    expect(heard.currents()).toBe(2);
    await engine.close();
  });

  it('invalidates everything at each poll while its table is empty', async () => {
    const { engine, poll } = await polledByHand();
    const feed = new Feed(engine);
    const heard = listenTo(feed);
    feed.start();
    await engine.transact((tx) => tx.deleteFrom('changes').execute());
    for (const _time of [1, 2]) await poll();
    expect(heard.changes).toEqual(['all', 'all']);
    await engine.close();
  });

  it('reports an outage once, and its end once', async () => {
    const { engine, poll, fail } = await polledByHand();
    const feed = new Feed(engine);
    feed.start();
    await poll();
    expect(warnings()).toEqual([]);
    fail(4);
    for (const _time of [1, 2]) await poll();
    expect(warnings()).toEqual([NOT_REACHED]);
    for (const _time of [1, 2]) await poll();
    expect(warnings()).toEqual([NOT_REACHED, REACHED]);
    fail(2);
    await poll();
    expect(warnings()).toEqual([NOT_REACHED, REACHED, NOT_REACHED]);
    await engine.close();
  });

  it('reports no outage after it was stopped', async () => {
    const { engine, poll, fail } = await polledByHand();
    const feed = new Feed(engine);
    feed.start();
    feed.stop();
    fail(2);
    await poll();
    expect(warnings()).toEqual([]);
    await engine.close();
  });

  it('no longer notifies a listener that stopped watching', async () => {
    const { engine, poll } = await polledByHand();
    const feed = new Feed(engine);
    const [gone, heard] = [listenTo(feed), listenTo(feed)];
    feed.start();
    gone.stop();
    await poll();
    expect([gone.changes, gone.currents(), heard.changes, heard.currents()]).toEqual([[], 0, ['all'], 1]);
    await engine.close();
  });

  it('reads its table only if the version of the database file has changed', async () => {
    const { engine, poll, setVersion, change } = await polledByHand();
    const feed = new Feed(engine);
    const heard = listenTo(feed);
    setVersion('1');
    feed.start();
    await poll();
    await change('a');
    await poll();
    expect([heard.changes, heard.currents()]).toEqual([['all'], 2]);
    setVersion('2');
    await poll();
    expect([heard.changes, heard.currents()]).toEqual([['all', { key: 'a' }], 3]);
    await engine.close();
  });

  it('invalidates everything if the database file was replaced, even by one of the same version', async () => {
    const { engine, poll, setVersion, replace } = await polledByHand();
    const feed = new Feed(engine);
    const heard = listenTo(feed);
    setVersion('1');
    feed.start();
    await poll();
    replace();
    for (const _time of [1, 2]) await poll();
    expect(heard.changes).toEqual(['all', 'all']);
    expect(warnings()).toEqual([
      {
        warning: 'replaced',
        detail:
          'the database file or its write-ahead log was replaced, so the file was opened again and all cached records were invalidated',
      },
    ]);
    await engine.close();
  });

  it.each<[string, (engine: Engine) => Promise<unknown>]>([
    ['deleted', ({ lookups }) => lookups.deleteFrom('changes').execute()],
    ['replaced by another at its position', ({ lookups }) => lookups.updateTable('changes').set({ id: 'x' }).execute()],
  ])('invalidates everything if the last change that it has read was %s', async (_how, edit) => {
    const { engine, poll } = await polledByHand();
    const feed = new Feed(engine);
    const heard = listenTo(feed);
    feed.start();
    await poll();
    await edit(engine);
    await poll();
    expect([heard.changes, heard.currents()]).toEqual([['all', 'all'], 2]);
    expect(warnings()).toEqual([FEED_REPLACED]);
    await engine.close();
  });

  it.each([
    { count: 1_000, outcome: 'reports each of' },
    { count: 1_001, outcome: 'invalidates everything, without a warning, after' },
  ])('$outcome $count changes since the last poll', async ({ count }) => {
    const { engine, poll, append } = await polledByHand();
    const feed = new Feed(engine);
    const heard = listenTo(feed);
    feed.start();
    await poll();
    heard.changes.length = 0;
    await insertChanges(engine, count);
    await engine.lookups.updateTable('feed_head').set({ position: count }).execute();
    await poll();
    expect(heard.changes).toEqual(
      count > 1_000 ? ['all'] : Array.from({ length: count }, (_, at) => ({ key: `${at + 1}` })),
    );
    heard.changes.length = 0;
    await append({ account: 'acme' });
    await poll();
    expect(heard.changes).toEqual([{ account: 'acme' }]);
    expect(warnings()).toEqual([]);
    await engine.close();
  });

  it('starts once, and notifies nobody after it was stopped', async () => {
    const { engine, poll, change } = await polledByHand();
    const follow = jest.spyOn(engine, 'follow');
    const feed = new Feed(engine);
    const heard = listenTo(feed);
    for (const _time of [1, 2]) feed.start();
    expect(follow).toHaveBeenCalledTimes(1);
    feed.stop();
    await change('a');
    await poll();
    feed.notify({ key: 'b' });
    expect([heard.changes, heard.currents()]).toEqual([[], 0]);
    await engine.close();
  });
});

describe('appendChange', () => {
  it('writes a change of each kind, as a feed reads it', async () => {
    const { engine, poll, append } = await polledByHand();
    const feed = new Feed(engine);
    const heard = listenTo(feed);
    feed.start();
    await poll();
    const changes: Change[] = ['all', { key: 'k' }, { accessKey: 'a' }, { account: 'acme' }];
    for (const change of changes) await append(change);
    await poll();
    expect(heard.changes).toEqual(['all', ...changes]);
    const rows = await engine.lookups.selectFrom('changes').selectAll().where('position', '>', 0).execute();
    expect(rows).toEqual([
      { position: 1, id: expect.any(String), member: 'all', subject: null },
      { position: 2, id: expect.any(String), member: 'key', subject: 'k' },
      { position: 3, id: expect.any(String), member: 'accessKey', subject: 'a' },
      { position: 4, id: expect.any(String), member: 'account', subject: 'acme' },
    ]);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(4);
    await engine.close();
  });

  it('deletes old changes at each thousandth position, except the last ten thousand', async () => {
    const { engine, change } = await polledByHand();
    const { lookups } = engine;
    const positions = async () =>
      (await lookups.selectFrom('changes').select('position').orderBy('position').execute()).map((row) => row.position);
    await lookups.deleteFrom('changes').execute();
    await lookups
      .insertInto('changes')
      .values(
        [1, 1_999, 2_000].map((position) => ({ position, id: `${position}`, member: 'all' as const, subject: null })),
      )
      .execute();
    await lookups.updateTable('feed_head').set({ position: 11_998 }).execute();
    await change('a');
    expect(await positions()).toEqual([1, 1_999, 2_000, 11_999]);
    await change('b');
    expect(await positions()).toEqual([2_000, 11_999, 12_000]);
    await engine.close();
  });
});
