/** Error pages, and their texts for the errors of management. */
import { ManagementError, type ManagementErrorCode } from '../../management/management-error.js';
import { HttpError, notFound } from '../http/http-error.js';
import type { DashboardSettings } from '../http/page-context.js';
import { type Answer, answerPage } from '../http/page-response.js';
import { type Html, html } from './html.js';
import { bareLayout } from './layout.js';

/** Headings of the errors of management. */
const TITLES: Readonly<Record<ManagementErrorCode, string>> = {
  invalid: 'Not valid',
  no_member: 'Not signed in',
  forbidden: 'Not allowed',
  not_found: 'Not found',
  version_conflict: 'Changed by somebody else',
  revoked: 'Revoked',
  idempotency_conflict: 'Already sent',
  unavailable: 'Not available',
};

const RETRY_HEADERS = Object.freeze({ 'Retry-After': '1' });

/** Converts a thrown value to an error page. For an unexpected error, the page says nothing about the cause. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (!(error instanceof ManagementError)) {
    return new HttpError(
      500,
      'Something went wrong',
      'The problem is on our side. Try again. If it happens again, contact the operator of this platform.',
    );
  }
  const { code, status, message } = error;
  if (code === 'not_found') return notFound();
  const text =
    code === 'unavailable' ? 'Your keys are not available at the moment. Try again later.' : sentenceOf(message);
  return new HttpError(status, TITLES[code], text, code === 'unavailable' ? RETRY_HEADERS : {});
}

/** A page without data of the member, so that it is the same for everybody. */
export function errorPage(site: DashboardSettings, base: string, error: HttpError): Answer {
  const { status, title, message, headers } = error;
  const main = html`<h1>${title}</h1>
<p>${message}</p>
<p>${nextStep(site, base, status)}</p>`;
  return answerPage(status, bareLayout({ title, base, stylesheet: site.stylesheet, main }), headers);
}

function nextStep({ signInUrl }: DashboardSettings, base: string, status: number): Html | undefined {
  if (status !== 401) return html`<a href="${base}/">Go to your keys</a>`;
  return signInUrl === undefined ? undefined : html`<a class="button" href="${signInUrl}">Sign in</a>`;
}

function sentenceOf(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
