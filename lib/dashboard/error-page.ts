/** What went wrong, as the member is told of it. */
import { ManagementError, type ManagementErrorCode } from '../management/management-error.js';
import { type Answer, answerPage } from './answer.js';
import { type Html, html } from './html.js';
import { bareLayout } from './layout.js';
import { notFound, Refusal } from './refusal.js';
import type { Site } from './visit.js';

/** Titles of what management refuses. */
const TITLES: Readonly<Record<ManagementErrorCode, string>> = {
  invalid: 'Not possible',
  no_member: 'Not signed in',
  forbidden: 'Not allowed',
  not_found: 'Not found',
  version_conflict: 'Changed meanwhile',
  revoked: 'Deleted',
  idempotency_conflict: 'Used already',
  unavailable: 'Not available',
};

const AGAIN = Object.freeze({ 'Retry-After': '1' });

/** Makes a refusal of whatever was thrown. What is unexpected tells nothing. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (!(error instanceof ManagementError)) {
    return new Refusal(500, 'Something went wrong', 'That was not your doing. It may work when you try again.');
  }
  const { code, status, message } = error;
  // What was asked for makes no difference to the page.
  if (code === 'not_found') return notFound();
  const text =
    code === 'unavailable' ? 'Your keys cannot be reached at the moment. Try again soon.' : sentenceOf(message);
  return new Refusal(status, TITLES[code], text, code === 'unavailable' ? AGAIN : {});
}

/** A page without anything of the member, so that it is the same for all who get it. */
export function errorPage(site: Site, base: string, refusal: Refusal): Answer {
  const { status, title, message, headers } = refusal;
  const main = html`<h1>${title}</h1>
<p>${message}</p>
<p>${wayOn(site, base, status)}</p>`;
  return answerPage(status, bareLayout({ title, base, stylesheet: site.stylesheet, main }), headers);
}

function wayOn({ signInUrl }: Site, base: string, status: number): Html | undefined {
  if (status !== 401) return html`<a href="${base}/">To the keys</a>`;
  return signInUrl === undefined ? undefined : html`<a class="button" href="${signInUrl}">Sign in</a>`;
}

function sentenceOf(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
