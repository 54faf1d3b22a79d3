/** Error pages with the navigation, and with a link back to the key or to the list of keys. */
import { ManagementError, type ManagementErrorCode } from '../../management/management-error.js';
import { html } from '../components/html.js';
import { layout } from '../components/layout.js';
import { TOKEN_FIELD } from '../http/csrf-token.js';
import { keyIdIn, type Page, type PageContext } from '../http/page-context.js';
import { htmlResponse } from '../http/page-response.js';
import { toHttpError } from '../http/to-http-error.js';
import type { KeyType } from '../key-type.js';

/** Errors that a member can cause in normal use. For any other error, the page has no navigation. */
const EXPECTED: readonly ManagementErrorCode[] = [
  ...(['invalid', 'forbidden', 'version_conflict', 'revoked', 'idempotency_conflict'] as const),
];

/** Wraps a page. If management refuses the request, the member sees why, and a link back. */
export function withErrorPage(keyType: KeyType, page: Page): Page {
  return async (context) => {
    try {
      return await page(context);
    } catch (error) {
      if (!(error instanceof ManagementError) || !EXPECTED.includes(error.code)) throw error;
      const { status, title, message } = toHttpError(error);
      // The message for an idempotency conflict already says that this submission was ignored.
      const saysNoChanges = context.fields.has(TOKEN_FIELD) && error.code !== 'idempotency_conflict';
      const main = html`<h1>${title}</h1>
<p role="alert">${saysNoChanges && 'No changes were made. '}${message}</p>
<p><a class="button" href="${context.base}${pathBack(keyType, context)}">Go back</a></p>`;
      return htmlResponse(status, layout(context, { title, tab: keyType.name, main }));
    }
  };
}

function pathBack(keyType: KeyType, context: PageContext): string {
  const id = keyIdIn(context);
  return id === '' ? keyType.list : `${keyType.path}/${encodeURIComponent(id)}`;
}
