import { describe, expect, it } from '@jest/globals';
import { refuseUnknownExpiryFields } from '../../../lib/credentials/records/unknown-expiry-fields.js';

const READ = { id: true, expiresAt: true, revokedAt: true, disabled: true } as const;

class Model {
  readonly #row: { id: string; deletedAt: Date | null };
  constructor(row: { id: string; deletedAt: Date | null }) {
    this.#row = row;
  }
  get id() {
    return this.#row.id;
  }
  get deletedAt() {
    return this.#row.deletedAt;
  }
  isRevoked() {
    return false;
  }
}
class SoftDeleted extends Model {}

describe('N14 a record that is an object of a model', () => {
  it('N14 is refused if a getter of its class looks like an expiry or a revocation and has a value', () => {
    const record = new SoftDeleted({ id: 'key_1', deletedAt: new Date(0) });
    expect(() => refuseUnknownExpiryFields(record, READ)).toThrow(
      /^deletedAt: the name suggests an expiry or a revocation, but keyward does not read this field; use /,
    );
  });

  it.each([
    ['the getter has no value', new SoftDeleted({ id: 'key_1', deletedAt: null })],
    ['the ending is a method', new Model({ id: 'key_1', deletedAt: null })],
    ['it inherits nothing', Object.assign(Object.create(null), { id: 'key_1' })],
  ])('is accepted if %s', (_what, record) => {
    expect(() => refuseUnknownExpiryFields(record, READ)).not.toThrow();
  });
});

describe('the error', () => {
  const errorOf = (record: object, read: Readonly<Record<string, true>> = READ) => {
    try {
      refuseUnknownExpiryFields(record, read);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
  const text = (field: string | undefined, use: string) =>
    `${field === undefined ? 'the record has a field whose' : `${field}: the`} name suggests an expiry or a revocation, but keyward does not read this field; use ${use}`;

  it('names the field that keyward reads, if one has the same letters', () => {
    expect(errorOf({ EXPIRES_AT: 1 })).toBe(text('EXPIRES_AT', 'expiresAt'));
  });

  it('names all fields that end a key, if none has the same letters', () => {
    expect(errorOf({ until: 1 })).toBe(
      text('until', 'expiresAt, revokedAt or disabled instead, or remove this field from the record'),
    );
    const few = { expiresAt: true, revokedAt: true } as const;
    expect(errorOf({ until: 1 }, few)).toBe(
      text('until', 'expiresAt or revokedAt instead, or remove this field from the record'),
    );
    expect(errorOf({ until: 1 }, { expiresAt: true })).toBe(
      text('until', 'expiresAt instead, or remove this field from the record'),
    );
  });

  it.each(['end', 'ends', 'periodEnd', 'ended'])('is thrown for a field %s', (field) => {
    expect(errorOf({ [field]: 1 })).toMatch(`${field}: the name suggests an expiry`);
  });

  it.each([
    ['n'.repeat(50).concat('_until'), true],
    ['n'.repeat(54).concat('_until'), true],
    ['n'.repeat(55).concat('_until'), false],
    ['until this day', false],
    ['this day_until', false],
    ['$key-until_', true],
  ])('repeats the name %s only if it looks like the name of a column: %s', (field, isNamed) => {
    expect(errorOf({ [field]: 1 })).toBe(
      text(
        isNamed ? field : undefined,
        'expiresAt, revokedAt or disabled instead, or remove this field from the record',
      ),
    );
  });

  it.each([
    ['a copy has the value', { expires_at: 1, expiresAt: 1 }],
    ['it has no value', { until: null, ttl: undefined }],
    ['the word is part of another', { abendage: 1, statuses: 1, exponent: 1, beforehand: 1 }],
  ])('is not thrown if %s', (_what, record) => {
    expect(errorOf(record)).toBeUndefined();
  });

  it.each(['status', 'keyStatus', 'key_status', 'statusText', 'exp', 'validity'])('is thrown for %s', (field) => {
    expect(errorOf({ [field]: 1 })).toBe(
      text(field, 'expiresAt, revokedAt or disabled instead, or remove this field from the record'),
    );
  });

  it('is thrown although the field that has the same letters has no value', () => {
    expect(errorOf({ expires_at: 1, expiresAt: null })).toBe(text('expires_at', 'expiresAt'));
  });
});
