import { describe, expect, it } from '@jest/globals';
import { RecordError } from '../../lib/credentials/records/record-error.js';
import {
  BOUNDS,
  type CacheBench,
  createCacheBench,
  facts,
  holdTimers,
  REVOKED,
  WATCHED,
} from '../support/cache-bench.js';

holdTimers();

/** Asks, and lets the lookup fail; the answer, and whether there was a lookup. */
async function askInOutage(bench: CacheBench, key?: string) {
  const before = bench.begun.length;
  const answer = bench.ask(key);
  const looksUp = bench.begun.length > before;
  if (looksUp) bench.begun.at(-1)?.reject(new Error('down'));
  return { answer: await answer, looksUp };
}

const SERVED = { answer: 'first', looksUp: true };
const FAILED = { answer: 'failed: threw', looksUp: true };

describe('rule 6, store unavailable, without a feed: staleIfError from the lookup of the entry', () => {
  it.each([
    [30_000, 10_000, SERVED],
    [30_000, 30_000, SERVED],
    [30_000, 30_001, FAILED],
    [0, 10_000, FAILED],
    [300_000, 300_000, SERVED],
    [300_000, 300_001, FAILED],
  ])('staleIfError %d, %d ms after the lookup', async (staleIfError, age, answer) => {
    const bench = createCacheBench({ bounds: { ...BOUNDS, staleIfError } });
    await bench.learn(facts('first'));
    bench.clock.advance(age);
    expect(await askInOutage(bench)).toEqual(answer);
  });

  it('an entry within its ttl is used without a lookup, whatever staleIfError is', async () => {
    const bench = createCacheBench({ bounds: { ...BOUNDS, staleIfError: 0 } });
    await bench.learn(facts('first'));
    bench.clock.advance(9_999);
    expect(await askInOutage(bench)).toEqual({ answer: 'first', looksUp: false });
  });

  it.each([
    ['set forward', (bench: CacheBench) => bench.clock.setWall(30_001)],
    ['standing still, monotonic', (bench: CacheBench) => bench.clock.suspend(30_001)],
  ])('a clock %s makes an entry too old', async (_what, move) => {
    const bench = createCacheBench();
    await bench.learn(facts('first'));
    move(bench);
    expect(await askInOutage(bench)).toEqual(FAILED);
  });

  it('a wall clock set back does not make it younger', async () => {
    const bench = createCacheBench();
    await bench.learn(facts('first'));
    bench.clock.advance(30_001);
    bench.clock.setWall(-30_000);
    expect(await askInOutage(bench)).toEqual(FAILED);
  });
});

describe('rule 6, store unavailable, with a feed: staleIfError from the last confirmation', () => {
  it.each([
    [30_000, SERVED],
    [30_001, FAILED],
  ])('%d ms after onCaughtUp()', async (age, answer) => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.clock.advance(60_000);
    bench.cache.listener.onCaughtUp();
    bench.clock.advance(age);
    expect(await askInOutage(bench)).toEqual(answer);
  });

  it.each([
    [30_000, SERVED],
    [30_001, FAILED],
  ])('%d ms after onCaughtUp(), with a gap at the start of the outage', async (age, answer) => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.clock.advance(60_000);
    bench.cache.listener.onCaughtUp();
    bench.cache.listener.onGap();
    bench.clock.advance(age);
    expect(await askInOutage(bench)).toEqual(answer);
  });

  it('a second gap does not undo confirmations from before the first one', async () => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.clock.advance(60_000);
    bench.cache.listener.onCaughtUp();
    bench.cache.listener.onGap();
    bench.cache.listener.onGap();
    expect(await askInOutage(bench)).toEqual(SERVED);
  });

  it('a confirmation after a gap does not count for earlier lookups', async () => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.cache.listener.onGap();
    bench.clock.advance(30_001);
    bench.cache.listener.onCaughtUp();
    expect(await askInOutage(bench)).toEqual(FAILED);
    bench.cache.listener.onGap();
    expect(await askInOutage(bench)).toEqual(FAILED);
  });

  it('an entry that was just confirmed is used after its ttl, even with a staleIfError of 0', async () => {
    const bench = createCacheBench({ ...WATCHED, bounds: { ...WATCHED.bounds, staleIfError: 0 } });
    await bench.learn(facts('first'));
    bench.clock.advance(300_000);
    bench.cache.listener.onCaughtUp();
    expect(await askInOutage(bench)).toEqual(SERVED);
    bench.clock.advance(1);
    expect(await askInOutage(bench)).toEqual(FAILED);
  });
});

describe('store unavailable: entries that are never used', () => {
  it('a key that was never seen', async () => {
    expect(await askInOutage(createCacheBench())).toEqual(FAILED);
  });

  it('another key', async () => {
    const bench = createCacheBench();
    await bench.learn(facts('first'), 'd1');
    expect(await askInOutage(bench, 'd2')).toEqual(FAILED);
  });

  it('an entry that was invalidated', async () => {
    const bench = createCacheBench();
    await bench.learn(facts('first'));
    bench.cache.invalidate({ key: 'k1' });
    expect(await askInOutage(bench)).toEqual(FAILED);
  });

  it('an entry that is invalidated while its lookup fails', async () => {
    const bench = createCacheBench();
    await bench.learn(facts('first'));
    bench.clock.advance(10_000);
    const answer = bench.ask();
    bench.cache.invalidate({ key: 'k1' });
    bench.begun[1]?.reject(new Error('down'));
    expect(await answer).toBe('failed: threw');
  });

  it('a revoked key: it stays refused', async () => {
    const bench = createCacheBench();
    await bench.learn(REVOKED);
    bench.clock.advance(300_000);
    expect(await askInOutage(bench)).toEqual({ answer: 'refused: revoked', looksUp: true });
  });

  it('an entry whose record now breaks a rule: the store no longer confirms it', async () => {
    const bench = createCacheBench();
    await bench.learn(facts('first'));
    bench.clock.advance(10_000);
    const answer = bench.ask();
    bench.begun[1]?.reject(new RecordError('apis: expected "all" or a list of non-empty strings'));
    expect(await answer).toBe('failed: record_invalid');
    expect(await askInOutage(bench)).toEqual(FAILED);
  });
});

describe('in an outage the store is not asked for a second after each failed lookup', () => {
  async function inOutage() {
    const bench = createCacheBench();
    await bench.learn(facts('first'));
    bench.clock.advance(10_000);
    await askInOutage(bench);
    return bench;
  }

  it.each([
    [0, false],
    [999, false],
    [1_000, true],
  ])('%d ms later it is asked again: %s', async (milliseconds, looksUp) => {
    const bench = await inOutage();
    bench.clock.advance(milliseconds);
    expect(await askInOutage(bench)).toEqual({ answer: 'first', looksUp });
  });

  it('each further failure starts another second', async () => {
    const bench = await inOutage();
    bench.clock.advance(1_000);
    await askInOutage(bench);
    bench.clock.advance(999);
    expect(await askInOutage(bench)).toEqual({ answer: 'first', looksUp: false });
  });

  it('an entry that is too old ends it', async () => {
    const bench = createCacheBench();
    await bench.learn(facts('first'));
    bench.clock.advance(29_500);
    expect(await askInOutage(bench)).toEqual(SERVED);
    bench.clock.advance(500);
    expect(await askInOutage(bench)).toEqual({ answer: 'first', looksUp: false });
    bench.clock.advance(1);
    expect(await askInOutage(bench)).toEqual(FAILED);
  });

  it('a monotonic clock that stands still does not prolong it', async () => {
    const bench = await inOutage();
    bench.clock.suspend(1_000);
    expect(await askInOutage(bench)).toEqual(SERVED);
  });

  it('it applies to each key separately', async () => {
    const bench = createCacheBench();
    for (const key of ['d1', 'd2']) await bench.learn(facts('first', { id: key, account: 'a1' }), key);
    bench.clock.advance(10_000);
    await askInOutage(bench, 'd1');
    expect(await askInOutage(bench, 'd2')).toEqual(SERVED);
  });

  it('a gap of the feed does not shorten it', async () => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.clock.advance(60_000);
    bench.cache.listener.onCaughtUp();
    bench.clock.advance(6_000);
    await askInOutage(bench);
    bench.cache.listener.onGap();
    expect(await askInOutage(bench)).toEqual({ answer: 'first', looksUp: false });
  });

  it('a successful lookup ends the outage', async () => {
    const bench = await inOutage();
    bench.clock.advance(1_000);
    expect(await bench.learn(facts('second'))).toBe('second');
    bench.clock.advance(9_999);
    expect(bench.looksUp()).toBe(false);
  });
});
