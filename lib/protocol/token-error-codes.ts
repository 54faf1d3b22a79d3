/**
 * The errors that the token, introspection and revocation endpoints answer (RFC 6749 section 5.2, RFC 7009 section
 * 2.2.1, RFC 7662 section 2.3).
 */

/** The error codes of the token, introspection and revocation endpoints. */
export type TokenErrorCode = keyof typeof TOKEN_ERRORS;

/**
 * The default status and the description of each code; `invalid_client` has no description. A description is the same
 * for every request, so it never contains input. The exact cause is in the event `keyward:token`, for the operator.
 *
 * The codes are from RFC 6749 section 5.2, except `invalid_dpop_proof` and `use_dpop_nonce` (RFC 9449 sections 5 and
 * 8), `insufficient_scope` (RFC 6750 section 3.1), `temporarily_unavailable` (RFC 6749 section 4.1.2.1) and `slow_down`
 * (RFC 8628 section 3.5).
 */
export const TOKEN_ERRORS = Object.freeze({
  invalid_request: {
    status: 400,
    description:
      'The request is malformed; expected a POST request with a form body, no repeated parameters, and one client authentication method',
  },
  invalid_client: { status: 401, description: undefined },
  unsupported_grant_type: { status: 400, description: 'The grant type is not supported; use client_credentials' },
  invalid_scope: {
    status: 400,
    description:
      'A requested scope is malformed, unknown or not assigned to the client, or no scope was requested and the client has no default scopes',
  },
  invalid_dpop_proof: { status: 400, description: 'The DPoP proof is malformed or invalid, or has already been used' },
  use_dpop_nonce: {
    status: 400,
    description: 'The DPoP proof must contain the nonce from the DPoP-Nonce header of this response',
  },
  unauthorized_client: { status: 400, description: 'The token was issued to another client' },
  insufficient_scope: { status: 403, description: 'The client does not have the scope that this endpoint requires' },
  temporarily_unavailable: {
    status: 503,
    description:
      'The request cannot be processed at the moment; retry after the number of seconds in the Retry-After header',
  },
  slow_down: {
    status: 429,
    description: 'Too many failed attempts; retry after the number of seconds in the Retry-After header',
  },
} as const);
