import { describe, expect, it } from '@jest/globals';
import { elapsed, instantOf } from '../../lib/contracts/clock.js';

describe('instantOf', () => {
  it('reads each clock once', () => {
    const read: string[] = [];
    const clock = {
      now: () => read.push('wall') * 100,
      monotonic: () => read.push('monotonic') * 10,
    };
    expect(instantOf(clock)).toEqual({ wall: 100, monotonic: 20 });
    expect(read).toEqual(['wall', 'monotonic']);
  });
});

describe('elapsed: the larger of what both clocks say (design rule 8)', () => {
  it.each([
    ['both clocks agree', { wall: 1_700, monotonic: 1_200 }, 700],
    ['the wall clock was set forward', { wall: 9_000, monotonic: 510 }, 8_000],
    ['the wall clock was set back', { wall: 0, monotonic: 510 }, 10],
    ['the monotonic clock stood still', { wall: 1_300, monotonic: 500 }, 300],
    ['no time passed', { wall: 1_000, monotonic: 500 }, 0],
  ])('%s', (_what, to, milliseconds) => {
    expect(elapsed({ wall: 1_000, monotonic: 500 }, to)).toBe(milliseconds);
  });
});
