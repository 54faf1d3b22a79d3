import { describe, expect, it } from '@jest/globals';
import type { Change } from 'keyward';
import { instantOf } from '../../lib/verify/freshness.js';
import {
  BOUNDS,
  createCacheBench,
  DISABLED,
  facts,
  holdTimers,
  REVOKED,
  SUBJECT,
  settled,
  UNKNOWN,
  WATCHED,
} from '../support/cache-bench.js';

holdTimers();

const OTHER = { id: 'k2', account: 'a2' };

describe('rule 6: in this process the next request sees a change', () => {
  it.each([
    ['its key', true, { key: 'k1' }],
    ['its account', true, { account: 'a1' }],
    ['everything', true, 'all'],
    ['what cannot be read', true, { keyring: 'k1' } as unknown as Change],
    ['another key', false, { key: 'k2' }],
    ['another account', false, { account: 'a2' }],
    ['an access key of the same id', false, { accessKey: 'k1' }],
  ])('a change of %s drops the entry: %s', async (_what, drops, change) => {
    const bench = createCacheBench();
    await bench.learn(facts('first'));
    const held = bench.cache.recall('d1', instantOf(bench.clock));
    bench.cache.invalidate(change as Change);
    expect(held && bench.cache.serves(held, instantOf(bench.clock))).toBe(!drops);
    expect(bench.looksUp()).toBe(drops);
  });

  it.each([
    ['its key', true, { key: 'k1' }],
    ['its account', true, { account: 'a1' }],
    ['everything', true, 'all'],
    ['another key', false, { key: 'k2' }],
    ['another account', false, { account: 'a2' }],
  ])('a change of %s drops a negative entry: %s', async (_what, drops, change) => {
    const bench = createCacheBench();
    await bench.learn(DISABLED);
    bench.cache.invalidate(change as Change);
    expect(bench.looksUp()).toBe(drops);
  });

  it('everything drops what is unknown, which no key and no account can', async () => {
    const bench = createCacheBench();
    await bench.learn(UNKNOWN);
    for (const change of [{ key: 'k1' }, { account: 'a1' }]) bench.cache.invalidate(change);
    expect(bench.looksUp()).toBe(false);
    bench.cache.invalidate('all');
    expect(bench.looksUp()).toBe(true);
  });

  it('a feed tells of changes as invalidate does', async () => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.cache.listener.change({ key: 'k1' });
    expect(bench.looksUp()).toBe(true);
  });
});

describe('rule 7: a look-up that began before a change', () => {
  it.each([
    ['its key', { key: 'k1' }],
    ['its account', { account: 'a1' }],
    ['everything', 'all'],
  ])('may not write after a change of %s: it is made anew', async (_what, change) => {
    const bench = createCacheBench();
    const answer = bench.ask();
    bench.cache.invalidate(change as Change);
    bench.begun[0]?.resolve(facts('before'));
    await settled();
    expect(bench.begun).toHaveLength(2);
    bench.begun[1]?.resolve(facts('after'));
    expect(await answer).toBe('after');
    expect(await bench.ask()).toBe('after');
  });

  it.each([
    ['another key', { key: 'k2' }],
    ['another account', { account: 'a2' }],
    ['an access key of the same id', { accessKey: 'k1' }],
  ])('writes after a change of %s', async (_what, change) => {
    const bench = createCacheBench();
    const answer = bench.ask();
    bench.cache.invalidate(change as Change);
    bench.begun[0]?.resolve(facts('first'));
    expect(await answer).toBe('first');
    expect(bench.begun).toHaveLength(1);
  });

  it('may not write what is not there, after everything changed', async () => {
    const bench = createCacheBench();
    const answer = bench.ask();
    bench.cache.invalidate('all');
    bench.begun[0]?.resolve(UNKNOWN);
    await settled();
    bench.begun[1]?.resolve(facts('after'));
    expect(await answer).toBe('after');
  });

  it('may not write a disabled key that was enabled meanwhile', async () => {
    const bench = createCacheBench();
    const answer = bench.ask();
    bench.cache.invalidate({ key: 'k1' });
    bench.begun[0]?.resolve(DISABLED);
    await settled();
    bench.begun[1]?.resolve(facts('after'));
    expect(await answer).toBe('after');
  });

  it('fails when the key changes again while it is looked up anew, and writes nothing', async () => {
    const bench = createCacheBench();
    const answer = bench.ask();
    bench.cache.invalidate({ key: 'k1' });
    bench.begun[0]?.resolve(facts('before'));
    await settled();
    bench.cache.invalidate({ key: 'k1' });
    bench.begun[1]?.resolve(facts('between'));
    expect(await answer).toBe('failed: overtaken');
    expect(bench.looksUp()).toBe(true);
  });

  it('is not held to changes from before it was made anew', async () => {
    const bench = createCacheBench();
    const answer = bench.ask();
    for (const change of [{ account: 'a1' }, 'all', { key: 'k1' }] as const) bench.cache.invalidate(change);
    bench.begun[0]?.resolve(facts('before'));
    await settled();
    bench.begun[1]?.resolve(facts('after'));
    expect(await answer).toBe('after');
    expect(bench.begun).toHaveLength(2);
  });

  it('made anew, counts its age from then', async () => {
    const bench = createCacheBench();
    const answer = bench.ask();
    bench.cache.invalidate({ key: 'k1' });
    bench.clock.advance(900);
    bench.begun[0]?.resolve(facts('before'));
    await settled();
    bench.begun[1]?.resolve(facts('after'));
    await answer;
    bench.clock.advance(9_999);
    expect(bench.looksUp()).toBe(false);
    bench.clock.advance(1);
    expect(bench.looksUp()).toBe(true);
  });

  it('holds for every look-up under way, of whatever key', async () => {
    const bench = createCacheBench();
    const answers = [bench.ask('d1'), bench.ask('d2')];
    bench.cache.invalidate({ account: 'a1' });
    bench.begun[0]?.resolve(facts('before', { id: 'k1', account: 'a1' }));
    bench.begun[1]?.resolve(facts('before', { id: 'k2', account: 'a1' }));
    await settled();
    bench.begun[2]?.resolve(facts('after'));
    bench.begun[3]?.resolve(facts('after'));
    expect(await Promise.all(answers)).toEqual(['after', 'after']);
  });

  it('shares what it brings with nobody who asks after the change', async () => {
    const bench = createCacheBench();
    const before = bench.ask();
    bench.begun[0]?.resolve(facts('before'));
    const after = new Promise<string>((resolve) => {
      // The look-up has landed, and nobody who waits for it has gone on yet.
      queueMicrotask(() => {
        bench.cache.invalidate({ key: 'k1' });
        resolve(bench.ask());
      });
    });
    await settled();
    expect(bench.begun).toHaveLength(2);
    bench.begun[1]?.resolve(REVOKED);
    expect([await before, await after]).toEqual(['before', 'refused: revoked']);
  });
});

describe('revoked is final', () => {
  it.each([
    ['its key', { key: 'k1' }],
    ['its account', { account: 'a1' }],
    ['everything', 'all'],
    ['what cannot be read', 'garbage' as unknown as Change],
  ])('a change of %s does not lift it', async (_what, change) => {
    const bench = createCacheBench();
    await bench.learn(REVOKED);
    bench.cache.invalidate(change as Change);
    expect(bench.looksUp()).toBe(false);
    expect(await bench.ask()).toBe('refused: revoked');
  });

  it('it drops the entry that was served until then', async () => {
    const bench = createCacheBench();
    await bench.learn(facts('first'));
    const held = bench.cache.recall('d1', instantOf(bench.clock));
    bench.clock.advance(10_000);
    await bench.learn(REVOKED);
    expect(held?.live).toBe(false);
  });

  it('and keeps others as they are', async () => {
    const bench = createCacheBench({ bounds: { ...BOUNDS, max: 2 } });
    await bench.learn(facts('other', OTHER), 'd2');
    await bench.learn({ ...REVOKED, subject: SUBJECT }, 'd1');
    expect(await bench.ask('d2')).toBe('other');
  });
});
