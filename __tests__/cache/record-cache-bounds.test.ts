import { describe, expect, it } from '@jest/globals';
import {
  BOUNDS,
  createCacheBench,
  DISABLED,
  facts,
  holdTimers,
  REVOKED,
  UNKNOWN,
  WATCHED,
} from '../support/cache-bench.js';

holdTimers();

describe('rule 6, without a feed: ttl is the limit', () => {
  it.each([
    [0, false],
    [9_999, false],
    [10_000, true],
    [60_000, true],
  ])('an entry %d ms old is looked up again: %s', async (age, again) => {
    const bench = createCacheBench();
    await bench.learn(facts('first'));
    bench.clock.advance(age);
    expect(bench.looksUp()).toBe(again);
  });

  it('with a ttl of 0 each request looks up', async () => {
    const bench = createCacheBench({ bounds: { ...BOUNDS, ttl: 0 } });
    await bench.learn(facts('first'));
    expect(bench.looksUp()).toBe(true);
  });

  it('the age counts from the start of the lookup, not from its end', async () => {
    const bench = createCacheBench();
    const answer = bench.ask();
    bench.clock.advance(900);
    bench.begun[0]?.resolve(facts('first'));
    await answer;
    bench.clock.advance(9_099);
    expect(bench.looksUp()).toBe(false);
    bench.clock.advance(1);
    expect(bench.looksUp()).toBe(true);
  });

  it('a use does not make an entry younger', async () => {
    const bench = createCacheBench();
    await bench.learn(facts('first'));
    bench.clock.advance(9_999);
    await bench.ask();
    bench.clock.advance(1);
    expect(bench.looksUp()).toBe(true);
  });

  it('events of a feed are not needed, and have no effect', async () => {
    const bench = createCacheBench();
    await bench.learn(facts('first'));
    bench.clock.advance(9_000);
    bench.cache.listener.onCaughtUp();
    bench.cache.listener.onGap();
    expect(bench.looksUp()).toBe(false);
    bench.clock.advance(1_000);
    bench.cache.listener.onCaughtUp();
    expect(bench.looksUp()).toBe(true);
  });
});

describe('rule 6, with a feed: five seconds from the last confirmation, and ttl', () => {
  it.each([
    [5_000, false],
    [5_001, true],
  ])('%d ms after its own lookup, without a feed event, an entry is looked up again: %s', async (age, again) => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.clock.advance(age);
    expect(bench.looksUp()).toBe(again);
  });

  it.each([
    [5_000, false],
    [5_001, true],
  ])('%d ms after onCaughtUp(), an entry is looked up again: %s', async (age, again) => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.clock.advance(60_000);
    bench.cache.listener.onCaughtUp();
    bench.clock.advance(age);
    expect(bench.looksUp()).toBe(again);
  });

  it('an entry that is younger than the last onCaughtUp() is confirmed by its own lookup', async () => {
    const bench = createCacheBench(WATCHED);
    bench.cache.listener.onCaughtUp();
    bench.clock.advance(4_000);
    await bench.learn(facts('first'));
    bench.clock.advance(5_000);
    expect(bench.looksUp()).toBe(false);
  });

  it.each([
    [299_999, false],
    [300_000, true],
  ])('%d ms after its lookup, with constant onCaughtUp(), an entry is looked up again: %s', async (age, again) => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.clock.advance(age);
    bench.cache.listener.onCaughtUp();
    expect(bench.looksUp()).toBe(again);
  });
});

describe('rule 6: negative entries', () => {
  it.each([
    ['unknown', 999, false, UNKNOWN],
    ['unknown', 1_000, true, UNKNOWN],
    ['disabled', 999, false, DISABLED],
    ['disabled', 1_000, true, DISABLED],
    ['revoked', 999, false, REVOKED],
    ['revoked', 1_000, true, REVOKED],
  ])('%s: %d ms later it is looked up again: %s', async (_reason, age, again, found) => {
    const bench = createCacheBench();
    await bench.learn(found);
    bench.clock.advance(age);
    expect(bench.looksUp()).toBe(again);
  });

  it('with a negativeTtl of 0 each request looks up, for revoked keys too', async () => {
    const bench = createCacheBench({ bounds: { ...BOUNDS, negativeTtl: 0 } });
    await bench.learn(UNKNOWN, 'd1');
    await bench.learn(REVOKED, 'd2');
    expect([bench.looksUp('d1'), bench.looksUp('d2')]).toEqual([true, true]);
  });

  it('onCaughtUp() confirms no negative entry', async () => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(UNKNOWN);
    bench.clock.advance(1_000);
    bench.cache.listener.onCaughtUp();
    expect(bench.looksUp()).toBe(true);
  });
});

describe('rule 8: the age is the larger of wall and monotonic time', () => {
  it('a wall clock set forward makes an entry old', async () => {
    const bench = createCacheBench();
    await bench.learn(facts('first'));
    bench.clock.setWall(10_000);
    expect(bench.looksUp()).toBe(true);
  });

  it('a wall clock set back makes no entry younger', async () => {
    const bench = createCacheBench();
    await bench.learn(facts('first'));
    bench.clock.advance(10_000);
    bench.clock.setWall(-7_200_000);
    expect(bench.looksUp()).toBe(true);
  });

  it('a monotonic clock that stands still makes no entry younger', async () => {
    const bench = createCacheBench();
    await bench.learn(facts('first'));
    bench.clock.suspend(10_000);
    expect(bench.looksUp()).toBe(true);
  });

  it('the same for a feed: a confirmation from before the machine slept does not count', async () => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.clock.advance(60_000);
    bench.cache.listener.onCaughtUp();
    bench.clock.suspend(5_001);
    expect(bench.looksUp()).toBe(true);
  });

  it('the same for negative entries', async () => {
    const bench = createCacheBench();
    await bench.learn(UNKNOWN);
    bench.clock.advance(999);
    bench.clock.setWall(-7_200_000);
    expect(bench.looksUp()).toBe(false);
    bench.clock.advance(1);
    expect(bench.looksUp()).toBe(true);
  });
});
