import type { HttpError } from '../http/http-error.js';
import type { DashboardSettings } from '../http/page-context.js';
import { htmlResponse, type PageResponse } from '../http/page-response.js';
import { type Html, html } from './html.js';
import { bareLayout } from './layout.js';

/**
 * An error page without navigation. It shows no keys, because the member may not be known, or the request may come from
 * another site.
 */
export function errorPage(site: DashboardSettings, base: string, error: HttpError): PageResponse {
  const { status, title, message, headers } = error;
  const main = html`<h1>${title}</h1>
<p>${message}</p>
${nextStep(site, base, status)}`;
  return htmlResponse(
    status,
    bareLayout({ title, product: site.productName, base, stylesheet: site.stylesheet, main }),
    headers,
  );
}

function nextStep({ signInUrl }: DashboardSettings, base: string, status: number): Html | undefined {
  if (status !== 401) return html`<p><a href="${base}/">Go to your keys</a></p>`;
  return signInUrl === undefined ? undefined : html`<p><a class="button" href="${signInUrl}">Sign in</a></p>`;
}
