import { describe, expect, it } from '@jest/globals';
import { hostile, managed, refusalOf } from '../support/managed.js';

describe('a list of audit entries', () => {
  const at = managed('memory');

  it.each(['from', 'to'])('needs a valid Date for %s', async (field) => {
    const { owner } = await at.account();
    for (const value of ['2026-01-01', 0, null, new Date(Number.NaN)]) {
      const refused = await refusalOf(at.management.audit(owner, hostile({ [field]: value })));
      expect(refused).toEqual({ status: 400, code: 'invalid', field, message: `${field}: expected a Date` });
    }
  });
});
