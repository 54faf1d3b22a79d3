/** The `Authorization` field of RFC 6750 §2.1 and RFC 9110 §11.6.2: which credential it carries, if any. */

/** The most characters a credential may have: an access token of some 900 scopes fits, a flood of text does not. */
export const MAX_CREDENTIAL_LENGTH = 12_288;

/** No Bearer credential was presented: no field, an empty one, or another scheme. */
export const ABSENT = Symbol('absent');

/** A Bearer credential was meant, but the field breaks the grammar. */
export const MALFORMED = Symbol('malformed');

const SPACE = 0x20;
/** As nearly every client writes it. */
const USUAL_SCHEME = 'Bearer ';

// RFC 9110 §11.1: the scheme is case-insensitive. What follows it must not go on as a token (`Bearerx`, `Bearer-x`).
const BEARER_SCHEME = /^bearer(?![\w!#$%&'*+.^`|~-])/i;
const BARE_KEY = /^[sp]k_/;
const B64TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/**
 * Finds the credential in the value of an `Authorization` field.
 *
 * The characters of the credential are not looked at: `isB64token` does that, once, for a credential not seen before.
 *
 * @param authorization - The field's value; what upstream code may have put there instead of a string is malformed.
 * @param bareKeys - Whether `sk_…` or `pk_…` without a scheme counts as a credential.
 */
export function readBearer(authorization: unknown, bareKeys: boolean): string | typeof ABSENT | typeof MALFORMED {
  if (authorization === undefined) return ABSENT;
  if (typeof authorization !== 'string') return MALFORMED;
  if (!authorization.startsWith(USUAL_SCHEME) && !BEARER_SCHEME.test(authorization)) {
    return bareKeys && BARE_KEY.test(authorization) ? bounded(authorization, 0) : ABSENT;
  }
  let start = 'bearer'.length;
  while (authorization.charCodeAt(start) === SPACE) start += 1;
  if (start === 'bearer'.length) return MALFORMED;
  return bounded(authorization, start);
}

/** Whether a text is a `b64token` (RFC 6750 §2.1). */
export function isB64token(text: string): boolean {
  return B64TOKEN.test(text);
}

/**
 * Whether a request came with more than one `Authorization` line. Node keeps the first in `headers` and drops the
 * others, so a proxy that looks at the last one would see another caller than we do.
 */
export function repeatsAuthorization(rawHeaders: readonly string[] | undefined): boolean {
  if (rawHeaders === undefined) return false;
  let seen = false;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length !== 'authorization'.length || name.toLowerCase() !== 'authorization') continue;
    if (seen) return true;
    seen = true;
  }
  return false;
}

function bounded(text: string, start: number): string | typeof MALFORMED {
  const length = text.length - start;
  return length === 0 || length > MAX_CREDENTIAL_LENGTH ? MALFORMED : text.slice(start);
}
