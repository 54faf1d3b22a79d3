import { describe, expect, it } from '@jest/globals';
import { timeAgo, timeWithAge } from '../../../lib/dashboard/components/times.js';
import { START } from '../../support/manual-clock.js';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

describe('ago', () => {
  it.each([
    [0, 'just now'],
    [59_999, 'just now'],
    [-59_999, 'just now'],
    [MINUTE, '1 minute ago'],
    [2 * MINUTE - 1, '1 minute ago'],
    [-MINUTE, 'in 1 minute'],
    [60 * MINUTE, '1 hour ago'],
    [DAY - 1, '23 hours ago'],
    [DAY, 'yesterday'],
    [-12 * DAY, 'in 12 days'],
    [31 * 60 * MINUTE, 'yesterday'],
    [33 * 60 * MINUTE, '2 days ago'],
    [-39 * 60 * MINUTE, 'tomorrow'],
    [-40 * 60 * MINUTE, 'tomorrow'],
    [-40 * 60 * MINUTE - 1, 'in 2 days'],
    [1 - 7 * DAY, 'in 7 days'],
    [-1.4 * DAY, 'tomorrow'],
    [41 * DAY, '41 days ago'],
    [60 * DAY - 1, '60 days ago'],
    [60 * DAY, '2 months ago'],
    [-59 * DAY, 'in 59 days'],
    [-400 * DAY, 'in 1 year'],
    [3 * 365 * DAY, '3 years ago'],
  ])('%i ms ago: %s', (elapsed, said) => {
    expect(timeAgo(new Date(START - elapsed), START).text).toContain(`>${said}</time>`);
  });

  it('has the exact time as an attribute and as a tooltip', () => {
    expect(timeAgo(new Date(START), START).text).toBe(
      '<time datetime="2027-01-15T08:00Z" title="15 Jan 2027, 08:00 UTC">just now</time>',
    );
  });
});

describe('exact', () => {
  it('shows the exact time, and how long ago it is', () => {
    expect(timeWithAge(new Date(START - DAY), START).text).toBe(
      '<time datetime="2027-01-14T08:00Z">14 Jan 2027, 08:00 UTC</time> <span class="muted">(yesterday)</span>',
    );
  });
});
