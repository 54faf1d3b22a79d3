/**
 * The confirmation pages for ending a grace period, deleting a client secret and removing a public key. Each page says
 * when the secret or public key was last used, because a client may still need it.
 */
import type { KeyView, PublicKeyView, SecretView } from '../../management/keys/key-view.js';
import { secretNoun } from '../../management/keys/secret-noun.js';
import { hidden } from '../components/controls.js';
import { type Html, html } from '../components/html.js';
import { refusedNote, secretHint } from '../components/key-labels.js';
import { lastUseOf } from '../components/recent-use.js';
import { timeWithAge } from '../components/times.js';
import { notFound } from '../http/http-error.js';
import type { Page, PageContext } from '../http/page-context.js';
import { ACCESS_KEYS, type KeyType, keyPath } from '../key-type.js';
import { confirmPage } from './confirm-pages.js';

export function endGracePage(keyType: KeyType): Page {
  return confirmPage(keyType, {
    ...{ action: 'rotate', title: 'End the grace period', path: 'end-grace', isDanger: true },
    heading: 'End the grace period of',
    effect(key, { now }) {
      const { hint, acceptedUntil } = secretInGrace(key);
      return html`<p>Every ${key.kind === 'access' ? 'token request' : 'request'} with the old ${secretNoun(key)} ${secretHint(hint)} will be refused immediately. This cannot be undone. If you do not end the grace period now, it will end on ${acceptedUntil !== null && timeWithAge(acceptedUntil, now)}.</p>
${refusedNote(key)}`;
    },
    use(key, { now }) {
      const secret = secretInGrace(key);
      return lastUseOf(html`The old ${secretNoun(key)}`, secret, now);
    },
  });
}

export const deleteSecretPage: Page = confirmPage(ACCESS_KEYS, {
  ...{
    action: 'rotate',
    title: 'Delete',
    heading: 'Delete a client secret from',
    path: 'secrets/delete',
    isDanger: true,
  },
  button: (key, context) => `Delete client secret ${secretOf(key, context).hint}`,
  effect: (key, context) =>
    html`<p>Every token request with the client secret ${secretHint(secretOf(key, context).hint)} will be refused immediately. This cannot be undone. ${tokensStayValid(key, context)}</p>
${otherUnused(key, context)}`,
  use(key, context) {
    const secret = secretOf(key, context);
    return lastUseOf(html`The client secret ${secretHint(secret.hint)}`, secret, context.now);
  },
  fields: (key, context) => hidden('secret', secretOf(key, context).id),
});

/** Warns if the other secret was never used. Clients then probably need the secret that the member wants to delete. */
function otherUnused(key: KeyView, context: PageContext): Html | undefined {
  const secret = secretOf(key, context);
  const other = key.secrets.find(({ id, state }) => id !== secret.id && state === 'current');
  if (other === undefined || other.lastUsedAt !== null || secret.lastUsedAt === null) return undefined;
  return html`<p class="banner">The other client secret ${secretHint(other.hint)} has never been used. Clients probably still use ${secretHint(secret.hint)}. Update them to use ${secretHint(other.hint)} first. Otherwise, they will no longer be able to obtain tokens.</p>`;
}

function tokensStayValid(key: KeyView, { base }: PageContext): Html {
  return html`Tokens that were already issued stay valid until they expire, unless you also <a href="${base}${keyPath(ACCESS_KEYS, key)}/revoke-tokens/confirm">revoke the tokens</a>.`;
}

export const removePublicKeyPage: Page = confirmPage(ACCESS_KEYS, {
  ...{ action: 'rotate', title: 'Remove', heading: 'Remove a public key from', path: 'public-keys/remove' },
  ...{ button: () => 'Remove this public key', isDanger: true },
  effect: (key, context) =>
    html`<p>The public key <code>${publicKeyOf(key, context).kid}</code> will be removed. Every token request that uses the matching private key will be refused immediately. ${tokensStayValid(key, context)}</p>`,
  use: (key, context) => lastUseOf(html`The public key`, publicKeyOf(key, context), context.now),
  fields: (key, context) => hidden('kid', publicKeyOf(key, context).kid),
});

/** The old secret of a rotated key. @throws HttpError 404 if no secret is in its grace period. */
function secretInGrace({ secrets }: KeyView): SecretView {
  return orNotFound(secrets.find(({ state }) => state === 'grace_period'));
}

/** The secret whose ID is in the query. @throws HttpError 404 if it is not a current secret of the key. */
function secretOf({ secrets }: KeyView, { fields }: PageContext): SecretView {
  return orNotFound(secrets.find(({ id, state }) => id === fields.one('secret') && state === 'current'));
}

function publicKeyOf({ publicKeys }: KeyView, { fields }: PageContext): PublicKeyView {
  return orNotFound(publicKeys.find(({ kid }) => kid === fields.one('kid')));
}

function orNotFound<T>(found: T | undefined): T {
  if (found === undefined) throw notFound();
  return found;
}
