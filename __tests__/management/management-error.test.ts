import { describe, expect, it } from '@jest/globals';
import { ManagementError } from 'keyward/management';

describe('a ManagementError', () => {
  it('has its name, code, status, field and cause', () => {
    const cause = new Error('the database is read-only');
    const error = new ManagementError('unavailable', 'try again', 'name', cause);
    expect(error).toMatchObject({ name: 'ManagementError', code: 'unavailable', status: 503, field: 'name', cause });
    expect(String(error)).toBe('ManagementError: try again');
  });
});
