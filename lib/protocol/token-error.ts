/** What the token endpoint may answer where it issues no token (RFC 6749 §5.2). */

/** The error codes of the token endpoint. */
export type TokenErrorCode = keyof typeof TOKEN_ERRORS;

/**
 * Status and description of each code. The descriptions are fixed: no cause and no input reaches the wire.
 * `temporarily_unavailable` and `slow_down` are no codes of §5.2; RFC 6749 §4.1.2.1 and RFC 8628 §3.5 have them.
 */
export const TOKEN_ERRORS = Object.freeze({
  invalid_request: { status: 400, description: 'The request is malformed' },
  invalid_client: { status: 401, description: undefined },
  unsupported_grant_type: { status: 400, description: 'Only client_credentials is supported' },
  invalid_scope: { status: 400, description: 'A scope is malformed, unknown or not assigned to the client' },
  temporarily_unavailable: { status: 503, description: 'The request cannot be answered at the moment' },
  slow_down: { status: 429, description: 'Too many failed attempts' },
} as const);
