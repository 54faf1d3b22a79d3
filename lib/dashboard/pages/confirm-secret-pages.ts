/** Confirmation pages for the end of one credential of a key. It cannot be undone, so each says when it was last used. */
import type { KeyView, PublicKeyView, SecretView } from '../../management/keys/key-view.js';
import { hidden } from '../components/controls.js';
import { type Html, html } from '../components/html.js';
import { secretEnd, secretWord } from '../components/key-labels.js';
import { lastUseOf } from '../components/recent-use.js';
import { timeWithAge } from '../components/times.js';
import { notFound } from '../http/http-error.js';
import type { Page, PageContext } from '../http/page-context.js';
import { ACCESS_KEYS, type KeyType, keyPath } from '../key-type.js';
import { confirmPage } from './confirm-pages.js';

/** `GET …/end-grace/confirm` */
export function endGracePage(keyType: KeyType): Page {
  return confirmPage(keyType, {
    ...{ action: 'rotate', title: 'End the grace period', path: 'end-grace', isDanger: true },
    heading: 'End the grace period of',
    effect(key, { now }) {
      const { hint, acceptedUntil } = secretInGrace(key);
      return html`<p>Every request with the old ${secretWord(key)} ${secretEnd(hint)} is refused at once. This cannot be undone. Without this, it is accepted until ${acceptedUntil !== null && timeWithAge(acceptedUntil, now)}.</p>`;
    },
    use(key, { now }) {
      const secret = secretInGrace(key);
      return lastUseOf(secretEnd(secret.hint), secret, now);
    },
  });
}

/** `GET /access-keys/:id/secrets/delete/confirm` */
export const deleteSecretPage: Page = confirmPage(ACCESS_KEYS, {
  ...{ action: 'rotate', title: 'Delete', heading: 'Delete a secret of', path: 'secrets/delete', isDanger: true },
  button: (key, context) => `Delete ${secretOf(key, context).hint}`,
  effect: (key, context) =>
    html`<p>Every token request with the client secret ${secretEnd(secretOf(key, context).hint)} is refused at once. This cannot be undone. Tokens that were already issued stay valid until they expire: to refuse them too, <a href="${context.base}${keyPath(ACCESS_KEYS, key)}/revoke-tokens/confirm">revoke the tokens</a>.</p>
${otherUnused(key, context)}`,
  use(key, context) {
    const secret = secretOf(key, context);
    return lastUseOf(secretEnd(secret.hint), secret, context.now);
  },
  fields: (key, context) => hidden('secret', secretOf(key, context).id),
});

/** Warns if the secret was used and the other one was not: its clients could obtain no more tokens. */
function otherUnused(key: KeyView, context: PageContext): Html | undefined {
  const secret = secretOf(key, context);
  const other = key.secrets.find(({ id, state }) => id !== secret.id && state === 'current');
  if (other === undefined || other.lastUsedAt !== null || secret.lastUsedAt === null) return undefined;
  return html`<p class="banner">${secretEnd(other.hint)}, the other client secret, was never used. Clients probably still use ${secretEnd(secret.hint)}: if you delete it, they can obtain no more tokens. First update them to ${secretEnd(other.hint)}.</p>`;
}

/** `GET /access-keys/:id/public-keys/remove/confirm` */
export const removePublicKeyPage: Page = confirmPage(ACCESS_KEYS, {
  ...{ action: 'rotate', title: 'Remove', heading: 'Remove a public key of', path: 'public-keys/remove' },
  ...{ button: () => 'Remove a public key', isDanger: true },
  effect: (key, context) =>
    html`<p>Assertions that are signed with the private key of <code>${publicKeyOf(key, context).kid}</code> are refused at once. Tokens that the client has obtained stay valid.</p>`,
  use: (key, context) => lastUseOf(html`The public key`, publicKeyOf(key, context), context.now),
  fields: (key, context) => hidden('kid', publicKeyOf(key, context).kid),
});

/** @throws HttpError 404 if the key was not rotated, or the grace period is over. */
function secretInGrace({ secrets }: KeyView): SecretView {
  return known(secrets.find(({ state }) => state === 'grace_period'));
}

/** @throws HttpError 404 if the key has no such secret, or it has ended. */
function secretOf({ secrets }: KeyView, { fields }: PageContext): SecretView {
  return known(secrets.find(({ id, state }) => id === fields.one('secret') && state === 'current'));
}

/** @throws HttpError 404 if the key has no such public key. */
function publicKeyOf({ publicKeys }: KeyView, { fields }: PageContext): PublicKeyView {
  return known(publicKeys.find(({ kid }) => kid === fields.one('kid')));
}

function known<T>(found: T | undefined): T {
  if (found === undefined) throw notFound();
  return found;
}
