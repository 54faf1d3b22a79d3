import { expect, it } from '@jest/globals';
import { retryAfterOf } from '../../lib/client/retry-after.js';

const NOW = Date.parse('2026-11-20T15:04:00Z');

it.each([
  ['a number of seconds', 503, '17', 17],
  ['a date in ten seconds', 429, 'Fri, 20 Nov 2026 15:04:10 GMT', 10],
  ['a date in the past', 503, 'Fri, 20 Nov 2026 15:03:00 GMT', 0],
  ['neither', 503, 'soon', undefined],
  ['another status', 500, '17', undefined],
  ['a success', 200, '17', undefined],
  ['seconds with 429', 429, '17', 17],
])('RFC 9110 §10.2.3: Retry-After, %s', (_what, status, value, seconds) => {
  expect(retryAfterOf(new Response(null, { status, headers: { 'retry-after': value } }), NOW)).toBe(seconds);
});
