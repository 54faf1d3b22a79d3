/**
 * Finds the credential in the `Authorization` field (RFC 6750 section 2.1, RFC 9449 section 7.1). Detects requests with
 * more than one `Authorization` field (RFC 9110 section 5.3), because two programs could use different ones.
 */

/** Maximum length of a credential. An access token with about 900 scopes fits. */
export const MAX_CREDENTIAL_LENGTH = 12_288;

/** The scheme by which a credential is presented: `Bearer` (RFC 6750 §2.1) or `DPoP` (RFC 9449 §7.1). */
export type CredentialScheme = 'Bearer' | 'DPoP';

/** Returned if the field is missing or empty, or if its scheme is not the one that the function reads. */
export const ABSENT = Symbol('absent');

/**
 * Returned if the field has the right scheme, but its credential is missing or too long. `readBearer` also returns it
 * for a field that is not a string, and for a key without a scheme that is too long.
 */
export const MALFORMED = Symbol('malformed');

const SPACE = 0x20;
/**
 * The scheme as nearly every client spells it. It is compared first, because this is faster than the regular
 * expression.
 */
const USUAL_SCHEME = 'Bearer ';
/** The name of the field as most clients spell it. It is compared first, because `toLowerCase` creates a string. */
const USUAL_NAME = 'Authorization';

// The scheme is case-insensitive (RFC 9110 section 11.1). A longer scheme that only begins with the same letters does
// not match (`Bearerx`, `Bearer-x`).
const BEARER_SCHEME = /^bearer(?![\w!#$%&'*+.^`|~-])/i;
const DPOP_SCHEME = /^dpop(?![\w!#$%&'*+.^`|~-])/i;
const SCHEMELESS_KEY = /^[sp]k_/;
const B64TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/**
 * Finds the credential in the value of an `Authorization` field.
 *
 * This function does not check the characters of the credential. The parser of the JWS or `isB64token` checks them
 * later, and only for a credential that is not cached.
 *
 * @param authorization - The value of the field. It is not a string only if other code has set it; it is then malformed.
 * @param allowSchemeless - Whether `sk_…` or `pk_…` without a scheme is accepted as a credential.
 */
export function readBearer(
  authorization: unknown,
  allowSchemeless: boolean,
): string | typeof ABSENT | typeof MALFORMED {
  if (authorization === undefined) return ABSENT;
  if (typeof authorization !== 'string') return MALFORMED;
  if (!authorization.startsWith(USUAL_SCHEME) && !BEARER_SCHEME.test(authorization)) {
    if (!allowSchemeless || !isSchemelessKey(authorization)) return ABSENT;
    return authorization.length > MAX_CREDENTIAL_LENGTH ? MALFORMED : authorization;
  }
  return afterScheme(authorization, 'bearer'.length);
}

/**
 * Finds the credential of the scheme `DPoP`. A field that is not a string is `ABSENT` here, because `readBearer`
 * already reports it as `MALFORMED`.
 */
export function readDpop(authorization: unknown): string | typeof ABSENT | typeof MALFORMED {
  if (typeof authorization !== 'string' || !DPOP_SCHEME.test(authorization)) return ABSENT;
  return afterScheme(authorization, 'dpop'.length);
}

function afterScheme(authorization: string, end: number): string | typeof MALFORMED {
  let start = end;
  while (authorization.charCodeAt(start) === SPACE) start += 1;
  const length = authorization.length - start;
  if (start === end || length === 0 || length > MAX_CREDENTIAL_LENGTH) return MALFORMED;
  return authorization.slice(start);
}

/** Checks whether an `Authorization` field begins like a key without a scheme: `sk_` or `pk_`. */
export function isSchemelessKey(authorization: unknown): boolean {
  return typeof authorization === 'string' && SCHEMELESS_KEY.test(authorization);
}

/** Checks whether a text is a `b64token` (RFC 6750 §2.1). */
export function isB64token(text: string): boolean {
  return B64TOKEN.test(text);
}

/** Maximum number of header lines of a request that Node keeps if `server.maxHeadersCount` is not set. */
const DEFAULT_MAX_LINES = 1_000;

/** The properties of a request that `repeatsAuthorization` reads. */
interface RawRequest {
  readonly rawHeaders?: readonly string[] | undefined;
  readonly socket?: object | null;
}

/**
 * Checks whether a request has, or may have, more than one `Authorization` line. Node puts only the first one into
 * `headers`, but a proxy may use the last one, so both would see different credentials. Node drops all lines above its
 * maximum: a request with that many lines may have another `Authorization` line that is not visible here.
 */
export function repeatsAuthorization(request: RawRequest): boolean {
  // On a request that Express has handled, `Reflect.get` is faster than reading by name (docs/decisions/0031).
  const rawHeaders = Reflect.get(request, 'rawHeaders');
  if (rawHeaders === undefined) return false;
  const socket = Reflect.get(request, 'socket');
  // If `maxHeadersCount` is 0, Node keeps all lines.
  const { server } = (socket ?? {}) as { readonly server?: { readonly maxHeadersCount?: number | null } };
  const maxLines = server?.maxHeadersCount ?? DEFAULT_MAX_LINES;
  if (maxLines > 0 && rawHeaders.length >= 2 * maxLines) return true;
  let seen = false;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length !== USUAL_NAME.length) continue;
    if (name !== USUAL_NAME && name.toLowerCase() !== 'authorization') continue;
    if (seen) return true;
    seen = true;
  }
  return false;
}
