import { expect, it } from '@jest/globals';
import { dayOf } from '../../../lib/store/usage/utc-days.js';

it.each([
  ['1970-01-01T00:00:00.000Z', 0],
  ['1970-01-01T23:59:59.999Z', 0],
  ['1970-01-02T00:00:00.000Z', 1],
  ['1969-12-31T23:59:59.999Z', -1],
])('%s is on the day %d', (time, day) => {
  expect(dayOf(Date.parse(time))).toBe(day);
});
