import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { systemClock } from '../../lib/contracts/clock.js';

describe('systemClock', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('returns the wall clock of the machine, in milliseconds since 1970', () => {
    jest.spyOn(Date, 'now').mockReturnValue(1_800_000_000_123);
    expect(systemClock.now()).toBe(1_800_000_000_123);
  });

  it('returns the milliseconds of a clock that is never set back', () => {
    jest.spyOn(performance, 'now').mockReturnValue(1_234.5);
    expect(systemClock.monotonic()).toBe(1_234.5);
  });

  it('cannot be changed', () => {
    expect(Object.isFrozen(systemClock)).toBe(true);
  });
});
