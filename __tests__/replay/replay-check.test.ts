import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ReplayCache } from '../../lib/contracts/replay-cache.js';
import { ReplayCheck } from '../../lib/replay/replay-check.js';
import { type Deferred, deferred } from '../support/deferred.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';

let ear: Eavesdropper;
beforeEach(() => {
  ear = eavesdrop();
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});
afterEach(() => {
  jest.useRealTimers();
  ear.stop();
});

/** The reasons and details of the events so far. */
const failures = () => ear.heard('keyward:lookup-failure').map(({ of, reason, detail }) => [of, reason, detail]);

/** A cache that remembers ids, and counts how often it is asked. */
function createMemory() {
  const asked: (readonly [string, number])[] = [];
  const seen = new Set<string>();
  const cache: ReplayCache = {
    firstUse(id, seconds) {
      asked.push([id, seconds]);
      if (seen.has(id)) return false;
      seen.add(id);
      return true;
    },
  };
  return { cache, asked };
}

/** A cache whose answers wait until the test gives them. */
function createSlow() {
  const asked: Deferred<boolean>[] = [];
  const firstUse = () => {
    const answer = deferred<boolean>();
    asked.push(answer);
    return answer.promise;
  };
  return { cache: { firstUse }, asked };
}

const answering = (answer: unknown) => new ReplayCheck({ firstUse: () => answer as boolean });

describe('an id', () => {
  it('is first once, and then used, answered synchronously', () => {
    const { cache, asked } = createMemory();
    const check = new ReplayCheck(cache);
    expect([check.use({}, 'a', 60), check.use({}, 'a', 60), check.use({}, 'b', 30)]).toEqual([
      'first',
      'used',
      'first',
    ]);
    expect(asked).toEqual([
      ['a', 60],
      ['a', 60],
      ['b', 30],
    ]);
  });

  it('is asked for once per request, even by two checks of one cache', () => {
    const { cache, asked } = createMemory();
    const request = {};
    const uses = [new ReplayCheck(cache), new ReplayCheck(cache)].map((check) => check.use(request, 'a', 60));
    expect([uses, asked.length]).toEqual([['first', 'first'], 1]);
  });

  it('is asked for again by another request, for another id, and in another cache', () => {
    const [one, other] = [createMemory(), createMemory()];
    const check = new ReplayCheck(one.cache);
    const request = {};
    check.use(request, 'a', 60);
    expect([check.use(request, 'b', 60), check.use(request, 'a', 60), check.use({}, 'a', 60)]).toEqual([
      ...['first', 'first', 'used'],
    ]);
    expect(new ReplayCheck(other.cache).use(request, 'a', 60)).toBe('first');
    expect([one.asked.length, other.asked.length]).toEqual([3, 1]);
  });
});

describe('a cache that answers later', () => {
  it('its answer counts, true or false', async () => {
    const { cache, asked } = createSlow();
    const check = new ReplayCheck(cache);
    const uses = [check.use({}, 'a', 60), check.use({}, 'b', 60)];
    asked[0]?.resolve(true);
    asked[1]?.resolve(false);
    expect(await Promise.all(uses)).toEqual(['first', 'used']);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(failures()).toEqual([]);
  });

  it('two gates of one request get the same promise', () => {
    const { cache } = createSlow();
    const check = new ReplayCheck(cache);
    const request = {};
    expect(check.use(request, 'a', 60)).toBe(check.use(request, 'a', 60));
  });

  it('is unavailable if it rejects', async () => {
    const { cache, asked } = createSlow();
    const use = new ReplayCheck(cache).use({}, 'a', 60);
    asked[0]?.reject(new RangeError('secret'));
    expect(await use).toBe('unavailable');
    expect(failures()).toEqual([['replayCache', 'threw', 'RangeError']]);
  });

  it('is unavailable after a second, and its late answer changes nothing', async () => {
    const { cache, asked } = createSlow();
    const use = Promise.resolve(new ReplayCheck(cache).use({}, 'a', 60));
    const settled = jest.fn();
    void use.then(settled);
    await jest.advanceTimersByTimeAsync(999);
    await new Promise(setImmediate);
    expect(settled).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1);
    expect(await use).toBe('unavailable');
    asked[0]?.resolve(true);
    await new Promise(setImmediate);
    expect(await use).toBe('unavailable');
    expect(failures()).toEqual([['replayCache', 'timed_out', undefined]]);
  });

  it('is not too late if its answer arrives while the event loop is blocked', async () => {
    const { cache, asked } = createSlow();
    const use = new ReplayCheck(cache).use({}, 'a', 60);
    jest.advanceTimersByTime(1_000);
    asked[0]?.resolve(true);
    expect(await use).toBe('first');
    await new Promise(setImmediate);
    expect(failures()).toEqual([]);
  });

  it('is asked by at most 1,000 requests at a time', async () => {
    const { cache, asked } = createSlow();
    const check = new ReplayCheck(cache);
    const uses = Array.from({ length: 1_000 }, (_, index) => check.use({}, `id ${index}`, 60));
    expect([asked.length, check.use({}, 'one more', 60), asked.length]).toEqual([1_000, 'unavailable', 1_000]);
    expect(failures()).toEqual([['replayCache', 'too_many', undefined]]);
    asked[0]?.resolve(true);
    await uses[0];
    await new Promise(setImmediate);
    void check.use({}, 'a place is free', 60);
    expect([asked.length, check.use({}, 'none is left', 60)]).toEqual([1_001, 'unavailable']);
  });

  it('is asked again ten seconds after 1,000 calls that never settle', async () => {
    const { cache, asked } = createSlow();
    const check = new ReplayCheck(cache);
    for (let index = 0; index < 1_000; index += 1) void check.use({}, `id ${index}`, 60);
    await jest.advanceTimersByTimeAsync(1_000);
    await new Promise(setImmediate);
    await jest.advanceTimersByTimeAsync(8_999);
    expect(check.use({}, 'too early', 60)).toBe('unavailable');
    await jest.advanceTimersByTimeAsync(1);
    const use = check.use({}, 'all have expired', 60);
    asked[1_000]?.resolve(true);
    expect([await use, asked.length]).toEqual(['first', 1_001]);
  });

  it('frees the place of a call only once, if the call settles after it expired', async () => {
    const { cache, asked } = createSlow();
    const check = new ReplayCheck(cache);
    void check.use({}, 'expires', 60);
    await jest.advanceTimersByTimeAsync(1_000);
    await new Promise(setImmediate);
    await jest.advanceTimersByTimeAsync(9_000);
    asked[0]?.resolve(true);
    await new Promise(setImmediate);
    for (let index = 0; index < 1_000; index += 1) void check.use({}, `id ${index}`, 60);
    expect([asked.length, check.use({}, 'one more', 60), asked.length]).toEqual([1_001, 'unavailable', 1_001]);
  });

  it('leaves no timer behind if it answers after the timeout, and keeps no process alive until then', async () => {
    const { cache, asked } = createSlow();
    const check = new ReplayCheck(cache);
    const timers = jest.spyOn(globalThis, 'setTimeout');
    void check.use({}, 'late', 60);
    await jest.advanceTimersByTimeAsync(1_000);
    await new Promise(setImmediate);
    const expiry = timers.mock.results[1]?.value as NodeJS.Timeout;
    expect([jest.getTimerCount(), expiry.hasRef()]).toEqual([1, false]);
    asked[0]?.resolve(true);
    await new Promise(setImmediate);
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('a cache that does not answer as it must', () => {
  it('is unavailable if it throws, and the event has no message', () => {
    const check = new ReplayCheck({
      firstUse() {
        throw new TypeError('secret');
      },
    });
    expect(check.use({}, 'a', 60)).toBe('unavailable');
    expect(failures()).toEqual([['replayCache', 'threw', 'TypeError']]);
  });

  it.each([[undefined], [null], [1], ['first'], [{}], [Object.fromEntries([['then', true]])]])(
    'is unavailable if it returns %p',
    (answer) => {
      expect(answering(answer).use({}, 'a', 60)).toBe('unavailable');
      expect(failures()).toEqual([['replayCache', 'record_invalid', undefined]]);
    },
  );

  it('is unavailable if its promise has no boolean', async () => {
    expect(await answering(Promise.resolve('first')).use({}, 'a', 60)).toBe('unavailable');
    expect(failures()).toEqual([['replayCache', 'record_invalid', undefined]]);
  });

  it('is unavailable without a listener too', () => {
    ear.stop();
    expect(answering(1).use({}, 'a', 60)).toBe('unavailable');
  });
});
