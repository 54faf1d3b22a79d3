import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { InvalidArgumentError } from 'commander';
import {
  allOr,
  collect,
  collectLimits,
  collectMetadata,
  MAX_GRACE_TEXT,
  readDateTime,
  readDay,
  readGrace,
  readLimit,
  readLineNumber,
  readPort,
  readText,
  readTime,
  readUrl,
} from '../../lib/cli/option-values.js';
import { START } from '../support/manual-clock.js';

afterEach(() => {
  jest.restoreAllMocks();
});

const DAY = 86_400;

describe('a grace period', () => {
  it.each([
    ['0', 0],
    ['90s', 90],
    ['30m', 1_800],
    ['24h', DAY],
    ['7d', 7 * DAY],
    ['30d', 30 * DAY],
    ['0s', 0],
  ])('%s', (text, seconds) => {
    expect(readGrace(text)).toBe(seconds);
  });

  it.each(['2592001s', '31d', '7', '1.5h', '-1d', '1w', '1D', ' 1d', '1d ', '1234567890s', ''])('not %j', (text) => {
    expect(() => readGrace(text)).toThrow(/expected/);
  });

  it.each([
    ['7', '7 has no unit; '],
    ['12', '12 has no unit; '],
    ['x7', ''],
    ['7x', ''],
    ['', ''],
  ])('not %j, and says why', (text, reason) => {
    const message = `${reason}expected 0, or a duration with a unit, such as 90s, 30m, 24h or 7d`;
    expect(() => readGrace(text)).toThrow(new InvalidArgumentError(message));
  });

  it('of at most 30 days, as the help says', () => {
    expect(() => readGrace('31d')).toThrow(new InvalidArgumentError('expected a duration of at most 30d'));
    expect(MAX_GRACE_TEXT).toBe('30d');
  });
});

describe('a time', () => {
  it('a duration is counted from now', () => {
    jest.spyOn(Date, 'now').mockReturnValue(START);
    expect(readTime('90d').getTime()).toBe(START + 90 * DAY * 1_000);
    expect(readTime('5m').getTime()).toBe(START + 300_000);
  });

  it.each([readTime, readDateTime])('a date, with or without a time', (read) => {
    expect(read('2027-01-31')).toEqual(new Date('2027-01-31T00:00:00Z'));
    expect(read('2027-01-31T12:00:00Z')).toEqual(new Date('2027-01-31T12:00:00Z'));
    expect(() => read('2027-02-31')).toThrow('expected a date');
    expect(() => read('tomorrow')).toThrow('expected a date');
  });

  it('a point in time is no duration, and a day has no time', () => {
    expect(() => readDateTime('7d')).toThrow('expected a date');
    expect(readDay('2027-01-31')).toEqual(new Date('2027-01-31T00:00:00Z'));
    for (const text of ['2027-01-31T12:00:00Z', '2027-02-31', '7d', '']) {
      expect(() => readDay(text)).toThrow('expected a date, such as 2027-01-31');
    }
  });
});

it('a text is not empty', () => {
  expect(readText(' Till 1 ')).toBe(' Till 1 ');
  for (const text of ['', ' ', '\n']) expect(() => readText(text)).toThrow('expected a text that is not empty');
});

describe('a number', () => {
  it.each([
    [readPort, ['0', '80', '65535'], ['65536', '-1', '', '8e1', '080000', '80x', '1.5']],
    [readLimit, ['1', '50', '200'], ['0', '201', '', '-1', '1e1', '0200', '1.5']],
    [readLineNumber, ['1', '2', '999999999999999'], ['0', '', '-1', '1.5', '1000000000000000', '2x']],
  ] as const)('%o', (read, good, bad) => {
    expect(good.map((text) => read(text))).toEqual(good.map(Number));
    for (const text of bad) expect(() => read(text)).toThrow(/^expected a /);
  });
});

describe('an option that is repeated', () => {
  it('collects its values, also after the option that removes them', () => {
    expect(collect('b', collect('a', undefined))).toEqual(['a', 'b']);
    expect(collect('a', false)).toEqual(['a']);
    expect(collectMetadata('b=2=3', collectMetadata('a=', undefined))).toEqual({ a: '', b: '2=3' });
    expect(collectMetadata('a=1', false)).toEqual({ a: '1' });
    expect(Object.keys(collectMetadata('__proto__=1', undefined))).toEqual(['__proto__']);
    expect(collectLimits('5/1h', collectLimits('1/1s', undefined))).toEqual([
      { requests: 1, seconds: 1 },
      { requests: 5, seconds: 3_600 },
    ]);
    expect(collectLimits('5/1h', false)).toHaveLength(1);
  });

  it.each(['=1', 'team', ''])('is no metadata: %j', (text) => {
    expect(() => collectMetadata(text, undefined)).toThrow('expected NAME=VALUE');
  });

  it('has the name "all" alone', () => {
    expect([allOr('--api', undefined), allOr('--api', ['all']), allOr('--api', ['a'])]).toEqual([
      undefined,
      'all',
      ['a'],
    ]);
    expect(() => allOr('--api', ['a', 'all'])).toThrow('--api: "all" cannot be combined');
  });
});

it('a URL is https, or http of a loopback host', () => {
  for (const url of ['https://api.example.com/x', 'http://127.0.0.1:4000']) expect(readUrl(url)).toBe(url);
  for (const url of ['http://api.example.com', 'ftp://x', 'api.example.com', '']) {
    expect(() => readUrl(url)).toThrow('expected an https URL');
  }
});
