import { describe, expect, it } from '@jest/globals';
import {
  hasNoAllOption,
  haveSameNames,
  readFormValues,
  SETTINGS_FIELDS,
  toFormValues,
} from '../../../lib/dashboard/forms/key-form-values.js';
import { Fields } from '../../../lib/dashboard/http/request-fields.js';
import { accessKey } from '../fixed-keys.js';

describe('two lists of names', () => {
  it.each([
    [[], []],
    [['a'], ['a']],
    [
      ['a', 'b'],
      ['b', 'a'],
    ],
  ])('%j and %j are the same', (one, other) => expect(haveSameNames(one, other)).toBe(true));

  it.each([
    [['a'], []],
    [[], ['a']],
    [['a'], ['a', 'b']],
    [
      ['a', 'b'],
      ['a', 'c'],
    ],
  ])('%j and %j are not the same', (one, other) => expect(haveSameNames(one, other)).toBe(false));
});

it.each([
  [null, { of: 'all', names: [] }],
  [['payments:read', 'payments'], { of: 'all', names: [] }],
  [['payments'], { of: 'some', names: ['payments'] }],
])('default scopes %j of an access key are shown as %j', (defaultScopes, choice) => {
  const key = { ...accessKey(), scopes: ['payments', 'payments:read'], defaultScopes };
  expect(toFormValues(key).defaultScopes).toEqual(choice);
});

it.each([
  ['secret', []],
  ['public', ['apis', 'scopes']],
  ['access', ['scopes']],
] as const)('the form for a key of the kind %s lacks the choice "all" for %j', (kind, fields) => {
  const all = ['apis', 'scopes', 'defaultScopes', 'channels'] as const;
  expect(all.filter((field) => hasNoAllOption(kind, field))).toEqual(fields);
});

it.each([
  ['all', 'all'],
  ['some', 'some'],
  ['other', undefined],
  ['', undefined],
])('the radio button %j is read as %j', (sent, of) => {
  const fields = new Fields(
    [
      ['apis.of', sent],
      ['apis', 'payments'],
      ['apis.named', ' disputes,, payments\n'],
    ],
    SETTINGS_FIELDS,
  );
  expect(readFormValues(fields).apis).toEqual({ of, names: ['payments', 'disputes'] });
});
