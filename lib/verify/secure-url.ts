const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Reads a URL that keys may be fetched from: https, or http to this machine alone; without userinfo or fragment.
 *
 * @returns `undefined` for any other.
 */
export function secureUrl(value: unknown): URL | undefined {
  const text = value instanceof URL ? value.href : value;
  if (typeof text !== 'string' || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.hash !== '' || text.endsWith('#')) return undefined;
  if (url.protocol === 'https:') return url;
  return url.protocol === 'http:' && LOOPBACK.test(url.hostname) ? url : undefined;
}
