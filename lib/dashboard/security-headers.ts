/** What every response of the Dashboard says to browsers (OWASP ASVS 3.4). */
import type { ServerResponse } from 'node:http';
import type { MaybeSecure } from './same-origin.js';

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "object-src 'none'",
].join('; ');

const HEADERS = Object.entries({
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  // Pages hold what a shared cache, or the next person at this machine, must not see.
  'Cache-Control': 'no-store',
});

const ONE_YEAR = 31_536_000;

/** Sets them, over what the host app may have set: a weaker policy of a site is none for its keys. */
export function setSecurityHeaders(req: MaybeSecure, res: ServerResponse, next: () => void): void {
  for (const [name, value] of HEADERS) res.setHeader(name, value);
  // A site that lets its other origins read what it serves does not mean its keys.
  for (const name of res.getHeaderNames()) if (name.startsWith('access-control-')) res.removeHeader(name);
  if (req.secure === true) res.setHeader('Strict-Transport-Security', `max-age=${ONE_YEAR}`);
  next();
}
