import { describe, expect, it } from '@jest/globals';
import { refuseUnknownExpiryFields } from '../../../lib/credentials/records/unknown-expiry-fields.js';

const READ = { id: true, expiresAt: true } as const;

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
      /^deletedAt: this field looks like an expiry or a revocation, but keyward does not read it; use /,
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
