import { describe, expect, it, jest } from '@jest/globals';
import { instantOf } from '../../lib/contracts/clock.js';
import {
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

describe('rule 7: a lookup that ends after its timeout', () => {
  it('is used if nothing changed', async () => {
    const bench = createCacheBench();
    const answer = bench.ask();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await answer).toBe('failed: timed_out');
    bench.begun[0]?.resolve(facts('late'));
    await settled();
    expect(await bench.ask()).toBe('late');
    expect(bench.begun).toHaveLength(1);
  });

  it('is repeated if its key changed, and the new result is used', async () => {
    const bench = createCacheBench();
    void bench.ask();
    await jest.advanceTimersByTimeAsync(1_000);
    bench.cache.invalidate({ key: 'k1' });
    bench.begun[0]?.resolve(facts('before'));
    await settled();
    bench.begun[1]?.resolve(facts('after'));
    await settled();
    expect(await bench.ask()).toBe('after');
  });

  it('is repeated if another key changed after its own', async () => {
    const bench = createCacheBench();
    void bench.ask();
    await jest.advanceTimersByTimeAsync(1_000);
    bench.cache.invalidate({ key: 'k1' });
    bench.cache.invalidate({ key: 'k2' });
    bench.begun[0]?.resolve(facts('before'));
    await settled();
    expect(bench.begun).toHaveLength(2);
  });

  it('does not end the lookup that replaced it', async () => {
    const bench = createCacheBench();
    void bench.ask();
    await jest.advanceTimersByTimeAsync(1_000);
    const second = bench.ask();
    bench.begun[0]?.reject(new Error('down'));
    await settled();
    const third = bench.ask();
    expect(bench.begun).toHaveLength(2);
    bench.begun[1]?.resolve(facts('second'));
    expect(await Promise.all([second, third])).toEqual(['second', 'second']);
  });

  it('is not used when changes are no longer collected for it: after ten timeouts', async () => {
    const bench = createCacheBench();
    void bench.ask();
    await jest.advanceTimersByTimeAsync(10_000);
    bench.cache.invalidate({ key: 'k1' });
    bench.begun[0]?.resolve(facts('before'));
    await settled();
    expect(bench.looksUp()).toBe(true);
  });

  it('is affected by changes until then', async () => {
    const bench = createCacheBench();
    void bench.ask();
    await jest.advanceTimersByTimeAsync(9_999);
    bench.cache.invalidate({ key: 'k1' });
    bench.begun[0]?.resolve(facts('before'));
    await settled();
    expect(bench.begun).toHaveLength(2);
  });
});

describe('rule 7: two lookups of one key that end out of order', () => {
  async function twoPending() {
    const bench = createCacheBench();
    void bench.ask();
    await jest.advanceTimersByTimeAsync(1_000);
    const second = bench.ask();
    return {
      bench,
      second,
      settle: (at: number, found: Parameters<typeof bench.learn>[0]) => {
        bench.begun[at]?.resolve(found);
        return settled();
      },
    };
  }

  it.each([
    ['an older entry is not put in the place of a younger', facts('older'), facts('younger'), 'younger'],
    ['nor in that of a younger negative one', facts('older'), DISABLED, 'refused: disabled'],
    ['an older negative one is not put in the place of a younger entry', DISABLED, facts('younger'), 'younger'],
    ['nor in that of a younger negative one', UNKNOWN, DISABLED, 'refused: disabled'],
    ['but revoked is final, however late it is heard', REVOKED, facts('younger'), 'refused: revoked'],
    ['over a younger negative one too', REVOKED, UNKNOWN, 'refused: revoked'],
    ['and nothing is put in its place', facts('older'), REVOKED, 'refused: revoked'],
  ])('%s', async (_what, older, younger, answer) => {
    const { bench, settle } = await twoPending();
    await settle(1, younger);
    await settle(0, older);
    expect(await bench.ask()).toBe(answer);
    expect(bench.begun).toHaveLength(2);
  });

  it.each([
    ['a younger entry takes the place of an older', facts('older'), facts('younger'), 'younger'],
    ['a younger negative one that of an older entry', facts('older'), DISABLED, 'refused: disabled'],
    ['a younger entry that of an older negative one', DISABLED, facts('younger'), 'younger'],
    ['but not that of a revoked key', REVOKED, facts('younger'), 'refused: revoked'],
  ])('in order, %s', async (_what, older, younger, answer) => {
    const { bench, settle } = await twoPending();
    await settle(0, older);
    await settle(1, younger);
    expect(await bench.ask()).toBe(answer);
  });

  /** The first lookup is repeated after the second has started, so that it is the younger one, and settles first. */
  async function supersededInFlight() {
    const bench = createCacheBench();
    void bench.ask();
    await jest.advanceTimersByTimeAsync(1_000);
    bench.cache.invalidate({ key: 'k1' });
    void bench.ask();
    const waiting = bench.cache.load('d1', async () => entryOf(facts('never asked')));
    bench.begun[0]?.resolve(facts('before'));
    await settled();
    bench.begun[2]?.resolve(facts('younger'));
    await settled();
    bench.begun[1]?.resolve(facts('older'));
    return { bench, result: await waiting };
  }

  it('requests for the older lookup get the result of the younger one', async () => {
    const { result } = await supersededInFlight();
    expect(result).toMatchObject({ text: 'younger' });
  });

  it('the result is invalidated by the next change', async () => {
    const { bench, result } = await supersededInFlight();
    const isUsable = () => result instanceof TextEntry && bench.cache.isUsable(result, instantOf(bench.clock));
    expect(isUsable()).toBe(true);
    bench.cache.invalidate({ key: 'k1' });
    expect(isUsable()).toBe(false);
  });

  it.each([
    ['an entry', true, facts('late')],
    ['a disabled key', true, DISABLED],
    ['a revoked key', false, REVOKED],
  ])('%s from a lookup without waiting requests is looked up again: %s', async (_what, again, found) => {
    const bench = createCacheBench();
    void bench.ask();
    await jest.advanceTimersByTimeAsync(10_000);
    bench.begun[0]?.resolve(found);
    await settled();
    expect(bench.looksUp()).toBe(again);
  });
});
