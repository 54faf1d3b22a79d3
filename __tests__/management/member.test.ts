import { describe, expect, it } from '@jest/globals';
import { ManagementError } from '../../lib/management/management-error.js';
import { readMember } from '../../lib/management/member.js';

const MEMBER = { id: 'm', account: 'a', permissions: ['owner'] };

describe('a member', () => {
  it.each([
    ['account', 'a\0', 'expected a string without NUL characters'],
    ['address', '\0', 'expected a string without NUL characters'],
    ['account', 'a'.repeat(65), 'expected at most 64 characters'],
    ['id', 'm'.repeat(257), 'expected at most 256 characters'],
  ])('is invalid with the %s %j', (field, value, expected) => {
    expect(() => readMember({ ...MEMBER, [field]: value })).toThrow(
      new ManagementError('invalid', `member.${field}: ${expected}`, `member.${field}`),
    );
  });
});
