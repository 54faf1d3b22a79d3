/**
 * Normalizes URIs and paths, because two spellings of one URI must be equal. The URI of a request is compared with
 * `htu` of a DPoP proof, which has no query and no fragment (RFC 9449 section 4.2).
 */

/**
 * Matches scheme, authority without userinfo, and path. A WHATWG URL parser is not used, because it repairs invalid
 * URIs.
 */
const URI = /^([A-Za-z][A-Za-z\d+.-]*):\/\/([^/?#@\\]+)((?:\/[^?#\\]*)?)(?:[?#]|$)/;
const PRINTABLE = /^[\x21-\x7E]+$/;
const DEFAULT_PORT: Readonly<Record<string, RegExp>> = { http: /:(?:80)?$/, https: /:(?:443)?$/ };
/** Matches scheme, authority and the slash after them, which may be missing if the path is empty. */
const ABSOLUTE_FORM = /^[A-Za-z][A-Za-z\d+.-]*:\/\/[^/?#]*\/?/;
const ESCAPE = /%[\dA-Fa-f]{2}/g;
const UNRESERVED = /[\w.~-]/;

/**
 * Normalizes an absolute URI by RFC 3986 sections 6.2.2 and 6.2.3, and removes query and fragment.
 *
 * @returns `undefined` if it is not an absolute URI with an authority; if it has userinfo; or if it has a space, a
 *   control character, a non-ASCII character, or a backslash in its authority or path.
 */
export function normalizeUri(uri: string): string | undefined {
  const [, scheme = '', authority = '', path = ''] = (PRINTABLE.test(uri) && URI.exec(uri)) || [];
  if (scheme === '') return undefined;
  const name = scheme.toLowerCase();
  const host = authority.toLowerCase().replace(DEFAULT_PORT[name] ?? /:$/, '');
  return host === '' ? undefined : `${name}://${host}${normalizePath(path)}`;
}

/**
 * Returns path and query of a request-target as they were sent (RFC 9112 section 3.2). The target is `/path?query` or
 * `https://host/path?query`; its host is ignored. In the second form, an empty path becomes `/`.
 */
export function toOriginForm(target: string): string {
  return target.startsWith('/') ? target : target.replace(ABSOLUTE_FORM, '/');
}

/** Returns the path of a request-target as it was sent. */
export function requestPath(target: string): string {
  const path = toOriginForm(target);
  const end = path.search(/[?#]/);
  return end === -1 ? path : path.slice(0, end);
}

/**
 * Normalizes a path (RFC 3986 sections 6.2.2.1 to 6.2.2.3): `%7e` becomes `~`, `%2f` becomes `%2F`, and dot segments
 * are removed. An empty path becomes `/`.
 */
export function normalizePath(path: string): string {
  const unescaped = path.includes('%') ? path.replace(ESCAPE, normalizeEscape) : path;
  return (unescaped.includes('/.') ? removeDotSegments(unescaped) : unescaped) || '/';
}

function normalizeEscape(octet: string): string {
  const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
  return UNRESERVED.test(character) ? character : octet.toUpperCase();
}

function removeDotSegments(path: string): string {
  const kept: string[] = [];
  const segments = path.split('/').slice(1);
  for (const [index, segment] of segments.entries()) {
    if (segment === '..') kept.pop();
    if (segment !== '.' && segment !== '..') kept.push(segment);
    // After its last segment is removed, a path such as `/a/.` or `/a/..` ends with a slash.
    else if (index === segments.length - 1) kept.push('');
  }
  return `/${kept.join('/')}`;
}
