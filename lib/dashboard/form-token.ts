/** A secret between the cookies of a browser and the forms of its pages: other sites can send the one, not the other. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Html, html } from './html.js';
import { CrossSite } from './same-origin.js';

/** The name of the hidden field. */
export const TOKEN_FIELD = 'csrf';

// The prefix keeps sub-domains, and pages without TLS, from planting one.
const COOKIE = '__Host-keyward-csrf';
const TOKEN_BYTES = 16;
const TOKEN = /^[\w-]{22}$/;

/** The token of a browser; where it has none, a new one goes out with the response. */
export function formTokenOf(req: IncomingMessage, res: ServerResponse): string {
  const held = tokenIn(req);
  if (held !== undefined) return held;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  res.appendHeader('Set-Cookie', `${COOKIE}=${token}; Path=/; Secure; HttpOnly; SameSite=Strict`);
  return token;
}

/** The hidden field that each form has. */
export function tokenField(token: string): Html {
  return html`<input type="hidden" name="${TOKEN_FIELD}" value="${token}">`;
}

/** @throws CrossSite where the field is not what the cookie says. */
export function assertFormToken(req: IncomingMessage, given: string | undefined): void {
  const held = tokenIn(req);
  const isOwn = held !== undefined && given !== undefined && TOKEN.test(given) && areEqual(held, given);
  if (!isOwn) throw new CrossSite('form_token');
}

/** The one in the cookies; of two nobody knows which is ours. */
function tokenIn({ headers }: IncomingMessage): string | undefined {
  const found = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${COOKIE}=`))
    .map((pair) => pair.slice(COOKIE.length + 1));
  const [token] = found;
  return found.length === 1 && token !== undefined && TOKEN.test(token) ? token : undefined;
}

function areEqual(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
