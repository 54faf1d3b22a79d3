/** What pages say of a key. */
import type { Environment } from '../credentials/kind.js';
import type { KeyState, KeyView } from '../management/key-view.js';
import { chosen, type Html, html, joined } from './html.js';

/** What each kind is for, in a sentence (spec section 2). */
export const KINDS = Object.freeze({
  secret: {
    word: 'Secret',
    title: 'Secret key',
    use: 'For your servers. It reaches the APIs that you choose; keep it where nobody else can read it.',
  },
  public: {
    word: 'Public',
    title: 'Public key',
    use: 'For browsers, mobile apps and e-commerce platforms. It may be seen, and reaches only the APIs that you list.',
  },
  access: {
    word: 'Access',
    title: 'Access key',
    use: 'For servers that speak OAuth 2.0. It buys access tokens, each for an hour and for the scopes that it needs.',
  },
});

export const ENVIRONMENTS: Readonly<Record<Environment, string>> = Object.freeze({ live: 'Live', sandbox: 'Sandbox' });

export const STATES: Readonly<Record<KeyState, string>> = Object.freeze({
  active: 'Active',
  disabled: 'Disabled',
  expired: 'Expired',
  revoked: 'Deleted',
});

/** How many names of a list stand in a table. */
const SHOWN = 2;

export function stateOf({ state }: Pick<KeyView, 'state'>): Html {
  return html`<span class="badge ${state}">${STATES[state]}</span>`;
}

/** A list of APIs, scopes or channels; of a long one the first. */
export function few(names: 'all' | readonly string[]): Html {
  if (names === 'all' || names.length <= SHOWN) return every(names);
  return html`${every(names.slice(0, SHOWN))} <span class="muted">and ${names.length - SHOWN} more</span>`;
}

export function every(names: 'all' | readonly string[]): Html {
  if (names === 'all') return html`All`;
  if (names.length === 0) return html`<span class="muted">None</span>`;
  return joined(names.map(chosen), html`, `);
}
