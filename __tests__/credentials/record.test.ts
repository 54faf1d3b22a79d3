import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { endedAt, RecordFault, readAccessKeyRecord, readKeyRecord } from '../../lib/credentials/record.js';

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
  ])('at 1,000 ms, with %s: %s%s', (_name, life, ended) => {
    expect(endedAt({ ...ENDLESS, ...life }, 1_000)).toBe(ended);
  });
});

describe('readKeyRecord', () => {
  it('reads the least that a record may say', () => {
    expect(readKeyRecord(KEY)).toEqual({
      id: 'key_1',
      kind: 'secret',
      account: 'acc_1',
      environment: 'live',
      apis: ['payments'],
      scopes: undefined,
      channels: 'all',
      platform: undefined,
      life: ENDLESS,
    });
  });

  it('reads all that a record may say, and leaves what it does not know', () => {
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
      life: { expiresAt: 2, revokedAt: -3, disabled: true },
    });
  });

  it.each(OPTIONAL)('takes null and undefined in %s for absent', (field) => {
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
  ])('takes for %s the value %j', (field, value, fact) => {
    expect(readKeyRecord({ ...KEY, [field]: value })).toHaveProperty(field, fact);
  });

  it.each([
    ['expiresAt', 'now', new Date(5), 5],
    ['expiresAt', '1970', new Date(0), 0],
    ['revokedAt', 'of another realm', runInNewContext('new Date(7)'), 7],
  ])('takes for %s a Date %s', (field, _name, value, time) => {
    expect(readKeyRecord({ ...KEY, [field]: value }).life).toEqual({ ...ENDLESS, [field]: time });
  });

  it('takes false for not disabled', () => {
    expect(readKeyRecord({ ...KEY, disabled: false }).life).toEqual(ENDLESS);
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

  it('keeps lists of its own, frozen', () => {
    const record = { ...KEY, apis: ['payments'], scopes: ['payments'], channels: ['web'] };
    const { apis, scopes, channels } = readKeyRecord(record);
    for (const list of [record.apis, record.scopes, record.channels]) list.push('more');
    expect([apis, scopes, channels]).toEqual([['payments'], ['payments'], ['web']]);
    expect([apis, scopes, channels].every(Object.isFrozen)).toBe(true);
  });

  it('takes fields that a record inherits', () => {
    expect(readKeyRecord(Object.create(KEY))).toEqual(readKeyRecord(KEY));
  });

  it.each([[undefined], [null], ['key'], [1], [true], [() => KEY]])('refuses %p, which is no record', (value) => {
    expect(() => readKeyRecord(value)).toThrow(new RecordFault('expected a record'));
  });

  it('refuses a list of records', () => {
    expect(() => readKeyRecord([KEY])).toThrow(new RecordFault('kind: expected secret or public'));
  });

  it.each([
    ['id', 'id: expected a text', [undefined, null, '', 1, {}, ['key_1'], Object('key_1')]],
    ['account', 'account: expected a text', [undefined, null, '', 0, {}]],
    ['kind', 'kind: expected secret or public', [undefined, null, '', 'access', 'admin', 'Secret', 0, ['secret']]],
    ['environment', 'environment: expected live or sandbox', [undefined, null, '', 'test', 'any', 'LIVE', 1]],
    [
      'apis',
      'apis: expected a list of names',
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
      'scopes: expected a list of names',
      ['all', 'payments', '', 0, {}, [''], ['a b'], ['a"'], ['a', 1], ['é'], [undefined]],
    ],
    ['channels', 'channels: expected a list of names', ['', 'web', false, {}, [''], [1], ['web', null]]],
    ['platform', 'platform: expected a text', ['', 0, false, {}, ['shop']]],
    ['expiresAt', 'expiresAt: expected a Date', ['soon', '', 0, 1, false, {}, '2030-01-01', new Date(Number.NaN)]],
    ['revokedAt', 'revokedAt: expected a Date', ['false', 0, true, {}, new Date('never'), { getTime: () => 1 }]],
    ['retiresAt', 'retiresAt: expected a Date', ['soon', 0, false, {}, new Date(Number.NaN)]],
    ['disabled', 'disabled: expected a boolean', [0, 1, '', 'false', {}, []]],
  ])('refuses a bad %s: "%s"', (field, message, values) => {
    for (const value of values) {
      expect(() => readKeyRecord({ ...KEY, [field]: value })).toThrow(new RecordFault(message));
    }
  });

  it.each([
    ['expiresAt', 'expires_at'],
    ['revokedAt', 'revoked_at'],
    ['retiresAt', 'retires_at'],
    ['tokensNotBefore', 'tokens_not_before'],
  ])('refuses a row handed on as it is, whose %s is called %s', (field, column) => {
    const past = new Date(0);
    const fault = new RecordFault(`${field}: it is called ${column} in this record`);
    expect(() => readKeyRecord({ ...KEY, [column]: past })).toThrow(fault);
    expect(() => readKeyRecord({ ...KEY, [column]: past, [field]: null })).toThrow(fault);
    expect(() => readAccessKeyRecord({ ...KEY, [column]: past })).toThrow(fault);
    for (const empty of [null, undefined])
      expect(readKeyRecord({ ...KEY, [column]: empty })).toEqual(readKeyRecord(KEY));
    const both = { ...KEY, [column]: past, [field]: new Date(1) };
    expect(readKeyRecord(both)).toEqual(readKeyRecord(without(both, column)));
  });

  it.each(Object.keys(KEY))('refuses a record without %s', (field) => {
    expect(() => readKeyRecord(without(KEY, field))).toThrow(RecordFault);
  });

  it('refuses a public key with all APIs, and takes a secret key with all', () => {
    expect(() => readKeyRecord({ ...KEY, kind: 'public', apis: 'all' })).toThrow(
      new RecordFault('apis: a public key lists its APIs'),
    );
    expect(readKeyRecord({ ...KEY, kind: 'public', apis: [] }).apis).toEqual([]);
    expect(readKeyRecord({ ...KEY, apis: 'all' }).apis).toBe('all');
  });

  it.each([[undefined], [null], ['all'], [[]], [['web', 'shop']], [['web', 'web']]])(
    'refuses the channels %j on an e-commerce platform',
    (channels) => {
      expect(() => readKeyRecord({ ...KEY, platform: 'shop', channels })).toThrow(
        new RecordFault('channels: a key on an e-commerce platform has exactly one'),
      );
    },
  );

  it.each([['secret'], ['public']])('takes one channel on an e-commerce platform, for a %s key', (kind) => {
    expect(readKeyRecord({ ...KEY, kind, platform: 'shop', channels: ['web'] })).toMatchObject({
      platform: 'shop',
      channels: ['web'],
    });
  });
});

describe('RecordFault', () => {
  it('is an error with a name of its own', () => {
    const fault = new RecordFault('id: expected a text');
    expect(fault).toBeInstanceOf(Error);
    expect(String(fault)).toBe('RecordFault: id: expected a text');
  });

  it.each(['id', 'kind', 'environment', 'apis', 'scopes', 'channels', 'platform', 'expiresAt', 'disabled'])(
    'names the field %s and never its value',
    (field) => {
      const value = field === 'id' || field === 'platform' ? ['canary'] : 'canary "0123"';
      const say = () => readKeyRecord({ ...KEY, [field]: value });
      expect(say).toThrow(RecordFault);
      expect(say).toThrow(new RegExp(`^${field}: (?!.*canary)`));
    },
  );
});
