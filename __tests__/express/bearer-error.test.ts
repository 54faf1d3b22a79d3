import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { BearerError, type BearerErrorCode } from 'keyward';

const HEADERS = { Vary: 'Authorization' };

describe('BearerError', () => {
  it.each<[BearerErrorCode, number, boolean, string]>([
    ['credential_missing', 401, true, 'A credential is required'],
    ['invalid_request', 400, true, 'The credential is malformed, or the request has more than one credential'],
    ['invalid_token', 401, true, 'The credential is invalid, expired or revoked'],
    ['insufficient_scope', 403, true, 'The credential does not give access to this resource'],
    [
      'temporarily_unavailable',
      503,
      false,
      'The credential cannot be checked at the moment; retry after the number of seconds in the Retry-After header',
    ],
  ])('%s: status %i, by both its names, exposed: %s', (code, status, expose, message) => {
    const error = new BearerError(code, HEADERS, undefined);
    expect({ ...error }).toEqual({
      name: 'BearerError',
      code,
      status,
      statusCode: status,
      headers: HEADERS,
      expose,
      scopes: undefined,
    });
    expect(error.message).toBe(message);
  });

  it('is an Error that prints as one', () => {
    const error = new BearerError('invalid_token', HEADERS, ['payments']);
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).toBe('BearerError: The credential is invalid, expired or revoked');
    expect(inspect(error)).toContain('BearerError');
    expect(error.scopes).toEqual(['payments']);
  });
});
