/** The message after an action, chosen by a parameter in the address of the next page. */
import type { IncomingMessage } from 'node:http';
import type { PageContext } from '../http/page-context.js';
import { type Html, html } from './html.js';

/** The name of the parameter. */
export const FLASH = 'done';

const MESSAGES: ReadonlyMap<string, string> = new Map([
  ['revoked', 'The key was revoked. It is refused from now on.'],
  ['edited', 'The changes are saved. They apply from now on.'],
  ['disabled', 'The key is disabled. It is refused until you enable it.'],
  ['enabled', 'The key is enabled.'],
  ['grace-ended', 'The grace period ended. Only the new one is accepted from now on.'],
  ['secret-deleted', 'The secret was deleted. It is refused from now on.'],
  ['public-key-added', 'The public key was added. The client can authenticate with its private key now.'],
  [
    'public-key-removed',
    'The public key was removed. Assertions that are signed with its private key are refused from now on.',
  ],
  ['tokens-revoked', 'The tokens were revoked. They are refused from now on.'],
]);

export function flashMessage({ fields }: PageContext): Html | undefined {
  const message = MESSAGES.get(fields.one(FLASH) ?? '');
  return message === undefined ? undefined : html`<p class="status" role="status">${message}</p>`;
}

/** A link on another site or in an email must not be able to show a message about an action. */
export function isFromThisOrigin({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  // Older browsers do not send it.
  return site === undefined || site === 'same-origin';
}
