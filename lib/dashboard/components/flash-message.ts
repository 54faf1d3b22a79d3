/** The message after an action. A parameter in the address of the next page names it, so no session is needed. */
import type { IncomingMessage } from 'node:http';
import type { PageContext } from '../http/page-context.js';
import { type KeyType, keyPath } from '../key-type.js';
import { CLOSE_QUOTE, type Html, html, OPEN_QUOTE, userText } from './html.js';

/** The name of the parameter. */
export const FLASH = 'done';

/** The name of the parameter with the ID of the key, for a page that lists several keys. */
export const FLASH_KEY = 'key';

type Message = (key: Html) => Html;

const MESSAGES: ReadonlyMap<string, Message> = new Map<string, Message>([
  ['revoked', (key) => html`${key} was revoked. It is no longer accepted.`],
  ['edited', (key) => html`${key} was updated.`],
  ['disabled', (key) => html`${key} was disabled. It is refused until you enable it.`],
  ['enabled', (key) => html`${key} was enabled.`],
  [
    'grace-ended',
    (key) => html`${key}: the grace period was ended. The old secret or public key is no longer accepted.`,
  ],
  [
    'secret-deleted',
    (key) => html`${key}: the client secret was deleted. Token requests with it are no longer accepted.`,
  ],
  [
    'public-key-added',
    (key) => html`${key}: the public key was added. The client can authenticate with its private key now.`,
  ],
  [
    'public-key-removed',
    (key) =>
      html`${key}: the public key was removed. Token requests that are signed with its private key are no longer accepted.`,
  ],
  ['tokens-revoked', (key) => html`${key}: the tokens were revoked. They are no longer accepted.`],
]);

/** @param name - The name of the key. Without it, the message says "The key". */
export function flashMessage({ fields }: PageContext, name: string | undefined, link?: Html): Html | undefined {
  const message = MESSAGES.get(fields.one(FLASH) ?? '');
  if (message === undefined) return undefined;
  return html`<p class="status" role="status">${message(name === undefined ? html`The key` : html`Key ${OPEN_QUOTE}${userText(name)}${CLOSE_QUOTE}`)}${link !== undefined && html` ${link}`}</p>`;
}

/** The message on a page that lists several keys. It names the key only if it belongs to the member's account. */
export async function listFlashMessage(context: PageContext, keyType: KeyType): Promise<Html | undefined> {
  const { site, member, fields, base } = context;
  const [done, id] = [fields.one(FLASH), fields.one(FLASH_KEY)];
  if (done === undefined) return undefined;
  const name = id === undefined ? undefined : (await site.management.keyNames(member, [id])).get(id);
  // The list hides revoked keys, so the message links to the key. Without a name, the ID is not of this account.
  const link =
    id === undefined || name === undefined
      ? html`<a href="${base}${keyType.list}?state=revoked">Revoked keys</a>`
      : html`<a href="${base}${keyPath(keyType, { id })}">View the revoked key</a>`;
  return flashMessage(context, name, done === 'revoked' ? link : undefined);
}

/** Another site or an email must not link to a page that says something was done when it was not. */
export function isFromThisOrigin({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  // Older browsers do not send it.
  return site === undefined || site === 'same-origin';
}
