/**
 * The message after an action, such as "The key was updated." The URL of the next page says which message to show, so
 * the server does not have to store the message in a session.
 */
import type { IncomingMessage } from 'node:http';
import type { PageContext } from '../http/page-context.js';
import { type KeyType, keyPath } from '../key-type.js';
import { CLOSE_QUOTE, type Html, html, OPEN_QUOTE, userText } from './html.js';

/** The query parameter that says which message to show, such as `?done=edited`. */
export const FLASH = 'done';

/** The query parameter with the ID of the key that the message is about, on a page that lists several keys. */
export const FLASH_KEY = 'key';

type Message = (key: Html, secret: string) => Html;

const MESSAGES: ReadonlyMap<string, Message> = new Map<string, Message>([
  ['revoked', (key) => html`The ${key} was revoked. It is no longer accepted.`],
  ['edited', (key) => html`The ${key} was updated.`],
  ['disabled', (key) => html`The ${key} was disabled. Requests with it are refused until you enable it.`],
  ['enabled', (key) => html`The ${key} was enabled.`],
  [
    'grace-ended',
    (key, secret) => html`The grace period of the ${key} has ended. The old ${secret} is no longer accepted.`,
  ],
  [
    'secret-deleted',
    (key) => html`A client secret was deleted from the ${key}. Token requests with this secret are no longer accepted.`,
  ],
  [
    'public-key-added',
    (key) => html`A public key was added to the ${key}. The client can now authenticate with the matching private key.`,
  ],
  [
    'public-key-removed',
    (key) =>
      html`A public key was removed from the ${key}. The client can no longer authenticate with the matching private key.`,
  ],
  ['tokens-revoked', (key) => html`All tokens of the ${key} were revoked. They are no longer accepted.`],
]);

/**
 * Returns the message that the query of the page asks for; `undefined` if it asks for none.
 *
 * @param name - The name of the key. Without it, the message says "The key".
 * @param secret - The noun for the secret of the key, such as `client secret`.
 * @param link - Shown after the message.
 */
export function flashMessage(
  { fields }: PageContext,
  name: string | undefined,
  { secret = 'secret', link }: { readonly secret?: string; readonly link?: Html | undefined } = {},
): Html | undefined {
  const message = MESSAGES.get(fields.one(FLASH) ?? '');
  if (message === undefined) return undefined;
  const key = name === undefined ? html`key` : html`key ${OPEN_QUOTE}${userText(name)}${CLOSE_QUOTE}`;
  return html`<p class="status" role="status">${message(key, secret)}${link !== undefined && html` ${link}`}</p>`;
}

/** The message on a page that lists several keys. It names the key only if the key belongs to the member's account. */
export async function listFlashMessage(context: PageContext, keyType: KeyType): Promise<Html | undefined> {
  const { site, member, fields, base } = context;
  const [done, id] = [fields.one(FLASH), fields.one(FLASH_KEY)];
  if (done === undefined) return undefined;
  const name = id === undefined ? undefined : (await site.management.keyNames(member, [id])).get(id);
  // The list does not show revoked keys, so the message links to the key. If no name was found, the key has no name or
  // belongs to another account: the message then links to the list of revoked keys.
  const link =
    id === undefined || name === undefined
      ? html`<a href="${base}${keyType.list}?state=revoked">View revoked keys</a>`
      : html`<a href="${base}${keyPath(keyType, { id })}">View the revoked key</a>`;
  return flashMessage(context, name, { link: done === 'revoked' ? link : undefined });
}

/**
 * Whether a page of this origin sent the request. Otherwise, `FLASH` is ignored: a link on another site or in an email
 * must not show a message about an action that did not happen.
 */
export function isFromThisOrigin({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  // Older browsers do not send this header. Their requests are treated as if they came from this origin.
  return site === undefined || site === 'same-origin';
}
