import { describe, expect, it } from '@jest/globals';
import { createCacheBench, facts, holdTimers, settled, WATCHED } from '../support/cache-bench.js';

holdTimers();

describe('onGap(): earlier entries are confirmed only by their own lookup', () => {
  it('an onCaughtUp() after it does not confirm it', async () => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.cache.listener.onCaughtUp();
    bench.cache.listener.onGap();
    bench.clock.advance(5_001);
    bench.cache.listener.onCaughtUp();
    expect(bench.looksUp()).toBe(true);
  });

  it('its own lookup still does, for five seconds', async () => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.cache.listener.onGap();
    bench.clock.advance(5_000);
    expect(bench.looksUp()).toBe(false);
  });

  it('an entry that only the feed had confirmed is looked up immediately', async () => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.clock.advance(5_001);
    bench.cache.listener.onCaughtUp();
    bench.cache.listener.onGap();
    expect(bench.looksUp()).toBe(true);
  });

  it('a second gap does not restore earlier confirmations', async () => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.cache.listener.onGap();
    bench.clock.advance(5_001);
    bench.cache.listener.onCaughtUp();
    bench.cache.listener.onGap();
    bench.cache.listener.onCaughtUp();
    expect(bench.looksUp()).toBe(true);
  });

  it('later lookups are confirmed by the next onCaughtUp()', async () => {
    const bench = createCacheBench(WATCHED);
    bench.cache.listener.onGap();
    await bench.learn(facts('first'));
    bench.clock.advance(5_001);
    bench.cache.listener.onCaughtUp();
    expect(bench.looksUp()).toBe(false);
  });

  it('a lookup that is pending at the gap is not confirmed, even if it ends later', async () => {
    const bench = createCacheBench(WATCHED);
    const answer = bench.ask();
    bench.cache.listener.onGap();
    bench.begun[0]?.resolve(facts('first'));
    await answer;
    bench.clock.advance(5_001);
    bench.cache.listener.onCaughtUp();
    expect(bench.looksUp()).toBe(true);
  });

  it('a lookup that is repeated after the gap is confirmed', async () => {
    const bench = createCacheBench(WATCHED);
    const answer = bench.ask();
    bench.cache.listener.onGap();
    bench.cache.listener.onChange({ key: 'k1' });
    bench.begun[0]?.resolve(facts('before'));
    await settled();
    bench.begun[1]?.resolve(facts('after'));
    await answer;
    bench.clock.advance(5_001);
    bench.cache.listener.onCaughtUp();
    expect(bench.looksUp()).toBe(false);
  });

  it('an onCaughtUp() from before it confirms no later lookup', async () => {
    const bench = createCacheBench(WATCHED);
    bench.cache.listener.onCaughtUp();
    bench.cache.listener.onGap();
    // The wall clock was wrong when the key was looked up, and is set right.
    bench.clock.setWall(-60_000);
    await bench.learn(facts('first'));
    bench.clock.setWall(60_000);
    expect(bench.looksUp()).toBe(true);
  });
});

describe('onCaughtUp()', () => {
  it('confirms every entry', async () => {
    const bench = createCacheBench(WATCHED);
    for (const key of ['d1', 'd2']) await bench.learn(facts('first', { id: key, account: 'a1' }), key);
    bench.clock.advance(60_000);
    bench.cache.listener.onCaughtUp();
    expect([bench.looksUp('d1'), bench.looksUp('d2')]).toEqual([false, false]);
  });

  it('confirms a pending lookup: changes since its start are collected for it', async () => {
    const bench = createCacheBench(WATCHED);
    const answer = bench.ask();
    bench.clock.advance(900);
    bench.cache.listener.onCaughtUp();
    bench.begun[0]?.resolve(facts('first'));
    await answer;
    bench.clock.advance(5_000);
    expect(bench.looksUp()).toBe(false);
  });

  it('with an age confirms entries as of that time', async () => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.clock.advance(60_000);
    bench.cache.listener.onCaughtUp(4_000);
    expect(bench.looksUp()).toBe(false);
    bench.clock.advance(1_001);
    expect(bench.looksUp()).toBe(true);
  });

  it.each([5_001, Number.NaN, Number.POSITIVE_INFINITY])('with an age of %d ms confirms nothing', async (age) => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.clock.advance(60_000);
    bench.cache.listener.onCaughtUp(age);
    expect(bench.looksUp()).toBe(true);
  });

  it('does not undo later confirmations, and is never in the future', async () => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.clock.advance(60_000);
    bench.cache.listener.onCaughtUp(-60_000);
    bench.clock.advance(4_000);
    bench.cache.listener.onCaughtUp(4_500);
    expect(bench.looksUp()).toBe(false);
    bench.clock.advance(1_001);
    expect(bench.looksUp()).toBe(true);
  });

  it('does not restore invalidated entries', async () => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.cache.listener.onChange({ key: 'k1' });
    bench.cache.listener.onCaughtUp();
    expect(bench.looksUp()).toBe(true);
  });
});
