/** The cookie that contains the encrypted session of a member. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { digestOf } from '../../credentials/digest.js';

// With the prefix `__Host-`, neither a subdomain nor a page without TLS can set the cookie. Most browsers make an
// exception for localhost, and accept the cookie without TLS.
const PREFIX = '__Host-keyward-session-';

/**
 * `SameSite=Lax`: with `Strict`, a member who follows a link from a chat or an email would not be signed in on that
 * page. With `Lax`, the browser sends the cookie if the member follows a link on another site. This is safe, because
 * opening a page changes nothing.
 */
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';

export interface SessionCookie {
  readonly name: string;
  /** The encrypted session; `undefined` if there are two cookies, because an attacker may have set one of them. */
  read(req: IncomingMessage): string | undefined;
  /** Sets a cookie that the browser deletes when it is closed. The session itself has time limits. */
  set(res: ServerResponse, session: string): void;
  clear(res: ServerResponse): void;
}

/**
 * Creates the cookie of one Dashboard. A `__Host-` cookie is sent to all ports and paths of a host. So the name of the
 * cookie contains a digest of the URL, which distinguishes two Dashboards on one host.
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
