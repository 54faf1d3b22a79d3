/** Rules that access tokens, client assertions and DPoP proofs share, and rules for their keys. */

/**
 * Header parameters that change how a JWT is parsed, or where its key comes from. None of them is supported, so a JWT
 * that has one of them is refused. The only exception is `jwk` in a DPoP proof.
 *
 * They are from RFC 7515 section 4.1.11 (crit), RFC 7797 (b64) and RFC 7516 section 4.1.3 (zip). RFC 8725 section 3.10
 * warns of keys in the JWT itself, or at a URL in it.
 */
export const REFUSED_HEADER_MEMBERS: readonly string[] = ['crit', 'b64', 'zip', 'jku', 'x5u', 'jwk', 'x5c'];

/** The members of a JWK that only the owner of the key pair may know (RFC 7518 sections 6.2.2 and 6.3.2). */
export const PRIVATE_JWK_MEMBERS: readonly string[] = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth'];

/** The value of `client_assertion_type` for a JWT (RFC 7523 §2.2). */
export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/**
 * The limit of a time in seconds (the year 5138). A time above it is probably in milliseconds by mistake, and is
 * refused.
 */
const MAX_TIME = 1e11;

/**
 * Matches printable ASCII (RFC 6749 Appendix A.1). A client ID, a `kid` and a `jti` are written to logs, where other
 * characters could forge an entry.
 */
export const VSCHARS = /^[\x20-\x7E]+$/;

/**
 * Returns a media type in lower case and without `application/`: case does not matter, and this prefix may be left out
 * (RFC 7515 section 4.1.9). A value that is not a string is returned unchanged.
 */
export function mediaType(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase().replace(/^application\//, '') : value;
}

/**
 * Whether a value is a NumericDate, which may have a fraction (RFC 7519 section 2). `Infinity` is refused: `JSON.parse`
 * returns it for a number such as `1e400`.
 */
export function isNumericDate(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < MAX_TIME;
}
