import { expect, it } from '@jest/globals';
import { toHttpError } from '../../../lib/dashboard/http/to-http-error.js';
import { ManagementError } from '../../../lib/management/management-error.js';

it.each([
  ['this operation requires the owner permission', 'You need the owner role to do this.'],
  [
    'your permissions do not allow you to use the scope refunds',
    'Your role does not allow you to use the scope refunds.',
  ],
  ['the account is disabled; enable it', 'Your account is disabled. To enable the account, contact support.'],
])('%s: in the words of pages', (message, expected) => {
  expect(toHttpError(new ManagementError('forbidden', message)).message).toBe(expected);
});

it.each([
  'the name "this operation requires the owner permission" is taken',
  'the name "your permissions do not allow you " is taken',
  'the name "the account is disabled; " is taken',
])('%s: the words of a name stay', (message) => {
  const [, words] = /"(.+?)[;"]/.exec(message) ?? [];
  expect(toHttpError(new ManagementError('invalid', message)).message).toMatch(`The name "${words}`);
});
