import { describe, expect, it, jest } from '@jest/globals';
import { FailedLookup } from '../../lib/cache/cache-entries.js';
import { RecordError } from '../../lib/credentials/records/record-error.js';
import { type CacheBench, createCacheBench, facts, holdTimers, settled } from '../support/cache-bench.js';

holdTimers();

it('a lookup without a record also fails if nothing is cached', async () => {
  const bench = createCacheBench({ bounds: undefined });
  const answer = bench.ask();
  bench.begun[0]?.reject(new RecordError('id: expected a non-empty string'));
  expect(await answer).toBe('failed: record_invalid');
});

describe('timeouts', () => {
  it('a lookup that takes too long fails for all waiting requests', async () => {
    const bench = createCacheBench();
    const answers = Promise.all([bench.ask(), bench.ask()]);
    await jest.advanceTimersByTimeAsync(999);
    const third = bench.ask();
    await jest.advanceTimersByTimeAsync(1);
    expect([...(await answers), await third]).toEqual(Array(3).fill('failed: timed_out'));
  });

  it('a lookup that ends in time does not fail later', async () => {
    const bench = createCacheBench();
    const answer = bench.ask();
    await jest.advanceTimersByTimeAsync(999);
    bench.begun[0]?.resolve(facts('first'));
    expect(await answer).toBe('first');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('the limit includes the repetition of a lookup', async () => {
    const bench = createCacheBench();
    const answer = bench.ask();
    await jest.advanceTimersByTimeAsync(600);
    bench.cache.invalidate({ key: 'k1' });
    bench.begun[0]?.resolve(facts('before'));
    await jest.advanceTimersByTimeAsync(400);
    expect(await answer).toBe('failed: timed_out');
  });

  it('a stale entry is used if allowed', async () => {
    const bench = createCacheBench();
    await bench.learn(facts('first'));
    bench.clock.advance(10_000);
    const answer = bench.ask();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await answer).toBe('first');
    expect(bench.held()?.text).toBe('first');
  });

  it('a request after it starts another lookup', async () => {
    const bench = createCacheBench();
    void bench.ask();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(bench.looksUp()).toBe(true);
  });

  it('no timer keeps a process alive for an expired lookup', async () => {
    jest.useRealTimers();
    const { cache } = createCacheBench({ timeout: 1 });
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const answer = cache.load('d1', () => new Promise(() => {}));
    expect(timers()).toBe(before + 1);
    expect(await answer).toEqual(new FailedLookup('timed_out'));
    expect(timers()).toBe(before);
  });
});

describe('maxLookups', () => {
  it('this many lookups are in flight, and a further one fails immediately', async () => {
    const bench = createCacheBench({ maxLookups: 2 });
    expect([bench.looksUp('d1'), bench.looksUp('d2'), bench.looksUp('d3')]).toEqual([true, true, false]);
    expect(await bench.ask('d3')).toBe('failed: too_many');
  });

  it('a request that joins a lookup takes no place', async () => {
    const bench = createCacheBench({ maxLookups: 1 });
    const answers = [bench.ask(), bench.ask()];
    bench.begun[0]?.resolve(facts('first'));
    expect(await Promise.all(answers)).toEqual(['first', 'first']);
  });

  it.each([
    ['settles', (bench: CacheBench) => bench.begun[0]?.resolve(facts('first'))],
    ['fails', (bench: CacheBench) => bench.begun[0]?.reject(new Error('down'))],
  ])('a lookup that %s frees its place', async (_what, end) => {
    const bench = createCacheBench({ maxLookups: 1 });
    void bench.ask('d1');
    end(bench);
    await settled();
    expect(bench.looksUp('d2')).toBe(true);
  });

  it('a lookup that timed out keeps its place until it ends', async () => {
    const bench = createCacheBench({ maxLookups: 1 });
    void bench.ask('d1');
    await jest.advanceTimersByTimeAsync(9_999);
    expect(await bench.ask('d2')).toBe('failed: too_many');
    bench.begun[0]?.resolve(facts('late'));
    await settled();
    expect(bench.looksUp('d2')).toBe(true);
  });

  it('a lookup keeps its place for at most ten timeouts', async () => {
    const bench = createCacheBench({ maxLookups: 1 });
    void bench.ask('d1');
    await jest.advanceTimersByTimeAsync(10_000);
    expect(bench.looksUp('d2')).toBe(true);
  });

  it('a repeated lookup keeps its place', async () => {
    const bench = createCacheBench({ maxLookups: 1 });
    void bench.ask('d1');
    bench.cache.invalidate({ key: 'k1' });
    bench.begun[0]?.resolve(facts('before'));
    await settled();
    expect(await bench.ask('d2')).toBe('failed: too_many');
  });

  it('a stale entry is used if there is no place', async () => {
    const bench = createCacheBench({ maxLookups: 1 });
    await bench.learn(facts('first'), 'd1');
    bench.clock.advance(10_000);
    void bench.ask('d2');
    expect(await bench.ask('d1')).toBe('first');
  });

  it('applies without a cache too', async () => {
    const bench = createCacheBench({ maxLookups: 1, bounds: undefined });
    expect([bench.looksUp(), bench.looksUp()]).toEqual([true, false]);
  });
});
