import { describe, expect, it } from '@jest/globals';
import { readAccessKeyRecord } from '../../../lib/credentials/records/key-records.js';
import { RecordError } from '../../../lib/credentials/records/record-error.js';

const ACCESS_KEY = {
  id: 'ack_1',
  account: 'acc_1',
  environment: 'live',
  secrets: [{ digest: 'a'.repeat(64) }],
  scopes: ['payments', 'payments:refund'],
  defaultScopes: ['payments'],
};
const ENDLESS = { expiresAt: Number.POSITIVE_INFINITY, revokedAt: Number.POSITIVE_INFINITY, disabled: false };

describe('readAccessKeyRecord', () => {
  it('reads a minimal record', () => {
    expect(readAccessKeyRecord(ACCESS_KEY)).toEqual({
      id: 'ack_1',
      account: 'acc_1',
      environment: 'live',
      scopes: ['payments', 'payments:refund'],
      tokensNotBefore: Number.NEGATIVE_INFINITY,
      channels: 'all',
      platform: undefined,
      validity: ENDLESS,
    });
  });

  it('reads everything about its tokens', () => {
    const record = {
      ...ACCESS_KEY,
      environment: 'sandbox',
      scopes: [],
      tokensNotBefore: new Date(4),
      channels: ['web'],
      platform: 'shop',
      createdAt: new Date(1),
      expiresAt: new Date(2),
      revokedAt: new Date(3),
      disabled: true,
      name: 'nightly job',
    };
    expect(readAccessKeyRecord(record)).toEqual({
      id: 'ack_1',
      account: 'acc_1',
      environment: 'sandbox',
      scopes: [],
      tokensNotBefore: 4,
      channels: ['web'],
      platform: 'shop',
      validity: { expiresAt: 2, revokedAt: 3, disabled: true },
    });
  });

  it.each(['tokensNotBefore', 'channels', 'platform', 'expiresAt', 'revokedAt', 'disabled', 'name'])(
    'treats null and undefined in %s as absent',
    (field) => {
      expect(readAccessKeyRecord({ ...ACCESS_KEY, [field]: null })).toEqual(readAccessKeyRecord(ACCESS_KEY));
      expect(readAccessKeyRecord({ ...ACCESS_KEY, [field]: undefined })).toEqual(readAccessKeyRecord(ACCESS_KEY));
    },
  );

  it.each([[undefined], [null], ['ack_1'], [1]])('refuses %p, which is not a record', (value) => {
    expect(() => readAccessKeyRecord(value)).toThrow(
      new RecordError('the record is not an object; return an object, or null or undefined if there is no record'),
    );
  });

  it.each([
    ['id', 'id: expected a non-empty string', [undefined, null, '', 1]],
    ['account', 'account: expected a non-empty string', [undefined, null, '', 1]],
    ['environment', 'environment: expected live or sandbox', [undefined, null, '', 'any']],
    [
      'scopes',
      'scopes: expected a list of scopes that consist of ASCII characters other than spaces, double quotes and backslashes',
      [undefined, null, 'all', 'payments', [''], ['a b'], [1]],
    ],
    ['tokensNotBefore', 'tokensNotBefore: expected a Date', ['', 0, '2030-01-01', new Date(Number.NaN)]],
    ['channels', 'channels: expected "all" or a list of non-empty strings', ['web', [''], 0]],
    ['platform', 'platform: expected a non-empty string', ['', 0]],
    ['expiresAt', 'expiresAt: expected a Date', [0, 'soon']],
    ['revokedAt', 'revokedAt: expected a Date', [0, 'false']],
    ['disabled', 'disabled: expected a boolean', [0, 'false']],
    ['revokedTokens', 'revokedTokens: expected a list of at most 100000 strings, or a Set', ['token_1', {}, [1]]],
  ])('refuses an invalid %s: "%s"', (field, message, values) => {
    for (const value of values) {
      expect(() => readAccessKeyRecord({ ...ACCESS_KEY, [field]: value })).toThrow(new RecordError(message));
    }
  });

  it.each([[undefined], ['all'], [[]], [['web', 'shop']]])(
    'refuses the channels %j on an e-commerce platform',
    (channels) => {
      expect(() => readAccessKeyRecord({ ...ACCESS_KEY, platform: 'shop', channels })).toThrow(
        new RecordError('channels: a key for an e-commerce platform must have exactly one channel'),
      );
    },
  );
});
