/** Checks whether keyward may connect to a URL. For internal hosts, see internal-host.ts. */

/** Describes the URLs that `secureUrl` accepts, for error messages about options. */
export const SECURE_URL = 'an https URL (http only for a loopback host, or with "allowHttp")';

/** Like `SECURE_URL`, but also describes the parts that the URL must not have. */
export const SECURE_PLAIN_URL = `${SECURE_URL} without a user name, password or fragment`;

/**
 * Parses a URL to which keyward may connect: https, or http to `localhost`, 127.x.x.x or `[::1]`; without a user name,
 * password or fragment.
 *
 * @param allowHttp - Whether http to any machine is accepted.
 * @returns `undefined` for a URL that is not allowed.
 */
export function secureUrl(value: unknown, allowHttp = false): URL | undefined {
  const text = value instanceof URL ? value.href : value;
  if (typeof text !== 'string' || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.hash !== '' || text.endsWith('#')) return undefined;
  if (url.protocol === 'https:') return url;
  return url.protocol === 'http:' && (allowHttp || LOOPBACK.test(url.hostname)) ? url : undefined;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
