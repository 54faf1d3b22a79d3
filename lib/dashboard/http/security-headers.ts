/** The security headers of every response (OWASP ASVS 3.4). */
import type { ServerResponse } from 'node:http';
import type { MaybeSecure } from './same-origin.js';

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
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
  // Pages contain data that a shared cache, or the next user of this computer, must not see.
  'Cache-Control': 'no-store',
});

const ONE_YEAR = 31_536_000;

/** Sets the security headers. They replace headers of the host app with the same names, which may be weaker. */
export function setSecurityHeaders(req: MaybeSecure, res: ServerResponse, next: () => void): void {
  for (const [name, value] of HEADERS) res.setHeader(name, value);
  // If the host app has set CORS headers, they could let other sites read these pages.
  for (const name of res.getHeaderNames()) if (name.startsWith('access-control-')) res.removeHeader(name);
  if (req.secure === true) res.setHeader('Strict-Transport-Security', `max-age=${ONE_YEAR}`);
  next();
}
