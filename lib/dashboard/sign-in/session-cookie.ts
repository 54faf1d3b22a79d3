/** The cookie of a session. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { digestOf } from '../../credentials/digest.js';

// With this prefix, sub-domains and pages without TLS cannot set the cookie. Browsers accept it over TLS and from
// localhost.
const PREFIX = '__Host-keyward-session-';

/**
 * Lax, so that a member who follows a link from a chat or an email is still signed in; under Strict they would not be
 * on the first page. Lax requests change nothing: forms have a token, and must come from this origin.
 */
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';

/** The session cookie of one Dashboard. */
export interface SessionCookie {
  readonly name: string;
  /** The session of a request; `undefined` if there are two, because an attacker must have set one of them. */
  read(req: IncomingMessage): string | undefined;
  /** A cookie without expiry: it ends with the browser, and the server limits the session. */
  set(res: ServerResponse, session: string): void;
  clear(res: ServerResponse): void;
}

/**
 * `__Host-` cookies belong to a whole host, with all its ports. The name distinguishes two Dashboards on one host.
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
