/**
 * If a member searches for a complete secret, the search is shortened to the last characters of the secret. Otherwise,
 * the secret would stay in the URL of the page, and the browser history would store it.
 */
import { HINT_LENGTH } from '../../credentials/secret-hint.js';
import { WHOLE_SECRET } from '../../credentials/whole-secret.js';
import { FLASH } from '../components/flash-message.js';
import { type Html, html } from '../components/html.js';
import type { Page, PageContext } from './page-context.js';
import { seeOther } from './page-response.js';
import { filtersIn, queryString } from './query-string.js';

/** The value of the query parameter `FLASH` that shows the message about the shortened search. */
const SHORTENED = 'shortened';

/** The last characters of the complete secret in a text; `undefined` if the text contains no complete secret. */
export function lastCharactersOfSecret(text: string): string | undefined {
  return WHOLE_SECRET.exec(text)?.[0].slice(-HINT_LENGTH);
}

/**
 * Wraps a page that has a search. A search for a complete secret is redirected to a search for its last characters.
 *
 * @param field - The query parameter that could contain the secret.
 */
export function redirectWholeSecret(path: string, query: readonly string[], field: string, page: Page): Page {
  return async (context) => {
    const text = lastCharactersOfSecret(context.fields.one(field) ?? '');
    if (text === undefined) return await page(context);
    const others = filtersIn(context.fields, query);
    return seeOther(`${context.base}${path}${queryString({ ...others, [field]: text, [FLASH]: SHORTENED })}`);
  };
}

/**
 * The message that the search was shortened. It is hidden on other pages with a search, where the script can show it
 * when the member pastes a secret.
 */
export function shortenedNote({ fields }: PageContext): Html {
  const isShown = fields.one(FLASH) === SHORTENED;
  return html`<p class="banner" role="status" id="shortened"${!isShown && html` hidden`}>The search contained a complete key or secret. It was shortened to its last characters, so that the complete value is not stored in the browser history.</p>`;
}
