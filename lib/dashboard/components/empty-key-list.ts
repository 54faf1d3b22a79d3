/** What a list of keys shows if it has no keys. */
import type { PageContext } from '../http/page-context.js';
import { missingPermission } from '../http/permissions.js';
import { ACCESS_KEYS, API_KEYS, type KeyType } from '../key-type.js';
import { CLOSE_QUOTE, type Html, html, OPEN_QUOTE } from './html.js';
import { KINDS } from './key-labels.js';

/** The text for a list whose filters match no key. */
export function nothingFound(
  keyType: KeyType,
  { text, state }: Readonly<Record<string, string | undefined>>,
  base: string,
): Html {
  return html`<div class="empty"><h2>No ${keyType.noun}s match your filters</h2>
<p>${text !== undefined && html`The search covers names, IDs and the last characters of keys. `}${
    state === undefined && `To find revoked keys, choose the state ${OPEN_QUOTE}Revoked${CLOSE_QUOTE}. `
  }<a href="${base}${keyType.list}">Clear filters</a></p></div>`;
}

/** The text for a list without filters, which leaves out revoked keys, if the account has no other keys. */
export function allRevoked({ noun }: KeyType, path: string): Html {
  return html`<div class="empty"><h2>No ${noun}s</h2>
<p>All your ${noun}s are revoked. <a href="${path}?state=revoked">View revoked keys</a></p></div>`;
}

/**
 * The text for a list without keys, if the member cannot create a key: the member lacks the permission, or the account
 * is disabled.
 */
export function noKeys(context: PageContext, { noun }: KeyType): Html {
  const missing = missingPermission(context, 'create');
  const text =
    missing === undefined
      ? html`You can create an ${noun} when your account is enabled again.`
      : html`You need the ${missing} role to create an ${noun}.`;
  return html`<div class="empty"><h2>No ${noun}s</h2>
<p>${text}</p></div>`;
}

/** The first page of an account without keys, for a member who can create one. */
export function firstRun({ base }: PageContext, keyType: KeyType): Html {
  const isApi = keyType === API_KEYS;
  const cards = isApi
    ? [
        { ...KINDS.secret, path: `${keyType.create}?kind=secret` },
        { ...KINDS.public, path: `${keyType.create}?kind=public` },
      ]
    : [{ ...KINDS.access, path: keyType.create }];
  return html`<div class="start"><h2>Create an ${keyType.noun}</h2>
${isApi && html`<p>Where will you use the key?</p>\n`}<ul class="cards">${cards.map(
    ({ title, use, path }) =>
      html`<li><a class="card" href="${base}${path}"><strong>${title}</strong> ${use}</a></li>
`,
  )}</ul>
<h2>Next steps</h2>
<ol class="steps"><li>Copy the ${isApi ? 'key' : 'client secret'}. ${isApi ? 'A secret key' : 'It'} is shown only once.</li>
<li>${isApi ? 'Send a request with the key. The page that shows the key also has a sample command.' : 'Obtain an access token with it. The page that shows the client secret also has a sample command.'}</li>
<li>Come back here to see when each key was last used and how many requests were made with it.</li></ol>
<p class="muted">${isApi ? html`If your server uses OAuth 2.0, create an <a href="${base}${ACCESS_KEYS.list}">access key</a> instead.` : html`If your server does not use OAuth 2.0, create an <a href="${base}${API_KEYS.list}">API key</a> instead.`}</p></div>`;
}
