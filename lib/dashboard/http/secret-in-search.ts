/**
 * Shortens a search for a whole secret to its last characters, which is all of it that a search can find. In the
 * address of the page, the secret would stay in the history of the browser and in access logs.
 */
import { FLASH } from '../components/flash-message.js';
import { type Html, html } from '../components/html.js';
import type { Page, PageContext } from './page-context.js';
import { seeOther } from './page-response.js';
import { filtersIn, queryString } from './query-string.js';

/**
 * A key of this platform or of another one, such as `sk_live_` and 24 characters; or a client secret, which is 64 bytes
 * in base64url. IDs of keys do not match. The script of the pages uses it too.
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

/** The notice that a secret was shortened. It is hidden until then: `secret-in-search-script.ts` shows it. */
export function shortenedNote({ fields }: PageContext): Html {
  const isShown = fields.one(FLASH) === SHORTENED;
  return html`<p class="banner" role="status" id="shortened"${!isShown && html` hidden`}>You searched for a complete key or secret. The search was shortened to the last characters, so that the browser history does not store the secret.</p>`;
}
