/** The cookie that holds a session. */
import type { IncomingMessage, ServerResponse } from 'node:http';

// The prefix keeps sub-domains, and pages without TLS, from planting one. Browsers take it over TLS, and from localhost.
const COOKIE = '__Host-keyward-session';

/**
 * Lax: whoever follows a link from a chat or a mail to a key's page is still signed in. Under Strict they would not be, on
 * that first page. Nothing is changed by what Lax lets through: forms have a token, and must come from this origin.
 */
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';

/** The session that a request brings; of two nobody knows which is ours. */
export function sessionCookieOf({ headers }: IncomingMessage): string | undefined {
  const found = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${COOKIE}=`));
  return found.length === 1 ? found[0]?.slice(COOKIE.length + 1) : undefined;
}

/** Ends with the browser; how long the session lives is for the server to say. */
export function setSessionCookie(res: ServerResponse, session: string): void {
  res.appendHeader('Set-Cookie', `${COOKIE}=${session}; ${ATTRIBUTES}`);
}

export function clearSessionCookie(res: ServerResponse): void {
  res.appendHeader('Set-Cookie', `${COOKIE}=; ${ATTRIBUTES}; Max-Age=0`);
}
