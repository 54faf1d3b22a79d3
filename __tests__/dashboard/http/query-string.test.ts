import { expect, it } from '@jest/globals';
import { filtersIn, limitIn, queryString } from '../../../lib/dashboard/http/query-string.js';
import { Fields } from '../../../lib/dashboard/http/request-fields.js';

const fieldsOf = (query: string) => new Fields(new URLSearchParams(query), ['kind', 'text', 'limit']);

it.each([
  ['', undefined],
  ['limit=', undefined],
  ['limit=1', 1],
  ['limit=0050', 50],
  ['limit=999999', 999_999],
  ['limit=1000000', Number.NaN],
  ['limit=x1', Number.NaN],
  ['limit=1x', Number.NaN],
  ['limit=-1', Number.NaN],
  ['limit=1.5', Number.NaN],
])('the page size of %j is %p', (query, limit) => expect(limitIn(fieldsOf(query))).toBe(limit));

it.each([
  ['', {}, ''],
  ['kind=secret', { kind: 'secret' }, '?kind=secret'],
  ['text=a%26b&kind=secret&limit=5', { kind: 'secret', text: 'a&b' }, '?kind=secret&text=a%26b'],
])('the filters of %j', (query, filters, text) => {
  expect(filtersIn(fieldsOf(query), ['kind', 'text'])).toEqual(filters);
  expect(queryString({ after: undefined, ...filters })).toBe(text);
});
