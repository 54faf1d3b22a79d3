import { describe, expect, it } from '@jest/globals';
import { readAccessKeyClient } from '../../../lib/credentials/records/access-key-client.js';
import { readAccessKeyRecord, readKeyRecord } from '../../../lib/credentials/records/key-records.js';
import { RecordError } from '../../../lib/credentials/records/record-error.js';
import { isMetadata, METADATA_EXPECTED } from '../../../lib/credentials/records/record-fields.js';

const DIGEST = '0123456789abcdef'.repeat(4);
const KEY = { id: 'key_1', kind: 'secret', account: 'acc_1', environment: 'live', apis: ['payments'] };
const ACCESS_KEY = { id: 'ack_1', account: 'acc_1', environment: 'live', scopes: ['payments'] };
const GRANT = { ...ACCESS_KEY, secrets: [{ digest: DIGEST }], defaultScopes: [] };
const JWK = { kty: 'OKP', crv: 'Ed25519', x: 'a' };

/** Reads a field in a record of either type. */
const READERS = [
  ['an API key', (field: string, value: unknown) => readKeyRecord({ ...KEY, [field]: value })],
  ['an access key', (field: string, value: unknown) => readAccessKeyRecord({ ...ACCESS_KEY, [field]: value })],
] as const;

const networks = (count: number) => Array.from({ length: count }, (_, index) => `10.0.${index >> 8}.${index & 255}`);
const entries = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, '']));

describe.each(READERS)('a record of %s', (_name, read) => {
  it.each([
    ['no text', '203.0.113.7'],
    ['an empty list', []],
    ['257 addresses', networks(257)],
    ['one wrong address of two', ['203.0.113.7', 'example.com']],
    ['one wrong address before a right one', ['example.com', '203.0.113.7']],
  ])('refuses as allowedAddresses %s', (_what, value) => {
    expect(() => read('allowedAddresses', value)).toThrow(
      new RecordError('allowedAddresses: expected 1 to 256 IP addresses or networks in CIDR notation'),
    );
  });

  it('reads 256 addresses, and freezes them', () => {
    const { allowedAddresses } = read('allowedAddresses', networks(256));
    expect([allowedAddresses, Object.isFrozen(allowedAddresses)]).toEqual([networks(256), true]);
  });

  it.each([[[]], [[{ requests: 0, seconds: 1 }]], ['100/1m']])('refuses the limits %j', (value) => {
    expect(() => read('limits', value)).toThrow(
      new RecordError(
        'limits: expected a list of 1 to 8 objects { requests, seconds }, where requests is a whole number from 1 to 1,000,000,000, seconds is a whole number from 1 to 604,800, and no two objects have the same value of seconds',
      ),
    );
  });

  it('reads limits as a frozen copy', () => {
    const limits = [{ requests: 5, seconds: 60 }];
    const copy = read('limits', limits).limits;
    expect(copy).toEqual(limits);
    expect([copy === limits, Object.isFrozen(copy)]).toEqual([false, true]);
  });

  it.each([
    ['null in a list', [null]],
    ['a list', ['a']],
    ['a text', 'a'],
    ['65 entries', entries(65)],
    ['an empty name', { '': 'a' }],
    ['a name of 41 characters', { ['n'.repeat(41)]: 'a' }],
    ['a name of Object.prototype', { toString: 'a' }],
    ['a value that is no text', { name: 1 }],
    ['a value of 501 characters', { name: 'v'.repeat(501) }],
    ['one wrong entry of two', { name: 'a', other: 1 }],
  ])('refuses as metadata %s', (_what, value) => {
    expect(() => read('metadata', value)).toThrow(
      new RecordError(
        'metadata: expected at most 64 entries, each with a name of 1 to 40 characters and a value of up to 500 characters',
      ),
    );
  });

  it.each([
    ['none', {}],
    ['64 entries', entries(64)],
    ['the longest name and value', { ['n'.repeat(40)]: 'v'.repeat(500) }],
  ])('reads as metadata %s, as a frozen copy', (_what, value) => {
    const copy = read('metadata', value).metadata;
    expect(copy).toEqual(value);
    expect([copy === value, Object.isFrozen(copy)]).toEqual([false, true]);
  });

  it.each(['metadata', 'limits', 'allowedAddresses', 'channels', 'platform'])('takes %s of null as absent', (field) => {
    expect(read(field, null)).toEqual(read(field, undefined));
  });
});

it('null is no metadata', () => {
  expect(isMetadata(null)).toBe(false);
});

it('says in one text what metadata may be', () => {
  expect(METADATA_EXPECTED).toBe(
    'at most 64 entries, each with a name of 1 to 40 characters and a value of up to 500 characters',
  );
});

describe('a record of an access key that requests a token', () => {
  it.each(['dpop', 'mtls', true])('can require the confirmation %p', (requireConfirmation) => {
    expect(readAccessKeyClient({ ...GRANT, requireConfirmation }).requireConfirmation).toBe(requireConfirmation);
  });

  it.each([[false], [''], ['true'], ['DPoP'], [1], [{}]])(
    'cannot require the confirmation %p',
    (requireConfirmation) => {
      expect(() => readAccessKeyClient({ ...GRANT, requireConfirmation })).toThrow(
        new RecordError('requireConfirmation: expected "dpop", "mtls" or true'),
      );
    },
  );

  it('names the field of a wrong public key', () => {
    expect(() => readAccessKeyClient({ ...GRANT, publicKeys: [{ kty: 'oct' }] })).toThrow(
      new RecordError('publicKeys: expected a list of at most 10 JWKs of type RSA, EC or OKP'),
    );
  });

  it('needs no secret if it has a public key', () => {
    expect(readAccessKeyClient({ ...GRANT, secrets: [], publicKeys: [JWK] })).toMatchObject({
      secrets: [],
      publicKeys: [JWK],
    });
  });

  it('reads five former secrets as a copy', () => {
    const formerSecrets = Array.from({ length: 5 }, () => DIGEST);
    const read = readAccessKeyClient({ ...GRANT, formerSecrets }).formerSecrets;
    expect(read).toEqual(formerSecrets);
    expect(read).not.toBe(formerSecrets);
  });

  it('refuses a secret with an expiry that keyward does not read', () => {
    expect(() => readAccessKeyClient({ ...GRANT, secrets: [{ digest: DIGEST, revokedAt: new Date(0) }] })).toThrow(
      /^secrets\.revokedAt: the name suggests an expiry or a revocation, .*; use expiresAt instead, or remove this field from the record$/,
    );
  });
});

it('a RecordError has a code', () => {
  expect(new RecordError('id: expected a non-empty string')).toMatchObject({
    ...{ name: 'RecordError', code: 'record_invalid', message: 'id: expected a non-empty string' },
  });
});
