import { describe, expect, it } from '@jest/globals';
import type { Change } from 'keyward';
import { instantOf } from '../../lib/contracts/clock.js';
import {
  BOUNDS,
  createCacheBench,
  DISABLED,
  facts,
  foundNothing,
  holdTimers,
  REVOKED,
  SUBJECT,
  settled,
  UNKNOWN,
  WATCHED,
} from '../support/cache-bench.js';
import { START } from '../support/manual-clock.js';

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
  ])('a change of %s invalidates the entry: %s', async (_what, drops, change) => {
    const bench = createCacheBench();
    await bench.learn(facts('first'));
    const held = bench.held();
    bench.cache.invalidate(change as Change);
    expect(held && bench.cache.isUsable(held, instantOf(bench.clock))).toBe(!drops);
    expect(bench.looksUp()).toBe(drops);
  });

  it.each([
    ['its key', true, { key: 'k1' }],
    ['its account', true, { account: 'a1' }],
    ['everything', true, 'all'],
    ['another key', false, { key: 'k2' }],
    ['another account', false, { account: 'a2' }],
  ])('a change of %s invalidates a negative entry: %s', async (_what, drops, change) => {
    const bench = createCacheBench();
    await bench.learn(DISABLED);
    bench.cache.invalidate(change as Change);
    expect(bench.looksUp()).toBe(drops);
  });

  it('only a change of everything invalidates unknown keys', async () => {
    const bench = createCacheBench();
    await bench.learn(UNKNOWN);
    for (const change of [{ key: 'k1' }, { account: 'a1' }]) bench.cache.invalidate(change);
    expect(bench.looksUp()).toBe(false);
    bench.cache.invalidate('all');
    expect(bench.looksUp()).toBe(true);
  });

  it('a change of a feed has the same effect as invalidate', async () => {
    const bench = createCacheBench(WATCHED);
    await bench.learn(facts('first'));
    bench.cache.listener.onChange({ key: 'k1' });
    expect(bench.looksUp()).toBe(true);
  });
});

describe('rule 7: a lookup that started before a change', () => {
  it.each([
    ['its key', { key: 'k1' }],
    ['its account', { account: 'a1' }],
    ['everything', 'all'],
  ])('must not be written after a change of %s: it is repeated', async (_what, change) => {
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
  ])('is written after a change of %s', async (_what, change) => {
    const bench = createCacheBench();
    const answer = bench.ask();
    bench.cache.invalidate(change as Change);
    bench.begun[0]?.resolve(facts('first'));
    expect(await answer).toBe('first');
    expect(bench.begun).toHaveLength(1);
  });

  it('must not write a negative entry after everything changed', async () => {
    const bench = createCacheBench();
    const answer = bench.ask();
    bench.cache.invalidate('all');
    bench.begun[0]?.resolve(UNKNOWN);
    await settled();
    bench.begun[1]?.resolve(facts('after'));
    expect(await answer).toBe('after');
  });

  it('must not write a disabled key that was enabled meanwhile', async () => {
    const bench = createCacheBench();
    const answer = bench.ask();
    bench.cache.invalidate({ key: 'k1' });
    bench.begun[0]?.resolve(DISABLED);
    await settled();
    bench.begun[1]?.resolve(facts('after'));
    expect(await answer).toBe('after');
  });

  it('fails if the key changes again during the repetition, and writes nothing', async () => {
    const bench = createCacheBench();
    const answer = bench.ask();
    bench.cache.invalidate({ key: 'k1' });
    bench.begun[0]?.resolve(facts('before'));
    await settled();
    bench.cache.invalidate({ key: 'k1' });
    bench.begun[1]?.resolve(facts('between'));
    expect(await answer).toBe('failed: superseded');
    expect(bench.looksUp()).toBe(true);
  });

  it('ignores changes from before its repetition', async () => {
    const bench = createCacheBench();
    const answer = bench.ask();
    for (const change of [{ account: 'a1' }, 'all', { key: 'k1' }] as const) bench.cache.invalidate(change);
    bench.begun[0]?.resolve(facts('before'));
    await settled();
    bench.begun[1]?.resolve(facts('after'));
    expect(await answer).toBe('after');
    expect(bench.begun).toHaveLength(2);
  });

  it('has the age of its repetition', async () => {
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

  it('applies to every pending lookup', async () => {
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

  it('is not shared with requests after the change', async () => {
    const bench = createCacheBench();
    const before = bench.ask();
    bench.begun[0]?.resolve(facts('before'));
    const after = new Promise<string>((resolve) => {
      // The lookup has settled, but the callers that wait for it have not continued yet.
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
    expect(await bench.learn(facts('later'))).toBe('refused: revoked');
    expect(await bench.ask()).toBe('refused: revoked');
    expect(bench.begun).toHaveLength(2);
  });

  it('by the current time: a wall clock that jumped past it and back makes the key usable again', async () => {
    const bench = createCacheBench();
    bench.clock.setWall(60_000);
    await bench.learn(foundNothing('revoked', SUBJECT, START + 60_000));
    bench.clock.advance(1_000);
    expect(await bench.learn(facts('again'))).toBe('refused: revoked');
    bench.clock.setWall(-62_000);
    bench.clock.advance(1_000);
    expect(await bench.learn(facts('again'))).toBe('again');
  });

  it('it removes the entry that was used until then', async () => {
    const bench = createCacheBench();
    await bench.learn(facts('first'));
    const held = bench.held();
    bench.clock.advance(10_000);
    await bench.learn(REVOKED);
    expect(held?.isCached).toBe(false);
  });

  it('it keeps other entries', async () => {
    const bench = createCacheBench({ bounds: { ...BOUNDS, max: 2 } });
    await bench.learn(facts('other', OTHER), 'd2');
    await bench.learn({ ...REVOKED, subject: SUBJECT }, 'd1');
    expect(await bench.ask('d2')).toBe('other');
  });
});
