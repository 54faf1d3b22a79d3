import { describe, expect, it } from '@jest/globals';
import { messageOf } from '../../../lib/dashboard/forms/field-errors.js';
import { ManagementError } from '../../../lib/management/management-error.js';

const wordsOf = (message: string, field: string) => messageOf(new ManagementError('invalid', message, field));

const MESSAGES: readonly (readonly [field: string, message: string, words: string])[] = [
  ['apis', 'expected one or more APIs', 'Choose at least one API.'],
  ['scopes', 'expected one or more scopes', 'Choose at least one scope.'],
  ['channels', 'expected a list of at most 64 entries', 'Choose at most 64.'],
  ['expiresAt', 'expected a time in the future', 'Choose today or a later date.'],
  ['expiresAt', 'expected a Date from 1970 to 9999', 'Choose a date from 1970 to 9999.'],
  [
    'allowedAddresses',
    'expected an IP address, got "x y"',
    '"x y" is not an IP address or network. Enter values such as 203.0.113.7 or 203.0.113.0/24.',
  ],
  [
    'allowedAddresses',
    'expected 1 to 100 addresses',
    'Enter up to 100 IP addresses or networks, such as 203.0.113.7 or 203.0.113.0/24.',
  ],
  [
    'limits',
    'expected a list of 1 to 16 limits: requests is a whole number from 1 to 1,000,000, seconds is another',
    'Enter up to 16 limits, for example: 100/minute, 5000/day. Each limit must allow 1 to 1,000,000 requests in a time period of at most 7 days. No two limits can have the same time period.',
  ],
  [
    'apis',
    'expected a string of 1 to 64 characters a-z and 0-9 that begins with a letter; got 1',
    'Each name or ID must have 1 to 64 characters a-z and 0-9 and begin with a letter. Some names, such as "all" and "constructor", are reserved.',
  ],
  ['apis', 'the account is not entitled to "x"', 'Your account is not allowed to use "x".'],
  ['name', 'expected at most 100 characters', 'Enter at most 100 characters.'],
];

describe.each(MESSAGES)('the error of %s that says: %s', (field, message, words) => {
  it('is said in the words of the form', () => expect(wordsOf(`${field}: ${message}`, field)).toBe(words));

  it('is not in these words inside another message', () => {
    const other = wordsOf(`a ${field}: ${message}`, field);
    expect(other).not.toContain(words.slice(1));
  });
});

it.each(MESSAGES.filter(([, message]) => !/1970|not entitled|limits|addresses$|characters$/.test(message)))(
  'the error of %s that says: %s, and more on another line, has not its words',
  (field, message, words) => {
    expect(wordsOf(`${field}: ${message}\nmore`, field)).not.toContain(words.slice(0, -1));
  },
);
