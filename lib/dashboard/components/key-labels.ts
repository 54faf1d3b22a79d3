/** What pages call the kinds, environments, states and token bindings of keys. */
import type { Environment } from '../../credentials/environment.js';
import { missingNames } from '../../management/entitlement.js';
import type { KeyState, KeyView } from '../../management/keys/key-view.js';
import { type Html, html, join, userText } from './html.js';

/** What pages call each kind of key, and what they say about its use (docs/spec.md §2). */
export const KINDS = Object.freeze({
  secret: {
    word: 'Secret',
    title: 'Secret key',
    use: 'Use it on your servers. It gives access to the APIs that you choose. Keep it secret.',
  },
  public: {
    word: 'Public',
    title: 'Public key',
    use: 'Use it in browsers and mobile apps, and on e-commerce platforms. Anyone can see it. It gives access only to the APIs that you choose.',
  },
  access: {
    word: 'Access',
    title: 'Access key',
    use: 'Use it on servers that use OAuth 2.0. Your server obtains access tokens with it. Each token is valid for one hour and has only the scopes that you choose.',
  },
});

export const ENVIRONMENTS: Readonly<Record<Environment, string>> = Object.freeze({ live: 'Live', sandbox: 'Sandbox' });

export const STATES: Readonly<Record<KeyState, string>> = Object.freeze({
  active: 'Active',
  disabled: 'Disabled',
  expired: 'Expired',
  revoked: 'Revoked',
});

/**
 * The names of the token bindings that a key can require. A bound token works only with the private key of the client.
 */
export const TOKEN_BINDINGS = Object.freeze({
  none: 'Not required',
  any: 'DPoP or client certificate',
  dpop: 'DPoP',
  mtls: 'Client certificate',
});

/** Shows the hint of a secret, its last characters, without a line break. */
export function secretHint(hint: string): Html {
  return html`<code class="end">${hint}</code>`;
}

/** Maximum names that a cell of a table shows. */
const MAX_NAMES = 2;

export function stateBadge({ state }: Pick<KeyView, 'state'>): Html {
  return html`<span class="badge ${state}">${STATES[state]}</span>`;
}

/** Marks a sandbox key, so that nobody mistakes it for a live key. */
export function sandboxBadge({ environment }: Pick<KeyView, 'environment'>): Html | undefined {
  return environment === 'sandbox' ? html` <span class="badge sandbox">${ENVIRONMENTS.sandbox}</span>` : undefined;
}

export function shortList(names: 'all' | readonly string[]): Html {
  if (names === 'all' || names.length <= MAX_NAMES) return fullList(names);
  return html`${fullList(names.slice(0, MAX_NAMES))} <span class="muted">and ${names.length - MAX_NAMES} more</span>`;
}

/** Marks an API, scope or channel of a key that the account of the key can no longer use. */
export const NO_LONGER_AVAILABLE = html` <span class="muted">(no longer available to your account)</span>`;

/** @param ofAccount - The names that the account can use. Other names are marked, because the key cannot use them. */
export function fullList(names: 'all' | readonly string[], ofAccount: 'all' | readonly string[] = 'all'): Html {
  if (names === 'all') return html`All`;
  if (names.length === 0) return html`<span class="muted">None</span>`;
  const missing = missingNames(names, ofAccount);
  return join(
    names.map((name) => html`${userText(name)}${missing.includes(name) && NO_LONGER_AVAILABLE}`),
    html`, `,
  );
}

/** Warns that a new secret does not help, because the key is refused with every secret. */
export function refusedNote({ state, disabledAt }: KeyView): Html | undefined {
  if (state === 'active') return undefined;
  if (state === 'expired' && disabledAt !== null)
    return html`<p class="banner">This key has expired and is disabled. Every request with it is refused until you choose a later expiration date and enable the key.</p>`;
  const until = { disabled: ' until you enable it', expired: ' until you choose a later expiration date', revoked: '' };
  return html`<p class="banner">This key ${state === 'expired' ? 'has expired' : `is ${state}`}. Every request with it is refused${until[state]}.</p>`;
}

/** The requests that a disabled or revoked key ends: also those with the tokens of an access key. */
export function refusedRequests({ kind }: KeyView): string {
  return kind === 'access'
    ? 'Every token request with this key, and every request with an access token that was issued with it,'
    : 'Every request with this key';
}
