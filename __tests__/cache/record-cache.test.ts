import { describe, expect, it } from '@jest/globals';
import { FailedLookup } from '../../lib/cache/cache-entries.js';
import { instantOf } from '../../lib/contracts/clock.js';
import {
  BOUNDS,
  createCacheBench,
  DISABLED,
  entryOf,
  facts,
  holdTimers,
  REVOKED,
  settled,
  TextEntry,
  UNKNOWN,
} from '../support/cache-bench.js';

holdTimers();

const OTHER = { id: 'k2', account: 'a2' };

describe('a lookup', () => {
  it('is shared by concurrent requests', async () => {
    const bench = createCacheBench();
    const answers = [bench.ask(), bench.ask(), bench.ask()];
    expect(bench.begun).toHaveLength(1);
    bench.begun[0]?.resolve(facts('first'));
    expect(await Promise.all(answers)).toEqual(['first', 'first', 'first']);
  });

  it('is not shared with requests for another key', async () => {
    const bench = createCacheBench();
    const answers = [bench.ask('d1'), bench.ask('d2')];
    bench.begun[1]?.resolve(facts('second', OTHER));
    bench.begun[0]?.resolve(facts('first'));
    expect(await Promise.all(answers)).toEqual(['first', 'second']);
  });

  it('is started again after the previous one failed', async () => {
    const bench = createCacheBench();
    const first = bench.ask();
    bench.begun[0]?.reject(new Error('down'));
    expect(await first).toBe('failed: threw');
    expect(await bench.learn(facts('second'))).toBe('second');
  });

  it('that throws synchronously fails like one that rejects', async () => {
    const { cache } = createCacheBench();
    const load = () => {
      throw new Error('down');
    };
    expect(await cache.load('d1', load)).toEqual(new FailedLookup('threw'));
    expect(await cache.load('d1', load)).toEqual(new FailedLookup('threw'));
  });
});

describe('an entry', () => {
  it('has the result of the lookup: facts, subject and start time', async () => {
    const bench = createCacheBench();
    bench.clock.advance(300);
    const answer = bench.ask();
    bench.clock.advance(700);
    bench.begun[0]?.resolve(facts('first'));
    await answer;
    expect(bench.cache.get('d1', instantOf(bench.clock))).toMatchObject({
      text: 'first',
      ...{ id: 'k1', account: 'a1' },
      ...{ wall: 300, monotonic: 300 },
      isCached: true,
    });
  });

  it('replaces a negative one, and the other way around', async () => {
    const bench = createCacheBench();
    await bench.learn(UNKNOWN);
    bench.clock.advance(1_000);
    await bench.learn(facts('first'));
    expect(bench.held()?.text).toBe('first');
    bench.clock.advance(10_000);
    await bench.learn(DISABLED);
    expect(bench.cache.get('d1', instantOf(bench.clock))).toMatchObject({ reason: 'disabled' });
    bench.clock.setWall(-10_000);
    expect(bench.held()).toBeUndefined();
  });

  it('is not usable after another lookup has replaced it', async () => {
    const bench = createCacheBench();
    await bench.learn(facts('first'));
    const held = bench.held();
    bench.clock.advance(10_000);
    await bench.learn(facts('second'));
    const now = instantOf(bench.clock);
    const text = bench.held()?.text;
    bench.clock.setWall(-10_000);
    expect(held && bench.cache.isUsable(held, now)).toBe(false);
    expect(held && bench.cache.isUsable(Object.assign(held, { isCached: true }), instantOf(bench.clock))).toBe(false);
    expect(text).toBe('second');
  });

  it('is evicted, least recently used first, above max', async () => {
    const bench = createCacheBench({ bounds: { ...BOUNDS, max: 2 } });
    for (const key of ['d1', 'd2']) await bench.learn(facts(key, { id: key, account: 'a1' }), key);
    await bench.ask('d1');
    await bench.learn(facts('d3', { id: 'd3', account: 'a1' }), 'd3');
    expect(['d1', 'd3', 'd2'].map((key) => bench.looksUp(key))).toEqual([false, false, true]);
  });
});

describe('negative entries', () => {
  it('are stored separately: a flood of them evicts no good one', async () => {
    const bench = createCacheBench({ bounds: { ...BOUNDS, max: 1, negativeMax: 2 } });
    await bench.learn(facts('good'), 'good');
    for (const key of ['bad1', 'bad2', 'bad3']) await bench.learn(UNKNOWN, key);
    expect(['good', 'bad2', 'bad3', 'bad1'].map((key) => bench.looksUp(key))).toEqual([false, false, false, true]);
  });

  it('good entries evict no negative one', async () => {
    const bench = createCacheBench({ bounds: { ...BOUNDS, max: 1, negativeMax: 1 } });
    await bench.learn(UNKNOWN, 'bad');
    for (const key of ['good1', 'good2']) await bench.learn(facts(key), key);
    expect(bench.looksUp('bad')).toBe(false);
  });

  it('a used one stays when an older one is evicted', async () => {
    const bench = createCacheBench({ bounds: { ...BOUNDS, negativeMax: 2 } });
    for (const key of ['bad1', 'bad2']) await bench.learn(UNKNOWN, key);
    await bench.ask('bad1');
    await bench.learn(UNKNOWN, 'bad3');
    expect(['bad1', 'bad2'].map((key) => bench.looksUp(key))).toEqual([false, true]);
  });
});

describe('revoked keys', () => {
  const revoked = (id: string) => ({ ...REVOKED, subject: { id, account: 'a1' } });

  it('are stored separately: a flood of unknown keys does not evict them', async () => {
    const bench = createCacheBench({ bounds: { ...BOUNDS, max: 1, negativeMax: 1 } });
    await bench.learn(REVOKED, 'revoked');
    for (const key of ['bad1', 'bad2']) await bench.learn(UNKNOWN, key);
    await bench.learn(facts('good'), 'good');
    expect(await bench.learn(facts('good again'), 'revoked')).toBe('refused: revoked');
    expect(bench.begun).toHaveLength(5);
  });

  it('are limited like other negative entries, least recently used first', async () => {
    const bench = createCacheBench({ bounds: { ...BOUNDS, negativeMax: 2 } });
    for (const key of ['r1', 'r2']) await bench.learn(revoked(key), key);
    await bench.ask('r1');
    await bench.learn(revoked('r3'), 'r3');
    expect(['r1', 'r3', 'r2'].map((key) => bench.looksUp(key))).toEqual([false, false, true]);
  });
});

describe('with cache: false', () => {
  const uncached = () => createCacheBench({ bounds: undefined });

  it('nothing is shared', async () => {
    const bench = uncached();
    const answers = [bench.ask(), bench.ask()];
    expect(bench.begun).toHaveLength(2);
    bench.begun[0]?.resolve(facts('first'));
    bench.begun[1]?.resolve(UNKNOWN);
    expect(await Promise.all(answers)).toEqual(['first', 'refused: unknown']);
  });

  it.each([
    ['a good answer', facts('first')],
    ['an unknown key', UNKNOWN],
    ['a revoked key', REVOKED],
  ])('nothing is cached: %s', async (_what, found) => {
    const bench = uncached();
    await bench.learn(found);
    expect(bench.looksUp()).toBe(true);
  });

  it('entries that are held elsewhere are not used', async () => {
    const bench = uncached();
    const result = await bench.cache.load('d1', async () => entryOf(facts('first')));
    if (!(result instanceof TextEntry)) throw new Error('no entry');
    expect(result.text).toBe('first');
    expect(bench.cache.isUsable(Object.assign(result, { isCached: true }), instantOf(bench.clock))).toBe(false);
  });

  it('no stale entry is used', async () => {
    const bench = uncached();
    await bench.learn(facts('first'));
    const answer = bench.ask();
    bench.begun[1]?.reject(new Error('down'));
    expect(await answer).toBe('failed: threw');
  });

  it('a lookup that started before a change is still repeated', async () => {
    const bench = uncached();
    const answer = bench.ask();
    bench.cache.invalidate({ key: 'k1' });
    bench.begun[0]?.resolve(facts('before'));
    await settled();
    bench.begun[1]?.resolve(REVOKED);
    expect(await answer).toBe('refused: revoked');
  });

  it('a change has nothing to invalidate', () => {
    const { cache } = uncached();
    for (const change of [{ key: 'k1' }, { account: 'a1' }, 'all'] as const) {
      expect(() => cache.invalidate(change)).not.toThrow();
    }
  });
});
