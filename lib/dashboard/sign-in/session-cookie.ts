/** The cookie of a session. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { digestOf } from '../../credentials/digest.js';

// With `__Host-`, neither a subdomain nor a page without TLS can set the cookie. Browsers accept it over TLS, and most
// of them from localhost.
const PREFIX = '__Host-keyward-session-';

/**
 * `Lax`, because with `Strict` a member who follows a link from a chat or an email would not be signed in on that page.
 * With `Lax`, links on other sites send the cookie, but opening a page changes nothing.
 */
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';

export interface SessionCookie {
  readonly name: string;
  /** The session of a request; `undefined` if there are two, because an attacker may have set one of them. */
  read(req: IncomingMessage): string | undefined;
  /** Sets a cookie that ends with the browser. The server limits how long the session is accepted. */
  set(res: ServerResponse, session: string): void;
  clear(res: ServerResponse): void;
}

/**
 * A `__Host-` cookie belongs to a whole host with all its ports and paths, so its name distinguishes two Dashboards on
 * one host.
 *
 * @param url - The URL of the Dashboard.
 */
export function sessionCookie(url: string): SessionCookie {
  const name = `${PREFIX}${digestOf(url).slice(0, 16)}`;
  return {
    name,
    read({ headers }) {
      const found = (headers.cookie ?? '')
        .split(';')
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(`${name}=`));
      return found.length === 1 ? found[0]?.slice(name.length + 1) : undefined;
    },
    set: (res, session) => void res.appendHeader('Set-Cookie', `${name}=${session}; ${ATTRIBUTES}`),
    clear: (res) => void res.appendHeader('Set-Cookie', `${name}=; ${ATTRIBUTES}; Max-Age=0`),
  };
}
