/** The rules that all JWTs and JWKs share: access tokens, client assertions and DPoP proofs, and their keys. */

/**
 * Header parameters that change how a JWT is parsed, or where its key comes from. None of them is supported, so a JWT
 * with one is refused: RFC 7515 section 4.1.11 (crit), RFC 7797 (b64), RFC 7516 section 4.1.3 (zip), RFC 8725 section
 * 3.10 (keys in the JWT itself). Only a DPoP proof has `jwk`.
 */
export const REFUSED_HEADER_MEMBERS: readonly string[] = ['crit', 'b64', 'zip', 'jku', 'x5u', 'jwk', 'x5c'];

/** The members that only the owner of a key pair may know (RFC 7518 sections 6.2.2 and 6.3.2). */
export const PRIVATE_JWK_MEMBERS: readonly string[] = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth'];

/** The value of `client_assertion_type` for a JWT (RFC 7523 §2.2). */
export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** The upper limit of a time in seconds (the year 5138). A larger value was written in milliseconds, and is refused. */
const MAX_TIME = 1e11;

/** Matches the characters of a client ID (RFC 6749 Appendix A.1), a `kid` or a `jti`, which are written to logs. */
export const VSCHARS = /^[\x20-\x7E]+$/;

/**
 * Returns a media type in lower case, without `application/`: this prefix may be left out, and case does not matter
 * (RFC 7515 section 4.1.9).
 */
export function mediaType(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase().replace(/^application\//, '') : value;
}

/**
 * Whether a value is a NumericDate, which may have a fraction (RFC 7519 section 2). `1e400` in JSON is parsed as
 * Infinity, and is refused.
 */
export function isNumericDate(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < MAX_TIME;
}
