import { describe, expect, it, jest } from '@jest/globals';
import { RecordFault } from '../../lib/credentials/record.js';
import { instantOf } from '../../lib/verify/freshness.js';
import { type CacheBench, createCacheBench, facts, holdTimers, settled } from '../support/cache-bench.js';

holdTimers();

it('a look-up that brings no record fails where nothing is cached, too', async () => {
  const bench = createCacheBench({ bounds: undefined });
  const answer = bench.ask();
  bench.begun[0]?.reject(new RecordFault('id: expected a text'));
  expect(await answer).toBe('failed: record_invalid');
});

describe('time-outs', () => {
  it('a look-up that takes too long has failed for all who wait', async () => {
    const bench = createCacheBench();
    const answers = Promise.all([bench.ask(), bench.ask()]);
    await jest.advanceTimersByTimeAsync(999);
    const third = bench.ask();
    await jest.advanceTimersByTimeAsync(1);
    expect([...(await answers), await third]).toEqual(Array(3).fill('failed: timed_out'));
  });

  it('one that lands in time has not, however long the test goes on', async () => {
    const bench = createCacheBench();
    const answer = bench.ask();
    await jest.advanceTimersByTimeAsync(999);
    bench.begun[0]?.resolve(facts('first'));
    expect(await answer).toBe('first');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('it bounds a look-up together with the one that is made anew', async () => {
    const bench = createCacheBench();
    const answer = bench.ask();
    await jest.advanceTimersByTimeAsync(600);
    bench.cache.invalidate({ key: 'k1' });
    bench.begun[0]?.resolve(facts('before'));
    await jest.advanceTimersByTimeAsync(400);
    expect(await answer).toBe('failed: timed_out');
  });

  it('an entry that may be served stale is', async () => {
    const bench = createCacheBench();
    await bench.learn(facts('first'));
    bench.clock.advance(10_000);
    const answer = bench.ask();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await answer).toBe('first');
    expect(bench.cache.recall('d1', instantOf(bench.clock))?.facts).toBe('first');
  });

  it('whoever asks after it begins another look-up', async () => {
    const bench = createCacheBench();
    void bench.ask();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(bench.looksUp()).toBe(true);
  });

  it('no timer keeps a process alive for a look-up that nobody waits for any more', async () => {
    jest.useRealTimers();
    const { cache } = createCacheBench({ timeout: 1 });
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const answer = cache.lookUp('d1', () => new Promise(() => {}));
    expect(timers()).toBe(before + 1);
    expect(await answer).toEqual({ failed: 'timed_out' });
    expect(timers()).toBe(before);
  });
});

describe('maxLookups', () => {
  it('so many are under way, and a further one fails at once', async () => {
    const bench = createCacheBench({ maxLookups: 2 });
    expect([bench.looksUp('d1'), bench.looksUp('d2'), bench.looksUp('d3')]).toEqual([true, true, false]);
    expect(await bench.ask('d3')).toBe('failed: too_many');
  });

  it('whoever waits for one under way takes no place', async () => {
    const bench = createCacheBench({ maxLookups: 1 });
    const answers = [bench.ask(), bench.ask()];
    bench.begun[0]?.resolve(facts('first'));
    expect(await Promise.all(answers)).toEqual(['first', 'first']);
  });

  it.each([
    ['lands', (bench: CacheBench) => bench.begun[0]?.resolve(facts('first'))],
    ['fails', (bench: CacheBench) => bench.begun[0]?.reject(new Error('down'))],
  ])('a look-up that %s gives its place back', async (_what, end) => {
    const bench = createCacheBench({ maxLookups: 1 });
    void bench.ask('d1');
    end(bench);
    await settled();
    expect(bench.looksUp('d2')).toBe(true);
  });

  it('one that timed out keeps it until it lands', async () => {
    const bench = createCacheBench({ maxLookups: 1 });
    void bench.ask('d1');
    await jest.advanceTimersByTimeAsync(9_999);
    expect(await bench.ask('d2')).toBe('failed: too_many');
    bench.begun[0]?.resolve(facts('late'));
    await settled();
    expect(bench.looksUp('d2')).toBe(true);
  });

  it('or until ten time-outs are over', async () => {
    const bench = createCacheBench({ maxLookups: 1 });
    void bench.ask('d1');
    await jest.advanceTimersByTimeAsync(10_000);
    expect(bench.looksUp('d2')).toBe(true);
  });

  it('one that is made anew keeps its place', async () => {
    const bench = createCacheBench({ maxLookups: 1 });
    void bench.ask('d1');
    bench.cache.invalidate({ key: 'k1' });
    bench.begun[0]?.resolve(facts('before'));
    await settled();
    expect(await bench.ask('d2')).toBe('failed: too_many');
  });

  it('an entry that may be served stale is, where there is no place', async () => {
    const bench = createCacheBench({ maxLookups: 1 });
    await bench.learn(facts('first'), 'd1');
    bench.clock.advance(10_000);
    void bench.ask('d2');
    expect(await bench.ask('d1')).toBe('first');
  });

  it('holds without a cache too', async () => {
    const bench = createCacheBench({ maxLookups: 1, bounds: undefined });
    expect([bench.looksUp(), bench.looksUp()]).toEqual([true, false]);
  });
});
