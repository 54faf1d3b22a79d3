import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { RateCount } from 'keyward';
import { BoundedCounter } from '../../../lib/express/guards/bounded-counter.js';
import { type Deferred, deferred } from '../../support/deferred.js';
import { type Eavesdropper, eavesdrop } from '../../support/eavesdrop.js';

const COUNT: RateCount = { remainingPoints: 2, msBeforeNext: 1_500 };
const UNKNOWN = { isOver: false, count: undefined };

let ear: Eavesdropper;
beforeEach(() => {
  ear = eavesdrop();
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});
afterEach(() => {
  jest.useRealTimers();
  ear.stop();
});
const reasons = () => ear.heard<{ readonly reason: string }>('keyward:lookup-failure').map(({ reason }) => reason);

/** A counter whose answers wait until the test gives them. */
function createSlow() {
  const asked: Deferred<RateCount>[] = [];
  const counter = new BoundedCounter({
    consume() {
      const answer = deferred<RateCount>();
      asked.push(answer);
      return answer.promise;
    },
  });
  const countMany = (length: number) => Array.from({ length }, (_, index) => counter.count(`key:${index}`));
  return { asked, counter, countMany };
}

/** Advances the timers. A timeout fires only after the event loop has read the sockets once more. */
async function pass(milliseconds: number): Promise<void> {
  await jest.advanceTimersByTimeAsync(milliseconds);
  await new Promise(setImmediate);
}

describe('a counter that does not answer', () => {
  it('has at most 10,000 pending calls', async () => {
    const { asked, counter, countMany } = createSlow();
    const counts = countMany(10_000);
    expect(reasons()).toEqual([]);
    expect(await counter.count('key:x')).toEqual(UNKNOWN);
    expect(asked).toHaveLength(10_000);
    expect(ear.heard('keyward:lookup-failure')).toEqual([
      { of: 'requireRateLimit', reason: 'too_many', detail: undefined, where: [] },
    ]);
    asked[0]?.resolve(COUNT);
    expect(await counts[0]).toEqual({ isOver: false, count: COUNT });
    asked[1]?.reject({ ...COUNT, remainingPoints: 0 });
    expect(await counts[1]).toEqual({ isOver: true, count: { ...COUNT, remainingPoints: 0 } });
    countMany(2);
    expect(await counter.count('key:x')).toEqual(UNKNOWN);
    expect([asked.length, reasons()]).toEqual([10_002, ['too_many', 'too_many']]);
  });

  it('is asked again ten seconds after calls that never settle', async () => {
    const { asked, counter, countMany } = createSlow();
    countMany(10_000);
    await pass(1_000);
    await pass(8_999);
    expect(await counter.count('key:x')).toEqual(UNKNOWN);
    await pass(1);
    const count = counter.count('key:x');
    asked[10_000]?.resolve(COUNT);
    expect(await count).toEqual({ isOver: false, count: COUNT });
  });

  it('frees the place of a call once, if the call settles after it expired', async () => {
    const { asked, counter, countMany } = createSlow();
    void counter.count('key:x');
    await pass(1_000);
    await pass(9_000);
    asked[0]?.resolve(COUNT);
    await new Promise(setImmediate);
    countMany(10_000);
    expect(await counter.count('key:x')).toEqual(UNKNOWN);
    expect(asked).toHaveLength(10_001);
  });

  it('leaves no timer, if the call settles after the timeout', async () => {
    const { asked, counter } = createSlow();
    const count = counter.count('key:x');
    await pass(1_000);
    expect(await count).toEqual(UNKNOWN);
    expect(jest.getTimerCount()).toBe(1);
    asked[0]?.resolve(COUNT);
    await new Promise(setImmediate);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('does not keep the process alive after the timeout', async () => {
    const set = jest.spyOn(globalThis, 'setTimeout');
    void createSlow().counter.count('key:x');
    await pass(1_000);
    const timers = set.mock.results.map(({ value }) => value as NodeJS.Timeout);
    set.mockRestore();
    expect(timers.at(-1)?.hasRef()).toBe(false);
  });
});

describe('a count whose getters change', () => {
  const changingCount = () => {
    const values: number[] = [2, Number.NaN];
    return {
      msBeforeNext: 1_500,
      get remainingPoints() {
        return values.shift() ?? Number.NaN;
      },
    };
  };

  it.each([
    ['resolves to', () => Promise.resolve(changingCount()), false],
    ['rejects with', () => Promise.reject(changingCount()), true],
  ])('is copied, if a counter %s it', async (_how, consume, isOver) => {
    const { count, ...rest } = await new BoundedCounter({ consume }).count('key:x');
    expect([rest, count?.remainingPoints, count?.remainingPoints]).toEqual([{ isOver }, 2, 2]);
    expect(reasons()).toEqual([]);
  });
});
