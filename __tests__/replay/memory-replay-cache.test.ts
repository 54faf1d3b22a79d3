import { describe, expect, it } from '@jest/globals';
import { replayId } from '../../lib/contracts/replay-cache.js';
import { type MemoryReplayCacheOptions, memoryReplayCache } from '../../lib/replay/memory-replay-cache.js';
import { createManualClock } from '../support/manual-clock.js';

const ALICE = 'a'.repeat(43);
const BOB = 'b'.repeat(43);

function setUp(options: MemoryReplayCacheOptions = {}) {
  const clock = createManualClock();
  return { clock, cache: memoryReplayCache({ clock, ...options }) };
}

describe('memoryReplayCache', () => {
  it('answers true for a new id and false for a used one', () => {
    const { cache } = setUp();
    expect(cache.firstUse(replayId(ALICE, 'one'), 70)).toBe(true);
    expect(cache.firstUse(replayId(ALICE, 'one'), 70)).toBe(false);
    expect(cache.firstUse(replayId(BOB, 'one'), 70)).toBe(true);
    expect(cache.firstUse(replayId(ALICE, 'two'), 70)).toBe(true);
  });

  it('stores an id for its seconds, and then removes it', () => {
    const { cache, clock } = setUp();
    cache.firstUse(replayId(ALICE, 'one'), 70);
    clock.advance(70_000);
    expect(cache.firstUse(replayId(ALICE, 'one'), 70)).toBe(false);
    clock.advance(2_000);
    expect(cache.firstUse(replayId(ALICE, 'one'), 70)).toBe(true);
  });

  it('removes an id a second after its seconds, and not before', () => {
    const { cache, clock } = setUp({ maxPerClient: 1 });
    cache.firstUse(replayId(ALICE, 'one'), 70);
    clock.advance(70_999);
    expect(cache.firstUse(replayId(ALICE, 'one'), 70)).toBe(false);
    clock.advance(1);
    expect(cache.firstUse(replayId(ALICE, 'two'), 70)).toBe(true);
  });

  it('removes all ids of the same second', () => {
    const { cache, clock } = setUp();
    const ids = [replayId(ALICE, 'one'), replayId(BOB, 'one'), replayId(ALICE, 'two')];
    const firstUses = () => ids.map((id) => cache.firstUse(id, 70));
    firstUses();
    clock.advance(71_000);
    expect(firstUses()).toEqual([true, true, true]);
  });

  it('removes a short-lived id after an earlier long-lived one', () => {
    const { cache, clock } = setUp({ max: 2 });
    cache.firstUse(replayId(ALICE, 'long'), 300);
    cache.firstUse(replayId(ALICE, 'short'), 10);
    clock.advance(12_000);
    expect(cache.firstUse(replayId(BOB, 'one'), 10)).toBe(true);
    expect(cache.firstUse(replayId(ALICE, 'long'), 300)).toBe(false);
  });

  it('removes no id too early when the wall clock is set forward', () => {
    const { cache, clock } = setUp();
    cache.firstUse(replayId(ALICE, 'one'), 70);
    clock.setWall(86_400_000);
    expect(cache.firstUse(replayId(ALICE, 'one'), 70)).toBe(false);
  });

  it('throws above its limit, and still knows used ids', () => {
    const { cache } = setUp({ max: 2 });
    cache.firstUse(replayId(ALICE, 'one'), 70);
    cache.firstUse(replayId(BOB, 'one'), 70);
    expect(() => cache.firstUse(replayId('c'.repeat(43), 'one'), 70)).toThrow(
      expect.objectContaining({ code: 'replay_cache_full', message: expect.stringContaining('"max"') }),
    );
    expect(cache.firstUse(replayId(ALICE, 'one'), 70)).toBe(false);
  });

  it('limits each client key separately', () => {
    const { cache, clock } = setUp({ max: 10, maxPerClient: 2 });
    cache.firstUse(replayId(ALICE, 'one'), 70);
    cache.firstUse(replayId(ALICE, 'two'), 10);
    expect(() => cache.firstUse(replayId(ALICE, 'three'), 70)).toThrow('"maxPerClient"');
    expect(cache.firstUse(replayId(BOB, 'one'), 70)).toBe(true);
    clock.advance(12_000);
    expect(cache.firstUse(replayId(ALICE, 'three'), 70)).toBe(true);
    expect(() => cache.firstUse(replayId(ALICE, 'four'), 70)).toThrow('"maxPerClient"');
  });

  it.each([{ max: 0 }, { max: 1.5 }, { maxPerClient: 0 }, { size: 1 }])('throws a TypeError for %j', (options) => {
    expect(() => memoryReplayCache(options as MemoryReplayCacheOptions)).toThrow(
      expect.objectContaining({ name: 'TypeError', message: expect.stringMatching(/^memoryReplayCache: /) }),
    );
  });
});
