import { expect, it } from '@jest/globals';
import { retryAfterOf } from '../../lib/client/retry-after.js';

const NOW = Date.parse('2026-11-20T15:04:00Z');

it.each([
  ['a number of seconds', 503, '17', 17],
  ['a date in ten seconds', 429, 'Fri, 20 Nov 2026 15:04:10 GMT', 10],
  ['a date in the past', 503, 'Fri, 20 Nov 2026 15:03:00 GMT', 0],
  ['a date in the format of RFC 850', 429, 'Friday, 20-Nov-26 15:04:10 GMT', 10],
  ['a date in the format of asctime, which is GMT', 429, 'Fri Nov 20 15:04:10 2026', 10],
  ['a date of asctime with a day of one digit', 429, 'Tue Dec  1 15:04:00 2026', 950_400],
  ['a date with a part of a second', 429, 'Fri, 20 Nov 2026 15:04:00.5 GMT', 0.5],
  ['no wait', 429, '0', 0],
  ['nine digits', 429, '999999999', 999_999_999],
  ['ten digits', 429, '2147483647', 2_147_483_647],
  ['more digits than a number has', 503, '9'.repeat(400), Number.POSITIVE_INFINITY],
  ['a part of a second', 503, '1.5', undefined],
  ['a negative number', 503, '-5', undefined],
  ['a number with a unit', 503, '17 s', undefined],
  ['a day of ISO 8601', 503, '2020-01-01', undefined],
  ['nothing', 503, '', undefined],
  ['neither', 503, 'soon', undefined],
  ['a date after another word', 503, 'after Fri, 20 Nov 2026 15:04:10 GMT', undefined],
  ['a date before a comment', 503, 'Fri, 20 Nov 2026 15:04:10 GMT (soon)', undefined],
  ['another status', 500, '17', undefined],
  ['a success', 200, '17', undefined],
  ['seconds with 429', 429, '17', 17],
])('RFC 9110 §10.2.3: Retry-After, %s', (_what, status, value, seconds) => {
  expect(retryAfterOf(new Response(null, { status, headers: { 'retry-after': value } }), NOW)).toBe(seconds);
});
