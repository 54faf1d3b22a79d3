/**
 * Protection against CSRF: a random token is in a cookie and in each form. A form on another site cannot contain it,
 * because that site cannot read the token. The forms of a member also contain a code of the member: if somebody else
 * has signed in since, in another tab of the same browser, the form must not change the keys of the other account.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { digestOf } from '../../credentials/digest.js';
import type { Member } from '../../management/member.js';
import { type Html, html } from '../components/html.js';
import { HttpError } from './http-error.js';
import { CrossSiteError } from './same-origin.js';

export const TOKEN_FIELD = 'csrf';

// With this prefix, sub-domains and pages without TLS cannot set the cookie.
const COOKIE = '__Host-keyward-csrf';
const TOKEN_BYTES = 16;
const TOKEN = /^[\w-]{22}$/;
/** Between the token of the browser and the code of the member. */
const SEPARATOR = '.';

/** Returns the token in the cookie of the browser. If the browser has none, creates a token and sets the cookie. */
export function ensureFormToken(req: IncomingMessage, res: ServerResponse): string {
  const current = tokenIn(req);
  if (current !== undefined) return current;
  // Not `SameSite=Strict`: the browser would not send that cookie if a link on another site opens a page. This function
  // would then set a new token, and forms that are already open in other tabs would be refused.
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  res.appendHeader('Set-Cookie', `${COOKIE}=${token}; Path=/; Secure; HttpOnly; SameSite=Lax`);
  return token;
}

/**
 * Returns the value of `TOKEN_FIELD` in the forms of a member. The code is different in each browser, and the same
 * after the member has signed in again.
 */
export function memberFormToken(token: string, { account, id }: Pick<Member, 'account' | 'id'>): string {
  return `${token}${SEPARATOR}${digestOf(JSON.stringify([token, account, id]))}`;
}

export function tokenField(token: string): Html {
  return html`<input type="hidden" name="${TOKEN_FIELD}" value="${token}">`;
}

/**
 * @param given - The token in the form.
 * @throws CrossSiteError if the token in the form or in the cookie is missing, or the two differ.
 */
export function assertFormToken(req: IncomingMessage, given: string | undefined): void {
  const expected = tokenIn(req);
  const isValid = expected !== undefined && given !== undefined && TOKEN.test(given) && areEqual(expected, given);
  if (!isValid) throw new CrossSiteError('form_token');
}

/**
 * @param given - The value of `TOKEN_FIELD` in the form.
 * @param member - The member who is signed in now.
 * @throws CrossSiteError like `assertFormToken`, and for a form without a code; HttpError 403 for a form that was made
 *   for another member.
 */
export function assertMemberFormToken(req: IncomingMessage, given: string | undefined, member: Member): void {
  const [token = '', code] = (given ?? '').split(SEPARATOR, 2);
  assertFormToken(req, code === undefined ? undefined : token);
  // This need not take constant time: anyone who knows the token, which was compared before, can compute the code.
  if (given === memberFormToken(token, member)) return;
  throw new HttpError(
    403,
    'You have signed in differently',
    `You are now signed in to the account ${member.account} as ${member.id}. This form was opened for another member or account, so no changes were made.`,
  );
}

/** The token in the cookie; `undefined` if there are two cookies, because an attacker may have set one of them. */
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
