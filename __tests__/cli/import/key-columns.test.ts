import { describe, expect, it } from '@jest/globals';
import { CliError } from '../../../lib/cli/cli-error.js';
import { COLUMNS, checkHeading, keyOf, withColumnNames } from '../../../lib/cli/import/key-columns.js';

const SUPPORTED =
  'the supported columns are digest, kind, id, environment, name, apis, scopes, channels, platform, hint, created_at, expires_at';

describe('the heading of a file of keys', () => {
  it.each([[['digest', 'kind', 'apis']], [['apis', 'name', 'digest', 'kind']], [COLUMNS]])('may be %j', (names) => {
    expect(() => checkHeading(names)).not.toThrow();
  });

  it.each<[string[], string]>([
    [
      ['sk_secret', 'live'],
      `the first line must contain the column names; the required columns are digest, kind, apis; ${SUPPORTED}`,
    ],
    [[], `the first line must contain the column names; the required columns are digest, kind, apis; ${SUPPORTED}`],
    [['digest', 'color'], `the first line has an unsupported column: color; ${SUPPORTED}`],
    [['digest', 'color', 'size'], `the first line has unsupported columns: color, size; ${SUPPORTED}`],
    [['digest', 'digest'], 'the first line has a duplicate column: digest'],
    [['kind', 'digest', 'digest', 'kind'], 'the first line has duplicate columns: digest, kind'],
    [['digest', 'kind'], 'the first line is missing a required column: apis'],
    [['name', 'apis'], 'the first line is missing required columns: digest, kind'],
  ])('is refused: %j', (names, message) => {
    expect(() => checkHeading(names)).toThrow(new CliError(message));
    expect(() => checkHeading(names)).toThrow(expect.objectContaining({ exitCode: 2 }));
  });
});

describe('the cells of a line', () => {
  it('become a key', () => {
    const cells = {
      ...{ digest: 'ABCDEF', kind: 'secret', id: 'key_1', environment: 'live', name: 'Till', platform: 'shopify' },
      ...{ apis: 'payments disputes', scopes: 'a  b', channels: 'web', hint: 'sk_…abcd' },
      ...{ created_at: '2027-01-31', expires_at: '2027-02-01T00:00:00Z' },
    };
    expect(keyOf(cells)).toEqual({
      ...{ digest: 'abcdef', kind: 'secret', id: 'key_1', environment: 'live', name: 'Till', platform: 'shopify' },
      ...{ apis: ['payments', 'disputes'], scopes: ['a', 'b'], channels: ['web'], hint: 'sk_…abcd' },
      ...{ createdAt: new Date('2027-01-31T00:00:00Z'), expiresAt: new Date('2027-02-01T00:00:00Z') },
    });
  });

  it('that are empty are left out', () => {
    const cells = {
      digest: '',
      kind: 'public',
      apis: '',
      name: '',
      scopes: '',
      channels: '',
      created_at: '',
      expires_at: '',
    };
    expect(keyOf(cells)).toEqual({ digest: '', kind: 'public', apis: [] });
  });

  it('may allow all APIs and channels', () => {
    expect(keyOf({ digest: 'a', kind: 'secret', apis: 'all', channels: 'all' })).toEqual({
      ...{ digest: 'a', kind: 'secret', apis: 'all', channels: 'all' },
    });
  });
});

it.each([
  [
    'createdAt: expected a Date from 1970 to 9999',
    'created_at: expected an ISO 8601 date or time from 1970 to 9999, such as 2027-01-31',
  ],
  ['expiresAt: expected a time in the future', 'expires_at: expected a time in the future'],
  ['digest: expected 64 characters of lowercase hex', 'digest: expected 64 characters of hex'],
  ['digest: lowercase hex is expected', 'digest: lowercase hex is expected'],
  ['name: createdAt: expiresAt: wrong', 'name: createdAt: expiresAt: wrong'],
  ['createdAt: a Date from 1970 to 9999 is expected', 'created_at: a Date from 1970 to 9999 is expected'],
])('the message "%s" has the words of the file', (message, expected) => {
  expect(withColumnNames(message)).toBe(expected);
});
