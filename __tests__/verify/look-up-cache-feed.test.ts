import { describe, expect, it } from '@jest/globals';
import { createCacheBench, facts, holdTimers, settled, WATCHED } from '../support/cache-bench.js';

holdTimers();

describe('lost(): what was looked up before is not confirmed again but by a look-up of its own', () => {
  it('a current() after it does not confirm it', async () => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.cache.listener.current();
    bench.cache.listener.lost();
    bench.clock.advance(5_001);
    bench.cache.listener.current();
    expect(bench.looksUp()).toBe(true);
  });

  it('its own look-up still does, for five seconds', async () => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.cache.listener.lost();
    bench.clock.advance(5_000);
    expect(bench.looksUp()).toBe(false);
  });

  it('what only the feed had confirmed is looked up at once', async () => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.clock.advance(5_001);
    bench.cache.listener.current();
    bench.cache.listener.lost();
    expect(bench.looksUp()).toBe(true);
  });

  it('nor does a second loss bring back what the first took', async () => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.cache.listener.lost();
    bench.clock.advance(5_001);
    bench.cache.listener.current();
    bench.cache.listener.lost();
    bench.cache.listener.current();
    expect(bench.looksUp()).toBe(true);
  });

  it('what is looked up after it is confirmed by the next current()', async () => {
    const bench = createCacheBench(WATCHED);
    bench.cache.listener.lost();
    await bench.learn(facts('first'));
    bench.clock.advance(5_001);
    bench.cache.listener.current();
    expect(bench.looksUp()).toBe(false);
  });

  it('a look-up under way when the feed is lost is not, though it lands after', async () => {
    const bench = createCacheBench(WATCHED);
    const answer = bench.ask();
    bench.cache.listener.lost();
    bench.begun[0]?.resolve(facts('first'));
    await answer;
    bench.clock.advance(5_001);
    bench.cache.listener.current();
    expect(bench.looksUp()).toBe(true);
  });

  it('but one that is made anew after the loss is', async () => {
    const bench = createCacheBench(WATCHED);
    const answer = bench.ask();
    bench.cache.listener.lost();
    bench.cache.listener.change({ key: 'k1' });
    bench.begun[0]?.resolve(facts('before'));
    await settled();
    bench.begun[1]?.resolve(facts('after'));
    await answer;
    bench.clock.advance(5_001);
    bench.cache.listener.current();
    expect(bench.looksUp()).toBe(false);
  });

  it('a current() from before it confirms nothing that is looked up after', async () => {
    const bench = createCacheBench(WATCHED);
    bench.cache.listener.current();
    bench.cache.listener.lost();
    // The wall clock was wrong when the key was looked up, and is set right.
    bench.clock.setWall(-60_000);
    await bench.learn(facts('first'));
    bench.clock.setWall(60_000);
    expect(bench.looksUp()).toBe(true);
  });
});

describe('current()', () => {
  it('confirms every entry, of whatever key', async () => {
    const bench = createCacheBench(WATCHED);
    for (const key of ['d1', 'd2']) await bench.learn(facts('first', { id: key, account: 'a1' }), key);
    bench.clock.advance(60_000);
    bench.cache.listener.current();
    expect([bench.looksUp('d1'), bench.looksUp('d2')]).toEqual([false, false]);
  });

  it('confirms a look-up under way: changes since it began are kept for it', async () => {
    const bench = createCacheBench(WATCHED);
    const answer = bench.ask();
    bench.clock.advance(900);
    bench.cache.listener.current();
    bench.begun[0]?.resolve(facts('first'));
    await answer;
    bench.clock.advance(5_000);
    expect(bench.looksUp()).toBe(false);
  });

  it('of an age confirms what held so long ago', async () => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.clock.advance(60_000);
    bench.cache.listener.current(4_000);
    expect(bench.looksUp()).toBe(false);
    bench.clock.advance(1_001);
    expect(bench.looksUp()).toBe(true);
  });

  it.each([5_001, Number.NaN, Number.POSITIVE_INFINITY])('of an age of %d ms confirms nothing', async (age) => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.clock.advance(60_000);
    bench.cache.listener.current(age);
    expect(bench.looksUp()).toBe(true);
  });

  it('takes back nothing that was said later, and is never of the future', async () => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.clock.advance(60_000);
    bench.cache.listener.current(-60_000);
    bench.clock.advance(4_000);
    bench.cache.listener.current(4_500);
    expect(bench.looksUp()).toBe(false);
    bench.clock.advance(1_001);
    expect(bench.looksUp()).toBe(true);
  });

  it('brings back nothing that a change dropped', async () => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.cache.listener.change({ key: 'k1' });
    bench.cache.listener.current();
    expect(bench.looksUp()).toBe(true);
  });
});
