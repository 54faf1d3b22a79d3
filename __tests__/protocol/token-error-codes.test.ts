import { describe, expect, it } from '@jest/globals';
import { TOKEN_ERRORS, type TokenErrorCode } from '../../lib/protocol/token-error-codes.js';

const TABLE: readonly (readonly [code: TokenErrorCode, status: number, description: string | undefined])[] = [
  [
    'invalid_request',
    400,
    'The request is malformed; expected a POST request with a form body, no repeated parameters, and one client authentication method',
  ],
  ['invalid_client', 401, undefined],
  ['unsupported_grant_type', 400, 'The grant type is not supported; use client_credentials'],
  [
    'invalid_scope',
    400,
    'A requested scope is malformed, unknown or not assigned to the client, or no scope was requested and the client has no default scopes',
  ],
  ['invalid_dpop_proof', 400, 'The DPoP proof is malformed or invalid, or has already been used'],
  ['use_dpop_nonce', 400, 'The DPoP proof must contain the nonce from the DPoP-Nonce header of this response'],
  ['unauthorized_client', 400, 'The token was issued to another client'],
  ['insufficient_scope', 403, 'The client does not have the scope that this endpoint requires'],
  [
    'temporarily_unavailable',
    503,
    'The request cannot be processed at the moment; retry after the number of seconds in the Retry-After header',
  ],
  ['slow_down', 429, 'Too many failed attempts; retry after the number of seconds in the Retry-After header'],
];

describe('TOKEN_ERRORS', () => {
  it.each(TABLE)('%s: status %i, "%s"', (code, status, description) => {
    expect(TOKEN_ERRORS[code]).toEqual({ status, description });
  });

  it('has these codes and no other', () => {
    expect(Object.keys(TOKEN_ERRORS)).toEqual(TABLE.map(([code]) => code));
  });

  it('cannot be added to or changed', () => {
    expect(Object.isFrozen(TOKEN_ERRORS)).toBe(true);
  });

  it.each(TABLE)('%s: its description has only characters of RFC 6749 §5.2', (code) => {
    expect(TOKEN_ERRORS[code].description ?? 'none').toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/);
  });
});
