/** What a form has just done, as the word in the address of the page behind it says. */
import type { IncomingMessage } from 'node:http';
import { type Html, html } from './html.js';
import type { Visit } from './visit.js';

/** The parameter of the address. */
export const DONE = 'done';

const WORDS: ReadonlyMap<string, string> = new Map([
  ['deleted', 'The key was deleted. It is refused from now on.'],
  ['edited', 'The changes are saved. They hold from now on.'],
  ['disabled', 'It is disabled, and refused from now on.'],
  ['enabled', 'It is enabled again.'],
  ['grace-ended', 'The old one is refused from now on.'],
  ['secret-deleted', 'The Secret is refused from now on.'],
  ['tokens-revoked', 'The tokens that it bought are refused from now on.'],
]);

export function doneIn({ fields }: Visit): Html | undefined {
  const said = WORDS.get(fields.one(DONE) ?? '');
  return said === undefined ? undefined : html`<p class="status" role="status">${said}</p>`;
}

/** Whether a page was come to from one of this origin: a link in a mail must not claim that something was done here. */
export function isComeToFromHere({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  // Older browsers do not send it.
  return site === undefined || site === 'same-origin';
}
