import { describe, expect, it } from '@jest/globals';
import { BEARER_ERRORS, type BearerErrorCode, isOauthError } from '../../lib/protocol/bearer-error-codes.js';

const TABLE: readonly (readonly [code: BearerErrorCode, status: number, description: string, said: boolean])[] = [
  ['credential_missing', 401, 'A credential is required', false],
  ['invalid_request', 400, 'The credential is malformed, or the request has more than one credential', true],
  ['invalid_token', 401, 'The credential is invalid, expired or revoked', true],
  ['invalid_dpop_proof', 401, 'The DPoP proof is missing or invalid', true],
  ['use_dpop_nonce', 401, 'The DPoP proof must contain the nonce from the DPoP-Nonce header of this response', true],
  ['insufficient_scope', 403, 'The credential does not give access to this resource', true],
  ['too_many_requests', 429, 'Too many requests; retry after the number of seconds in the Retry-After header', false],
  [
    'insufficient_user_authentication',
    401,
    'The user must authenticate again, possibly with a different authentication method',
    true,
  ],
  [
    'temporarily_unavailable',
    503,
    'The credential cannot be checked at the moment; retry after the number of seconds in the Retry-After header',
    false,
  ],
];

describe('BEARER_ERRORS', () => {
  it.each(TABLE)('%s: status %i, "%s"', (code, status, description) => {
    expect(BEARER_ERRORS[code]).toEqual({ status, description });
  });

  it('has these codes and no other', () => {
    expect(Object.keys(BEARER_ERRORS)).toEqual(TABLE.map(([code]) => code));
  });

  it('cannot be added to or changed', () => {
    expect(Object.isFrozen(BEARER_ERRORS)).toBe(true);
  });

  it.each(TABLE)('%s: its description has only characters of RFC 6750 §3', (code) => {
    expect(BEARER_ERRORS[code].description).toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/);
  });
});

describe('isOauthError', () => {
  it.each(TABLE)('%s (%i, "%s"): %s', (code, _status, _description, isCode) => {
    expect(isOauthError(code)).toBe(isCode);
  });

  it('is true for every code of RFC 6750 §3.1, RFC 9449 §7.1 and RFC 9470 §3, and for no other', () => {
    const codes = Object.keys(BEARER_ERRORS) as BearerErrorCode[];
    expect(codes.filter(isOauthError)).toEqual([
      ...['invalid_request', 'invalid_token', 'invalid_dpop_proof', 'use_dpop_nonce', 'insufficient_scope'],
      'insufficient_user_authentication',
    ]);
  });
});
