/** What a resource server may answer: the errors of RFC 6750 §3.1, and the two answers that have no error code there. */

/**
 * Why a request was refused, as its caller may know it.
 *
 * - `credential_missing`: nothing was presented. On the wire it has no error code (RFC 6750 §3.1).
 * - `invalid_request`: the credential is malformed, or there are two.
 * - `invalid_token`: a credential was presented and does not hold, whatever the cause.
 * - `insufficient_scope`: the credential holds and does not reach this route.
 * - `temporarily_unavailable`: nobody can tell at the moment. On the wire it has no error code either.
 */
export type BearerErrorCode = keyof typeof BEARER_ERRORS;

/** Status and description of each code. The descriptions are fixed, so that no cause and no input reaches the wire. */
export const BEARER_ERRORS = Object.freeze({
  credential_missing: { status: 401, description: 'A credential is required' },
  invalid_request: { status: 400, description: 'The credential is malformed or was presented more than once' },
  invalid_token: { status: 401, description: 'The credential is invalid, expired or revoked' },
  insufficient_scope: { status: 403, description: 'The credential does not reach this resource' },
  temporarily_unavailable: { status: 503, description: 'The credential cannot be checked at the moment' },
} as const);

/** Whether the code is an OAuth error code, to be said as `error`; the other two answers carry none. */
export function isOauthError(code: BearerErrorCode): boolean {
  return code !== 'credential_missing' && code !== 'temporarily_unavailable';
}
