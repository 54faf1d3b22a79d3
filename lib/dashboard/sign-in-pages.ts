/** The pages of the sign-in. */
import { type Answer, answerPage } from './answer.js';
import { tokenField } from './form-token.js';
import { type Html, html } from './html.js';
import { bareLayout } from './layout.js';
import type { Refusal } from './refusal.js';

/** The hidden field that holds the token of a link. */
export const LINK_FIELD = 'token';

const TITLE = 'Sign in';

export interface SignInPages {
  /** Asks for a press of a button: browsers, mail scanners and chats fetch links by themselves, and must not spend this one. */
  confirm(base: string, linkToken: string, formToken: string): Answer;
  /** Says where a link comes from. */
  explain(base: string): Answer;
  refuse(base: string, refusal: Refusal): Answer;
}

/** @param help - How one gets a link, in a sentence. */
export function signInPages(help: string): SignInPages {
  const page = (base: string, title: string, main: Html, head?: Html) =>
    bareLayout({ title, base, stylesheet: undefined, head, main: html`<h1>${title}</h1>\n${main}` });

  return {
    confirm: (base, linkToken, formToken) =>
      // Under no-referrer, which the header says, browsers send forms with `Origin: null`; the rest of the address stays
      // untold, since it holds the token.
      answerPage(
        200,
        page(
          base,
          TITLE,
          html`<p>This link signs you in once.</p>
<form method="post" action="${base}/sign-in">${tokenField(formToken)}
<input type="hidden" name="${LINK_FIELD}" value="${linkToken}">
<button>Sign in</button></form>`,
          html`<meta name="referrer" content="strict-origin">`,
        ),
      ),
    explain: (base) =>
      answerPage(
        200,
        page(base, TITLE, html`<p>You need a sign-in link. ${help}</p>\n<p><a href="${base}/">To the keys</a></p>`),
      ),
    refuse: (base, { status, title, message, headers }) =>
      answerPage(
        status,
        page(base, title, html`<p>${message}</p>\n<p>${help}</p>\n<p><a href="${base}/">To the keys</a></p>`),
        headers,
      ),
  };
}
