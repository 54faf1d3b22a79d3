import { runInNewContext } from 'node:vm';
import { expect, it } from '@jest/globals';
import { errorSummary } from '../../lib/verify/error-summary.js';

class Unreadable extends Error {
  override get message(): string {
    throw new Error('no');
  }
}

it.each([
  ['an error', new TypeError('no table'), 'TypeError: no table'],
  ['one of another realm', runInNewContext('new RangeError("far")'), 'RangeError: far'],
  ['one that cannot be read', new Unreadable(), 'an error that cannot be read'],
  ['a text', 'sk_secret', 'a thrown string'],
  ['an object that looks like one', { name: 'Error', message: 'sk_secret' }, 'a thrown object'],
  ['nothing', undefined, 'a thrown undefined'],
])('says of %s what it is', (_, thrown, summary) => {
  expect(errorSummary(thrown)).toBe(summary);
});

it('says no more of it than 500 characters', () => {
  expect(errorSummary(new Error('x'.repeat(493)))).toBe(`Error: ${'x'.repeat(493)}`);
  expect(errorSummary(new Error('x'.repeat(494)))).toBe(`Error: ${'x'.repeat(493)}`);
});
