import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Engine } from '../../lib/store/engine.js';
import { appendChange, Feed } from '../../lib/store/feed.js';
import { openSqlite } from '../../lib/store/sqlite-engine.js';
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
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() + elapsed);
  const engine: Engine = {
    ...database,
    reader: database.reader,
    version() {
      elapsed += slowness;
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
    change: (key: string) => database.transact((tx) => appendChange(database, tx, { key })),
  };
}

describe('a feed', () => {
  it('confirms what held when a poll was sent, however long it took', async () => {
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

  it('begins a poll anew for whoever asks while one is under way', async () => {
    const { engine, poll } = await polledByHand();
    const feed = new Feed(engine);
    const heard = listenTo(feed);
    feed.start();
    await Promise.all([poll(), poll(), poll()]);
    expect(heard.currents()).toBe(2);
    await engine.close();
  });

  it('drops everything at each poll while its table is empty', async () => {
    const { engine, poll } = await polledByHand();
    const feed = new Feed(engine);
    const heard = listenTo(feed);
    feed.start();
    await engine.transact((tx) => tx.deleteFrom('changes').execute());
    for (const _time of [1, 2]) await poll();
    expect(heard.changes).toEqual(['all', 'all']);
    await engine.close();
  });

  it('starts once, and tells nobody anything once it was stopped', async () => {
    const { engine, poll, change } = await polledByHand();
    const follow = jest.spyOn(engine, 'follow');
    const feed = new Feed(engine);
    const heard = listenTo(feed);
    for (const _time of [1, 2]) feed.start();
    expect(follow).toHaveBeenCalledTimes(1);
    feed.stop();
    await change('a');
    await poll();
    feed.tell({ key: 'b' });
    expect([heard.changes, heard.currents()]).toEqual([[], 0]);
    await engine.close();
  });
});
