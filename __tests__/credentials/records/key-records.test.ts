import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { readAccessKeyRecord, readKeyRecord } from '../../../lib/credentials/records/key-records.js';
import { RecordError } from '../../../lib/credentials/records/record-error.js';
import { endedAt } from '../../../lib/credentials/records/validity.js';

const KEY = { id: 'key_1', kind: 'secret', account: 'acc_1', environment: 'live', apis: ['payments'] };
const ENDLESS = { expiresAt: Number.POSITIVE_INFINITY, revokedAt: Number.POSITIVE_INFINITY, disabled: false };
const OPTIONAL = ['scopes', 'channels', 'platform', 'createdAt', 'expiresAt', 'revokedAt', 'disabled', 'name'];

const without = (record: object, field: string) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== field));

describe('endedAt', () => {
  it.each([
    ['nothing', {}, undefined],
    ['revokedAt a millisecond ahead', { revokedAt: 1_001 }, undefined],
    ['revokedAt now', { revokedAt: 1_000 }, 'revoked'],
    ['revokedAt a millisecond ago', { revokedAt: 999 }, 'revoked'],
    ['expiresAt a millisecond ahead', { expiresAt: 1_001 }, undefined],
    ['expiresAt now', { expiresAt: 1_000 }, 'expired'],
    ['expiresAt a millisecond ago', { expiresAt: 999 }, 'expired'],
    ['disabled', { disabled: true }, 'disabled'],
    ['revoked and expired', { revokedAt: 1_000, expiresAt: 1 }, 'revoked'],
    ['revoked and disabled', { revokedAt: 1, disabled: true }, 'revoked'],
    ['expired and disabled', { expiresAt: 1, disabled: true }, 'expired'],
    ['disabled, the rest ahead', { expiresAt: 1_001, revokedAt: 1_001, disabled: true }, 'disabled'],
  ])('at 1,000 ms, with %s: %s%s', (_name, validity, ended) => {
    expect(endedAt({ ...ENDLESS, ...validity }, 1_000)).toBe(ended);
  });
});

describe('readKeyRecord', () => {
  it('reads a minimal record', () => {
    expect(readKeyRecord(KEY)).toEqual({
      id: 'key_1',
      kind: 'secret',
      account: 'acc_1',
      environment: 'live',
      apis: ['payments'],
      scopes: undefined,
      channels: 'all',
      platform: undefined,
      validity: ENDLESS,
    });
  });

  it('reads all fields of a record, and ignores unknown ones', () => {
    const record = {
      id: 'key_2',
      kind: 'public',
      account: 'acc_2',
      environment: 'sandbox',
      apis: ['payments', 'disputes'],
      scopes: ['payments:tokenize'],
      channels: ['web'],
      platform: 'shop',
      createdAt: new Date(1),
      expiresAt: new Date(2),
      revokedAt: new Date(-3),
      disabled: true,
      name: 'checkout page',
      note: 'of our own',
    };
    expect(readKeyRecord(record)).toEqual({
      id: 'key_2',
      kind: 'public',
      account: 'acc_2',
      environment: 'sandbox',
      apis: ['payments', 'disputes'],
      scopes: ['payments:tokenize'],
      channels: ['web'],
      platform: 'shop',
      validity: { expiresAt: 2, revokedAt: -3, disabled: true },
    });
  });

  it.each(OPTIONAL)('treats null and undefined in %s as absent', (field) => {
    expect(readKeyRecord({ ...KEY, [field]: null })).toEqual(readKeyRecord(KEY));
    expect(readKeyRecord({ ...KEY, [field]: undefined })).toEqual(readKeyRecord(KEY));
  });

  it.each([
    ['apis', 'all', 'all'],
    ['apis', [], []],
    ['apis', ['*'], ['*']],
    ['apis', ['all'], ['all']],
    ['apis', ['a b', '__proto__'], ['a b', '__proto__']],
    ['scopes', [], []],
    ['scopes', ['a', 'b:c'], ['a', 'b:c']],
    ['channels', 'all', 'all'],
    ['channels', [], []],
    ['channels', ['1', '2', '3', '4', '5'], ['1', '2', '3', '4', '5']],
    ['kind', 'secret', 'secret'],
    ['environment', 'sandbox', 'sandbox'],
  ])('accepts for %s the value %j', (field, value, fact) => {
    expect(readKeyRecord({ ...KEY, [field]: value })).toHaveProperty(field, fact);
  });

  it.each([
    ['expiresAt', 'now', new Date(5), 5],
    ['expiresAt', '1970', new Date(0), 0],
    ['revokedAt', 'of another realm', runInNewContext('new Date(7)'), 7],
  ])('accepts for %s a Date %s', (field, _name, value, time) => {
    expect(readKeyRecord({ ...KEY, [field]: value }).validity).toEqual({ ...ENDLESS, [field]: time });
  });

  it('treats false as not disabled', () => {
    expect(readKeyRecord({ ...KEY, disabled: false }).validity).toEqual(ENDLESS);
  });

  it('reads each field once', () => {
    const reads: string[] = [];
    const record = { ...KEY, ...Object.fromEntries(OPTIONAL.map((field) => [field, undefined])) };
    const counting = Object.entries(record).reduce(
      (target, [field, value]) =>
        Object.defineProperty(target, field, {
          get: () => {
            reads.push(field);
            return value;
          },
        }),
      {},
    );
    expect(readKeyRecord(counting)).toEqual(readKeyRecord(KEY));
    expect(reads).toHaveLength(new Set(reads).size);
  });

  it('has its own frozen lists', () => {
    const record = { ...KEY, apis: ['payments'], scopes: ['payments'], channels: ['web'] };
    const { apis, scopes, channels } = readKeyRecord(record);
    for (const list of [record.apis, record.scopes, record.channels]) list.push('more');
    expect([apis, scopes, channels]).toEqual([['payments'], ['payments'], ['web']]);
    expect([apis, scopes, channels].every(Object.isFrozen)).toBe(true);
  });

  it('accepts inherited fields', () => {
    expect(readKeyRecord(Object.create(KEY))).toEqual(readKeyRecord(KEY));
  });

  it.each([[undefined], [null], ['key'], [1], [true], [() => KEY]])('refuses %p, which is not a record', (value) => {
    expect(() => readKeyRecord(value)).toThrow(
      new RecordError('the record is not an object; return an object, or null or undefined if there is no record'),
    );
  });

  it('refuses a list of records', () => {
    expect(() => readKeyRecord([KEY])).toThrow(new RecordError('kind: expected secret or public'));
  });

  it.each([
    ['id', 'id: expected a non-empty string', [undefined, null, '', 1, {}, ['key_1'], Object('key_1')]],
    ['account', 'account: expected a non-empty string', [undefined, null, '', 0, {}]],
    ['kind', 'kind: expected secret or public', [undefined, null, '', 'access', 'admin', 'Secret', 0, ['secret']]],
    ['environment', 'environment: expected live or sandbox', [undefined, null, '', 'test', 'any', 'LIVE', 1]],
    [
      'apis',
      'apis: expected "all" or a list of non-empty strings',
      [
        undefined,
        null,
        '',
        'payments',
        'ALL',
        { payments: true },
        [1],
        ['payments', ''],
        [null],
        Array(1),
        new Set(['a']),
      ],
    ],
    [
      'scopes',
      'scopes: expected a list of scopes that consist of ASCII characters other than spaces, double quotes and backslashes',
      ['all', 'payments', '', 0, {}, [''], ['a b'], ['a"'], ['a', 1], ['é'], [undefined]],
    ],
    [
      'channels',
      'channels: expected "all" or a list of non-empty strings',
      ['', 'web', false, {}, [''], [1], ['web', null]],
    ],
    ['platform', 'platform: expected a non-empty string', ['', 0, false, {}, ['shop']]],
    ['expiresAt', 'expiresAt: expected a Date', ['soon', '', 0, 1, false, {}, '2030-01-01', new Date(Number.NaN)]],
    ['revokedAt', 'revokedAt: expected a Date', ['false', 0, true, {}, new Date('never'), { getTime: () => 1 }]],
    ['acceptedUntil', 'acceptedUntil: expected a Date', ['soon', 0, false, {}, new Date(Number.NaN)]],
    ['disabled', 'disabled: expected a boolean', [0, 1, '', 'false', {}, []]],
  ])('refuses an invalid %s: "%s"', (field, message, values) => {
    for (const value of values) {
      expect(() => readKeyRecord({ ...KEY, [field]: value })).toThrow(new RecordError(message));
    }
  });

  const ACCESS_KEY = { id: 'ack_1', account: 'acc_1', environment: 'live', scopes: [] };
  it.each([
    ['expiresAt', 'expires_at', readKeyRecord, KEY],
    ['revokedAt', 'revoked_at', readKeyRecord, KEY],
    ['acceptedUntil', 'accepted_until', readKeyRecord, KEY],
    ['expiresAt', 'expires_at', readAccessKeyRecord, ACCESS_KEY],
    ['tokensNotBefore', 'tokens_not_before', readAccessKeyRecord, ACCESS_KEY],
  ])('refuses a row that was not mapped, whose %s is called %s', (field, column, read, record) => {
    const past = new Date(0);
    const fault = new RecordError(
      `${column}: the name suggests an expiry or a revocation, but keyward does not read this field; use ${field}`,
    );
    expect(() => read({ ...record, [column]: past })).toThrow(fault);
    expect(() => read({ ...record, [column]: past, [field]: null })).toThrow(fault);
    for (const empty of [null, undefined]) expect(read({ ...record, [column]: empty })).toEqual(read(record));
    expect(read({ ...record, [column]: past, [field]: past })).toEqual(read({ ...record, [field]: past }));
  });

  it('refuses expiry fields of an access key in the record of a key, and the other way around', () => {
    const past = new Date(0);
    expect(() => readKeyRecord({ ...KEY, tokensNotBefore: past })).toThrow(
      /^tokensNotBefore: the name suggests an expiry or a revocation/,
    );
    expect(() => readAccessKeyRecord({ ...ACCESS_KEY, acceptedUntil: past })).toThrow(
      /^acceptedUntil: the name suggests/,
    );
  });

  it.each(Object.keys(KEY))('refuses a record without %s', (field) => {
    expect(() => readKeyRecord(without(KEY, field))).toThrow(RecordError);
  });

  it('refuses a public key with all APIs, and accepts a secret key with all', () => {
    expect(() => readKeyRecord({ ...KEY, kind: 'public', apis: 'all' })).toThrow(
      new RecordError('apis: a public API key must list its APIs; "all" is not allowed'),
    );
    expect(readKeyRecord({ ...KEY, kind: 'public', apis: [] }).apis).toEqual([]);
    expect(readKeyRecord({ ...KEY, apis: 'all' }).apis).toBe('all');
  });

  it.each([[undefined], [null], ['all'], [[]], [['web', 'shop']], [['web', 'web']]])(
    'refuses the channels %j on an e-commerce platform',
    (channels) => {
      expect(() => readKeyRecord({ ...KEY, platform: 'shop', channels })).toThrow(
        new RecordError('channels: a key for an e-commerce platform must have exactly one channel'),
      );
    },
  );

  it.each([['secret'], ['public']])('accepts one channel on an e-commerce platform, for a %s key', (kind) => {
    expect(readKeyRecord({ ...KEY, kind, platform: 'shop', channels: ['web'] })).toMatchObject({
      platform: 'shop',
      channels: ['web'],
    });
  });
});

describe('RecordError', () => {
  it('has its own name', () => {
    const fault = new RecordError('id: expected a non-empty string');
    expect(fault).toBeInstanceOf(Error);
    expect(String(fault)).toBe('RecordError: id: expected a non-empty string');
  });

  it.each(['id', 'kind', 'environment', 'apis', 'scopes', 'channels', 'platform', 'expiresAt', 'disabled'])(
    'names the field %s and never its value',
    (field) => {
      const value = field === 'id' || field === 'platform' ? ['canary'] : 'canary "0123"';
      const say = () => readKeyRecord({ ...KEY, [field]: value });
      expect(say).toThrow(RecordError);
      expect(say).toThrow(new RegExp(`^${field}: (?!.*canary)`));
    },
  );
});

describe('a record that is an object of a class', () => {
  class Row {
    readonly [field: string]: unknown;
    constructor(fields: object) {
      Object.assign(this, fields);
    }
  }
  class SoftDeletedRow extends Row {
    get deletedAt() {
      return new Date(0);
    }
  }

  it('is read like any other', () => {
    expect(readKeyRecord(new Row(KEY))).toEqual(readKeyRecord(KEY));
  });

  it('N14 is refused if a getter of the class looks like an expiry', () => {
    expect(() => readKeyRecord(new SoftDeletedRow(KEY))).toThrow(/^deletedAt: the name suggests an expiry/);
  });
});
