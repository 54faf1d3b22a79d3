/** The message after an action, chosen by a parameter in the address of the next page. */
import type { IncomingMessage } from 'node:http';
import type { PageContext } from '../http/page-context.js';
import { type KeyType, keyPath } from '../key-type.js';
import { CLOSE_QUOTE, type Html, html, OPEN_QUOTE, userText } from './html.js';

/** The name of the parameter. */
export const FLASH = 'done';

/** The parameter with the ID of the key, on a page of several keys. */
export const FLASH_KEY = 'key';

type Message = (key: Html) => Html;

const MESSAGES: ReadonlyMap<string, Message> = new Map<string, Message>([
  ['revoked', (key) => html`${key} was revoked. It is refused from now on.`],
  ['edited', (key) => html`${key}: the changes are saved. They apply from now on.`],
  ['disabled', (key) => html`${key} was disabled. It is refused until you enable it.`],
  ['enabled', (key) => html`${key} was enabled.`],
  ['grace-ended', (key) => html`${key}: the grace period ended. The old value is refused from now on.`],
  [
    'secret-deleted',
    (key) => html`${key}: the client secret was deleted. Token requests with it are refused from now on.`,
  ],
  [
    'public-key-added',
    (key) => html`${key}: the public key was added. The client can authenticate with its private key now.`,
  ],
  [
    'public-key-removed',
    (key) =>
      html`${key}: the public key was removed. Assertions that are signed with its private key are refused from now on.`,
  ],
  ['tokens-revoked', (key) => html`${key}: the tokens were revoked. They are refused from now on.`],
]);

/**
 * @param name - The name of the key; without it, the message says "The key".
 * @param link - Where to go on.
 */
export function flashMessage({ fields }: PageContext, name: string | undefined, link?: Html): Html | undefined {
  const message = MESSAGES.get(fields.one(FLASH) ?? '');
  if (message === undefined) return undefined;
  return html`<p class="status" role="status">${message(name === undefined ? html`The key` : html`Key ${OPEN_QUOTE}${userText(name)}${CLOSE_QUOTE}`)}${link !== undefined && html` ${link}`}</p>`;
}

/** The message on a page of several keys. Only a key of the member's account is named. */
export async function listFlashMessage(context: PageContext, keyType: KeyType): Promise<Html | undefined> {
  const { site, member, fields, base } = context;
  const [done, id] = [fields.one(FLASH), fields.one(FLASH_KEY)];
  if (done === undefined) return undefined;
  const name = id === undefined ? undefined : (await site.management.keyNames(member, [id])).get(id);
  // The list does not show a revoked key. The key is unknown if it has no name.
  const link =
    id === undefined || name === undefined
      ? html`<a href="${base}${keyType.list}?state=revoked">Revoked keys</a>`
      : html`<a href="${base}${keyPath(keyType, { id })}">View the revoked key</a>`;
  return flashMessage(context, name, done === 'revoked' ? link : undefined);
}

/** A link on another site or in an email must not be able to show a message about an action. */
export function isFromThisOrigin({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  // Older browsers do not send it.
  return site === undefined || site === 'same-origin';
}
