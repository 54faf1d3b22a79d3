import { describe, expect, it } from '@jest/globals';
import { instantOf } from '../../lib/verify/freshness.js';
import {
  BOUNDS,
  createCacheBench,
  DISABLED,
  facts,
  holdTimers,
  REVOKED,
  settled,
  UNKNOWN,
} from '../support/cache-bench.js';

holdTimers();

const OTHER = { id: 'k2', account: 'a2' };

describe('a look-up', () => {
  it('is shared by all who ask at one time', async () => {
    const bench = createCacheBench();
    const answers = [bench.ask(), bench.ask(), bench.ask()];
    expect(bench.begun).toHaveLength(1);
    bench.begun[0]?.resolve(facts('first'));
    expect(await Promise.all(answers)).toEqual(['first', 'first', 'first']);
  });

  it('is not shared by those who ask for another key', async () => {
    const bench = createCacheBench();
    const answers = [bench.ask('d1'), bench.ask('d2')];
    bench.begun[1]?.resolve(facts('second', OTHER));
    bench.begun[0]?.resolve(facts('first'));
    expect(await Promise.all(answers)).toEqual(['first', 'second']);
  });

  it('is made anew once the one before has failed', async () => {
    const bench = createCacheBench();
    const first = bench.ask();
    bench.begun[0]?.reject(new Error('down'));
    expect(await first).toBe('failed: threw');
    expect(await bench.learn(facts('second'))).toBe('second');
  });

  it('that throws at once fails like one that rejects', async () => {
    const { cache } = createCacheBench();
    const load = () => {
      throw new Error('down');
    };
    expect(await cache.lookUp('d1', load)).toEqual({ failed: 'threw' });
    expect(await cache.lookUp('d1', load)).toEqual({ failed: 'threw' });
  });
});

describe('an entry', () => {
  it('is what the look-up brought: facts, subject and when it began', async () => {
    const bench = createCacheBench();
    const began = instantOf(bench.clock);
    const answer = bench.ask();
    bench.clock.advance(700);
    bench.begun[0]?.resolve(facts('first'));
    await answer;
    expect(bench.cache.recall('d1', instantOf(bench.clock))).toMatchObject({
      facts: 'first',
      subject: { id: 'k1', account: 'a1' },
      ...began,
      live: true,
    });
  });

  it('takes the place of a negative one, and a negative one its place', async () => {
    const bench = createCacheBench();
    await bench.learn(UNKNOWN);
    bench.clock.advance(1_000);
    await bench.learn(facts('first'));
    const now = instantOf(bench.clock);
    expect([bench.cache.recallMiss('d1', now), bench.cache.recall('d1', now)?.facts]).toEqual([undefined, 'first']);
    bench.clock.advance(10_000);
    await bench.learn(DISABLED);
    const later = instantOf(bench.clock);
    expect([bench.cache.recallMiss('d1', later)?.reason, bench.cache.recall('d1', later)]).toEqual([
      'disabled',
      undefined,
    ]);
    bench.clock.setWall(-10_000);
    expect(bench.cache.recall('d1', instantOf(bench.clock))).toBeUndefined();
  });

  it('is not servable for those who hold it once another look-up has replaced it', async () => {
    const bench = createCacheBench();
    await bench.learn(facts('first'));
    const held = bench.cache.recall('d1', instantOf(bench.clock));
    bench.clock.advance(10_000);
    await bench.learn(facts('second'));
    const now = instantOf(bench.clock);
    bench.clock.setWall(-10_000);
    expect(held && bench.cache.serves({ ...held, live: true }, instantOf(bench.clock))).toBe(false);
    expect(held && bench.cache.serves(held, held)).toBe(false);
    expect(bench.cache.recall('d1', now)?.facts).toBe('second');
  });

  it('is dropped, least recently used first, where there are more than max', async () => {
    const bench = createCacheBench({ bounds: { ...BOUNDS, max: 2 } });
    for (const key of ['d1', 'd2']) await bench.learn(facts(key, { id: key, account: 'a1' }), key);
    await bench.ask('d1');
    await bench.learn(facts('d3', { id: 'd3', account: 'a1' }), 'd3');
    expect(['d1', 'd3', 'd2'].map((key) => bench.looksUp(key))).toEqual([false, false, true]);
  });
});

describe('negative entries', () => {
  it('have a place of their own: a flood of them moves no good one', async () => {
    const bench = createCacheBench({ bounds: { ...BOUNDS, max: 1, negativeMax: 2 } });
    await bench.learn(facts('good'), 'good');
    for (const key of ['bad1', 'bad2', 'bad3']) await bench.learn(UNKNOWN, key);
    expect(['good', 'bad2', 'bad3', 'bad1'].map((key) => bench.looksUp(key))).toEqual([false, false, false, true]);
  });

  it('and good ones move no negative one', async () => {
    const bench = createCacheBench({ bounds: { ...BOUNDS, max: 1, negativeMax: 1 } });
    await bench.learn(UNKNOWN, 'bad');
    for (const key of ['good1', 'good2']) await bench.learn(facts(key), key);
    expect(bench.looksUp('bad')).toBe(false);
  });

  it('one that is asked for stays where an older one goes', async () => {
    const bench = createCacheBench({ bounds: { ...BOUNDS, negativeMax: 2 } });
    for (const key of ['bad1', 'bad2']) await bench.learn(UNKNOWN, key);
    await bench.ask('bad1');
    await bench.learn(UNKNOWN, 'bad3');
    expect(['bad1', 'bad2'].map((key) => bench.looksUp(key))).toEqual([false, true]);
  });
});

describe('revoked keys', () => {
  const revoked = (id: string) => ({ ...REVOKED, subject: { id, account: 'a1' } });

  it('have a place of their own: no flood of unknown keys makes them forgotten', async () => {
    const bench = createCacheBench({ bounds: { ...BOUNDS, max: 1, negativeMax: 1 } });
    await bench.learn(REVOKED, 'revoked');
    for (const key of ['bad1', 'bad2']) await bench.learn(UNKNOWN, key);
    await bench.learn(facts('good'), 'good');
    expect(await bench.ask('revoked')).toBe('refused: revoked');
    expect(bench.begun).toHaveLength(4);
  });

  it('are bounded like other negative ones, least recently used first to go', async () => {
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
  ])('nothing is kept: %s', async (_what, found) => {
    const bench = uncached();
    await bench.learn(found);
    expect(bench.looksUp()).toBe(true);
  });

  it('nothing is served by those who hold it', async () => {
    const bench = uncached();
    const landing = await bench.cache.lookUp('d1', async () => facts('first'));
    const held = 'entry' in landing ? landing.entry : undefined;
    expect(held?.facts).toBe('first');
    expect(held && bench.cache.serves({ ...held, live: true }, instantOf(bench.clock))).toBe(false);
  });

  it('nothing is served stale', async () => {
    const bench = uncached();
    await bench.learn(facts('first'));
    const answer = bench.ask();
    bench.begun[1]?.reject(new Error('down'));
    expect(await answer).toBe('failed: threw');
  });

  it('a look-up that began before a change still brings nothing of before', async () => {
    const bench = uncached();
    const answer = bench.ask();
    bench.cache.invalidate({ key: 'k1' });
    bench.begun[0]?.resolve(facts('before'));
    await settled();
    bench.begun[1]?.resolve(REVOKED);
    expect(await answer).toBe('refused: revoked');
  });

  it('a change has nothing to drop', () => {
    const { cache } = uncached();
    for (const change of [{ key: 'k1' }, { account: 'a1' }, 'all'] as const) {
      expect(() => cache.invalidate(change)).not.toThrow();
    }
  });
});
