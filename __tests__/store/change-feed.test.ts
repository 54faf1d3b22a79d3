import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { StoreWarning } from 'keyward/store';
import { appendChange, Feed } from '../../lib/store/change-feed.js';
import type { Engine } from '../../lib/store/engine.js';
import { openSqlite } from '../../lib/store/sqlite/engine.js';
import { StoreError } from '../../lib/store/store-error.js';
import { eavesdrop } from '../support/eavesdrop.js';
import { listenTo } from '../support/store-listener.js';

afterEach(() => {
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
      return undefined;
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
    /** The next attempts fail. */
    fail: (attempts: number) => {
      failures = attempts;
    },
    change: (key: string) => database.transact((tx) => appendChange(database, tx, { key })),
  };
}

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
  ])('$outcome if $attempts of the attempts of a poll fail', async ({ attempts, warnings, polls }) => {
    const events = eavesdrop();
    const { engine, poll, fail } = await polledByHand();
    const feed = new Feed(engine);
    const heard = listenTo(feed);
    feed.start();
    await poll();
    fail(attempts);
    await poll();
    expect(events.heard<StoreWarning>('keyward:store').map(({ warning }) => warning)).toEqual(warnings);
    expect(heard.currents()).toBe(polls);
    events.stop();
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
    await expect(feed.lookUp(found(0))).rejects.toMatchObject({ code: 'store_unavailable' });
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
