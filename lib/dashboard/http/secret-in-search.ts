/**
 * Shortens a whole secret in a search to its last characters, the only part of a secret that a search can find. The URL
 * of the page would otherwise contain the secret, and the browser history and access logs would store it.
 */
import { FLASH } from '../components/flash-message.js';
import { type Html, html } from '../components/html.js';
import type { Page, PageContext } from './page-context.js';
import { seeOther } from './page-response.js';
import { filtersIn, queryString } from './query-string.js';

/**
 * Matches an API key of this or another platform: `sk_` or `pk_`, an optional word such as `live_`, and at least 24
 * letters or digits; or a client secret (86 characters, which are 64 bytes in base64url). It does not match an ID that
 * keyward made. The script in secret-in-search-script.ts uses the same expression.
 */
export const WHOLE_SECRET = /(?:^|[^a-z0-9])[sp]k_(?:[a-z]{2,8}_)?[a-z0-9]{24,}|(?:^|[^\w-])[\w-]{86}(?![\w-])/i;

/** As many characters as a hint shows. */
export const HINT_LENGTH = 4;

/** The value of `FLASH` after a secret was shortened. */
const SHORTENED = 'shortened';

/** The last characters of the whole secret in a text; `undefined` if there is none. */
export function lastCharactersOfSecret(text: string): string | undefined {
  return WHOLE_SECRET.exec(text)?.[0].slice(-HINT_LENGTH);
}

/**
 * Wraps a page that has a search. A search for a whole secret is redirected to the search for its last characters.
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

/** The message that the search was shortened. Every page with a search contains it, so that the script can show it. */
export function shortenedNote({ fields }: PageContext): Html {
  const isShown = fields.one(FLASH) === SHORTENED;
  return html`<p class="banner" role="status" id="shortened"${!isShown && html` hidden`}>You searched for a complete key or secret. The search was shortened to its last characters, so that the complete value is not stored in the browser history.</p>`;
}
