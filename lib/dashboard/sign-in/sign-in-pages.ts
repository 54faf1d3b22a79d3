/** The pages of the sign-in by one-time links. */
import type { Member } from '../../management/member.js';
import { type Html, html, userText } from '../components/html.js';
import { bareLayout } from '../components/layout.js';
import { tokenField } from '../http/csrf-token.js';
import type { HttpError } from '../http/http-error.js';
import { htmlResponse, type PageResponse } from '../http/page-response.js';
import { roleTitle } from '../http/permissions.js';

export const LINK_FIELD = 'token';

const TITLE = 'Sign in';

/** The options of `createSignIn` that pages show or load. */
export interface SignInPageOptions {
  readonly help: string;
  readonly productName: string;
  readonly stylesheet: string | undefined;
}

export interface SignInPages {
  /**
   * The page that a link opens. It asks the member to press a button before the link is used. Mail scanners, chats and
   * browsers fetch links automatically, and would otherwise use up a link, which works only once.
   */
  confirm(base: string, member: Member, linkToken: string, formToken: string): PageResponse;
  /** The page for a visitor without a link. It says how to get a link. */
  explain(base: string): PageResponse;
  refuse(base: string, error: HttpError): PageResponse;
}

function toKeys(base: string): Html {
  return html`<p>Are you already signed in? <a href="${base}/">Go to your keys</a></p>`;
}

export function signInPages({ help, productName: product, stylesheet }: SignInPageOptions): SignInPages {
  const page = (base: string, title: string, main: Html, head?: Html) =>
    bareLayout({ title, product, base, stylesheet, head, main: html`<h1>${title}</h1>\n${main}` });

  return {
    confirm: (base, member, linkToken, formToken) =>
      // This page needs the referrer policy `strict-origin`. With `no-referrer`, the browser would send `Origin: null`
      // with the form, and the form would be refused. With `strict-origin`, the `Referer` has only the origin, not the
      // URL of this page, which contains the token of the link.
      htmlResponse(
        200,
        page(
          base,
          TITLE,
          html`<p>This link signs you in to the account ${userText(member.account)} as ${userText(member.id)} (${roleTitle(member)}). It works only once.</p>
<form method="post" action="${base}/sign-in">${tokenField(formToken)}
<input type="hidden" name="${LINK_FIELD}" value="${linkToken}">
<button>Sign in</button></form>`,
          html`<meta name="referrer" content="strict-origin">`,
        ),
      ),
    explain: (base) =>
      htmlResponse(200, page(base, TITLE, html`<p>You need a sign-in link. ${help}</p>\n${toKeys(base)}`)),
    refuse: (base, { status, title, message, headers }) =>
      htmlResponse(status, page(base, title, html`<p>${message}</p>\n<p>${help}</p>\n${toKeys(base)}`), headers),
  };
}
