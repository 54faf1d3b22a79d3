import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { readAccessKeyClient } from '../../../lib/credentials/records/access-key-client.js';
import { readAccessKeyRecord } from '../../../lib/credentials/records/key-records.js';
import { RecordError } from '../../../lib/credentials/records/record-error.js';

const DIGEST = '0123456789abcdef'.repeat(4);
const RECORD = {
  id: 'ack_1',
  account: 'acc_1',
  environment: 'live',
  secrets: [{ digest: DIGEST }],
  scopes: ['payments', 'payments:refund', 'disputes'],
  defaultScopes: ['disputes', 'payments'],
};
const secretsOf = (...secrets: readonly unknown[]) => readAccessKeyClient({ ...RECORD, secrets }).secrets;

describe('readAccessKeyClient', () => {
  it('reads the same as readAccessKeyRecord, and also secrets and default scopes', () => {
    expect(readAccessKeyClient(RECORD)).toEqual({
      ...readAccessKeyRecord(RECORD),
      secrets: [{ digest: DIGEST, expiresAt: Number.POSITIVE_INFINITY }],
      formerSecrets: [],
      publicKeys: [],
      requireConfirmation: undefined,
      defaultScopes: ['payments', 'disputes'],
    });
  });

  it('refuses the same as readAccessKeyRecord', () => {
    expect(() => readAccessKeyClient(null)).toThrow(
      new RecordError('the record is not an object; return an object, or null or undefined if there is no record'),
    );
    expect(() => readAccessKeyClient({ ...RECORD, id: '' })).toThrow(
      new RecordError('id: expected a non-empty string'),
    );
  });

  it.each(['x', [1], ['A'.repeat(64)], Array.from({ length: 6 }, () => DIGEST)])(
    'refuses former secrets that are not digests, or too many: %p',
    (formerSecrets) => {
      expect(() => readAccessKeyClient({ ...RECORD, formerSecrets })).toThrow(
        new RecordError('formerSecrets: expected a list of at most 5 SHA-256 digests in lowercase hex'),
      );
    },
  );

  it.each([
    ['in the order of those assigned', ['disputes', 'payments'], ['payments', 'disputes']],
    ['once each', ['payments', 'payments'], ['payments']],
    ['and none that is not assigned', ['payments', 'vault'], ['payments']],
    ['none', [], []],
  ])('grants by default, %s', (_name, defaultScopes, granted) => {
    expect(readAccessKeyClient({ ...RECORD, defaultScopes }).defaultScopes).toEqual(granted);
  });

  it.each([[undefined], [null], ['payments'], [{}], [['a b']], [['']], [[1]], [['payments', null]], [Array(1)]])(
    'refuses the default scopes %j',
    (defaultScopes) => {
      expect(() => readAccessKeyClient({ ...RECORD, defaultScopes })).toThrow(
        new RecordError(
          'defaultScopes: expected a list of scopes that consist of ASCII characters other than spaces, double quotes and backslashes',
        ),
      );
    },
  );

  it('reads two secrets with their expiry', () => {
    expect(secretsOf({ digest: DIGEST, expiresAt: new Date(5) }, { digest: 'f'.repeat(64), expiresAt: null })).toEqual([
      { digest: DIGEST, expiresAt: 5 },
      { digest: 'f'.repeat(64), expiresAt: Number.POSITIVE_INFINITY },
    ]);
  });

  it('accepts a Date of another realm', () => {
    expect(secretsOf({ digest: DIGEST, expiresAt: runInNewContext('new Date(7)') })).toEqual([
      { digest: DIGEST, expiresAt: 7 },
    ]);
  });

  it.each([[undefined], [null], [DIGEST], [{ length: 1 }], [[]], [Array(3).fill({ digest: DIGEST })]])(
    'refuses the secrets %j: one or two are expected',
    (secrets) => {
      expect(() => readAccessKeyClient({ ...RECORD, secrets })).toThrow(
        new RecordError('secrets: expected one or two secrets; an access key with publicKeys may have none'),
      );
    },
  );

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a text', DIGEST],
    ['no digest', {}],
    ['a number', { digest: 1 }],
    ['capitals', { digest: DIGEST.toUpperCase() }],
    ['63 digits', { digest: DIGEST.slice(1) }],
    ['65 digits', { digest: `${DIGEST}0` }],
    ['a character that is no digit', { digest: `${DIGEST.slice(1)}g` }],
    ['a line end behind', { digest: `${DIGEST}\n` }],
    ['a digest in a list', { digest: [DIGEST] }],
  ])('refuses for a secret, first or second, %s', (_name, secret) => {
    const fault = new RecordError('secrets: expected "digest" to be a SHA-256 digest in lowercase hex');
    expect(() => secretsOf(secret)).toThrow(fault);
    expect(() => secretsOf({ digest: DIGEST }, secret)).toThrow(fault);
  });

  it('refuses a sparse list of secrets', () => {
    expect(() => readAccessKeyClient({ ...RECORD, secrets: Array(1) })).toThrow(
      new RecordError('secrets: expected "digest" to be a SHA-256 digest in lowercase hex'),
    );
  });

  it.each([['soon'], [0], [1_800_000_000], [''], [false], [{}], [new Date(Number.NaN)]])(
    'refuses the expiry %p of a secret',
    (expiresAt) => {
      expect(() => secretsOf({ digest: DIGEST, expiresAt })).toThrow(
        new RecordError('secrets: expected "expiresAt" to be a Date'),
      );
    },
  );

  it('throws RecordErrors', () => {
    for (const wrong of [{ secrets: [] }, { secrets: [{}] }, { defaultScopes: null }]) {
      expect(() => readAccessKeyClient({ ...RECORD, ...wrong })).toThrow(RecordError);
    }
  });
});
