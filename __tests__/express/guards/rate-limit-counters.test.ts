import { describe, expect, it } from '@jest/globals';
import type { RateCounter, RateCounterOptions } from 'keyward';
import { BoundedCounter } from '../../../lib/express/guards/bounded-counter.js';
import {
  createRatePlans,
  type RateWindow,
  rateLimitItem,
  secondsOf,
} from '../../../lib/express/guards/rate-limit-counters.js';

const counter: RateCounter = { consume: async () => ({ remainingPoints: 1, msBeforeNext: 1 }) };
const MINUTE = { requests: 3, seconds: 60 };
const HOUR = { requests: 9, seconds: 3_600 };

/** The function that makes plans, and the limits for which it made counters. */
function plans(counterOf: (options: RateCounterOptions) => unknown = () => ({ ...counter })) {
  const made: RateCounterOptions[] = [];
  const planOf = createRatePlans((options) => {
    made.push(options);
    return counterOf(options) as RateCounter;
  });
  return { planOf, made };
}

describe('the plan of a list of limits', () => {
  it('has a window for each, and their policies', () => {
    const { planOf, made } = plans(({ keyPrefix }) => ({ ...counter, keyPrefix }));
    const { windows, policies } = planOf([MINUTE, HOUR]);
    expect(policies).toBe('"60s";q=3;w=60, "3600s";q=9;w=3600');
    expect(windows.map(({ name, policy }) => [name, policy])).toEqual([
      ['3/60 keyward:requests:3/60', '"60s"'],
      ['9/3600 keyward:requests:9/3600', '"3600s"'],
    ]);
    expect(made).toEqual([
      { keyPrefix: 'keyward:requests:3/60', points: 3, duration: 60 },
      { keyPrefix: 'keyward:requests:9/3600', points: 9, duration: 3_600 },
    ]);
  });

  it('is made once for a list, and its windows once for a limit', () => {
    const { planOf, made } = plans();
    const limits = [MINUTE];
    const plan = planOf(limits);
    expect(planOf(limits)).toBe(plan);
    const other = planOf([{ ...MINUTE }, HOUR]);
    expect(other).not.toBe(plan);
    expect(other.windows[0]).toBe(plan.windows[0]);
    expect(made).toHaveLength(2);
  });

  it('has a window for each number of requests and each time', () => {
    const { planOf, made } = plans();
    planOf([MINUTE, { ...MINUTE, requests: 4 }, { ...MINUTE, seconds: 61 }]);
    expect(made).toHaveLength(3);
  });

  it.each([
    ['no prefix', {}],
    ['a prefix that is not a string', { keyPrefix: 7 }],
  ])('names a window by its counter if this has %s', (_name, members) => {
    const own = { ...counter, ...members };
    expect(plans(() => own).planOf([MINUTE]).windows[0]?.name).toBe(own);
  });

  it('keeps at most 1,000 windows: the oldest goes first', () => {
    const { planOf, made } = plans();
    const limit = (requests: number) => [{ requests, seconds: 60 }];
    for (let requests = 1; requests <= 1_000; requests += 1) planOf(limit(requests));
    planOf(limit(1));
    expect(made).toHaveLength(1_000);
    planOf(limit(1_001));
    planOf(limit(2));
    expect(made).toHaveLength(1_001);
    planOf(limit(1));
    expect(made).toHaveLength(1_002);
  });
});

describe('a factory of counters', () => {
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['an object without consume()', {}],
    ['an object whose consume is no function', { consume: true }],
    ['a promise', Promise.resolve(counter)],
    ['a promise that rejects', Promise.reject(new Error('no connection'))],
  ])('must not return %s', (_name, made) => {
    const { planOf } = plans(() => made);
    expect(() => planOf([MINUTE])).toThrow(
      new TypeError('requireRateLimit: option "counter" must be a function that returns an object with consume()'),
    );
  });
});

it.each([
  [2, 1_500, '"60s";r=2;t=2'],
  [2.9, 2_000, '"60s";r=2;t=2'],
  [0, 2_001, '"60s";r=0;t=3'],
  [-1, 0, '"60s";r=0;t=1'],
  [1e300, 1e300, '"60s";r=999999999999999;t=999999999999999'],
])('%d requests and %d ms that remain: %s', (remainingPoints, msBeforeNext, item) => {
  const window: RateWindow = { name: 'x', policy: '"60s"', counter: new BoundedCounter(counter) };
  expect(rateLimitItem(window, { remainingPoints, msBeforeNext })).toBe(item);
});

it.each([
  [-1, 1],
  [0, 1],
  [1_000, 1],
  [1_001, 2],
])('%d ms are %d seconds', (milliseconds, seconds) => {
  expect(secondsOf(milliseconds)).toBe(seconds);
});
