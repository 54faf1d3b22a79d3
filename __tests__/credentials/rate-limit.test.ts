import { describe, expect, it } from '@jest/globals';
import {
  copyRateLimits,
  formatRateLimit,
  isRateLimits,
  parseRateLimit,
  RATE_LIMIT_FORM,
  RATE_LIMITS_EXPECTED,
} from '../../lib/credentials/rate-limit.js';

const limits = (count: number) => Array.from({ length: count }, (_, index) => ({ requests: 1, seconds: index + 1 }));

describe('isRateLimits', () => {
  it.each([
    ['one limit', [{ requests: 100, seconds: 60 }]],
    ['the smallest numbers', [{ requests: 1, seconds: 1 }]],
    ['the largest numbers', [{ requests: 1_000_000_000, seconds: 604_800 }]],
    ['eight limits', limits(8)],
    ['the same requests in two windows', limits(2)],
  ])('accepts %s', (_name, value) => {
    expect(isRateLimits(value)).toBe(true);
  });

  it.each([
    ['no list', { requests: 1, seconds: 1, length: 1 }],
    ['a text', '100/1m'],
    ['an empty list', []],
    ['nine limits', limits(9)],
    ['two limits of the same window', [...limits(1), { requests: 2, seconds: 1 }]],
    ['no requests', [{ requests: 0, seconds: 1 }]],
    ['no seconds', [{ requests: 1, seconds: 0 }]],
    ['too many requests', [{ requests: 1_000_000_001, seconds: 1 }]],
    ['a window of more than 7 days', [{ requests: 1, seconds: 604_801 }]],
    ['a number that is not whole', [{ requests: 1.5, seconds: 1 }]],
    ['numbers as texts', [{ requests: '1', seconds: '1' }]],
    ['a missing number', [{ requests: 1 }]],
    ['an unknown field', [{ requests: 1, seconds: 1, burst: 1 }]],
    ['null as a limit', [null]],
    ['a number as a limit', [1]],
    ['a function with the fields of a limit', [Object.assign(() => 1, { requests: 1, seconds: 1 })]],
    ['one wrong limit of two', [...limits(1), { requests: 0, seconds: 2 }]],
  ])('refuses %s', (_name, value) => {
    expect(isRateLimits(value)).toBe(false);
  });

  it('has a text that says what it expects', () => {
    expect(RATE_LIMITS_EXPECTED).toBe(
      'a list of 1 to 8 objects { requests, seconds }, where requests is a whole number from 1 to 1,000,000,000, seconds is a whole number from 1 to 604,800, and no two objects have the same value of seconds',
    );
  });
});

describe('copyRateLimits', () => {
  it('returns a frozen copy that a change of the original does not reach', () => {
    const given = [{ requests: 5, seconds: 60 }];
    const copy = copyRateLimits(given);
    given[0] = { requests: 6, seconds: 60 };
    expect(copy).toEqual([{ requests: 5, seconds: 60 }]);
    expect([Object.isFrozen(copy), Object.isFrozen(copy[0])]).toEqual([true, true]);
  });
});

describe('parseRateLimit', () => {
  it.each([
    ['100/1m', 100, 60],
    ['100/m', 100, 60],
    ['100/minute', 100, 60],
    ['1/s', 1, 1],
    ['1/second', 1, 1],
    ['7/h', 7, 3_600],
    ['7/hour', 7, 3_600],
    ['5000/d', 5_000, 86_400],
    ['5000/day', 5_000, 86_400],
    ['1000000000/30s', 1_000_000_000, 30],
    ['2/168h', 2, 604_800],
    ['2/604800s', 2, 604_800],
  ])('parses %s', (text, requests, seconds) => {
    expect(parseRateLimit(text)).toEqual({ requests, seconds });
  });

  it.each([
    '',
    '100',
    '100/',
    '100/1',
    '/1m',
    'x100/1m',
    '100/1mx',
    '100/1w',
    '100/xm',
    '-1/m',
    '1.5/m',
    '100/2minute',
  ])('returns undefined for %p', (text) => {
    expect(parseRateLimit(text)).toBeUndefined();
  });

  it.each(['12345678901/m', '1/1234567s'])('returns undefined for a number with too many digits: %s', (text) => {
    expect(parseRateLimit(text)).toBeUndefined();
  });

  it('has a text that says what it expects', () => {
    expect(RATE_LIMIT_FORM).toBe(
      'a rate limit such as 100/1m: the number of requests, a slash, and a duration with the unit s, m, h or d',
    );
  });
});

describe('formatRateLimit', () => {
  it.each([
    [100, 60, '100/1m'],
    [100, 90, '100/90s'],
    [3, 1, '3/1s'],
    [3, 7_200, '3/2h'],
    [3, 86_400, '3/1d'],
    [3, 604_800, '3/7d'],
    [3, 90_000, '3/25h'],
  ])('formats %i requests in %i seconds as %3$s', (requests, seconds, text) => {
    expect(formatRateLimit({ requests, seconds })).toBe(text);
    expect(parseRateLimit(text)).toEqual({ requests, seconds });
  });
});
