/**
 * The errors that a gate or guard answers: their codes, their statuses, and their texts in challenges and bodies. Some
 * codes are error codes of RFC 6750 section 3.1, RFC 9449 section 7.1 or RFC 9470 section 3. The response names only
 * these codes.
 */

/**
 * Why a request was refused, as the caller sees it.
 *
 * - `credential_missing`: no credential was presented. The response has no error code (RFC 6750 section 3.1).
 * - `invalid_request`: the credential is malformed, or the request has more than one credential.
 * - `invalid_token`: the credential is invalid, whatever the reason.
 * - `invalid_dpop_proof`: the DPoP proof is missing or invalid (RFC 9449 section 7.1).
 * - `use_dpop_nonce`: the client must send a new proof that contains the nonce of the response (RFC 9449 section 9).
 * - `insufficient_scope`: the credential is valid, but does not give access to this route.
 * - `insufficient_user_authentication`: the user must authenticate again, or by another method (RFC 9470 section 3).
 * - `too_many_requests`: the key made more requests than its limits allow (RFC 6585 section 4). The response has no
 *   challenge, because another credential would not help.
 * - `temporarily_unavailable`: the credential cannot be checked now. The response has no error code.
 */
export type BearerErrorCode = keyof typeof BEARER_ERRORS;

/**
 * The status and description of each code. The descriptions never change with the request, so they reveal neither the
 * cause nor the input.
 */
export const BEARER_ERRORS = Object.freeze({
  credential_missing: { status: 401, description: 'A credential is required' },
  invalid_request: {
    status: 400,
    description: 'The credential is malformed, or the request has more than one credential',
  },
  invalid_token: { status: 401, description: 'The credential is invalid, expired or revoked' },
  invalid_dpop_proof: { status: 401, description: 'The DPoP proof is missing or invalid' },
  use_dpop_nonce: {
    status: 401,
    description: 'The DPoP proof must contain the nonce from the DPoP-Nonce header of this response',
  },
  insufficient_scope: { status: 403, description: 'The credential does not give access to this resource' },
  too_many_requests: {
    status: 429,
    description: 'Too many requests; retry after the number of seconds in the Retry-After header',
  },
  insufficient_user_authentication: {
    status: 401,
    description: 'The user must authenticate again, possibly with a different authentication method',
  },
  temporarily_unavailable: {
    status: 503,
    description:
      'The credential cannot be checked at the moment; retry after the number of seconds in the Retry-After header',
  },
} as const);

const OAUTH_ERRORS: readonly BearerErrorCode[] = [
  ...(['invalid_request', 'invalid_token', 'invalid_dpop_proof', 'use_dpop_nonce', 'insufficient_scope'] as const),
  'insufficient_user_authentication',
];

/**
 * Checks whether an RFC of OAuth defines the code. The challenge and the body contain `error` only for these codes.
 */
export function isOauthError(code: BearerErrorCode): boolean {
  return OAUTH_ERRORS.includes(code);
}
