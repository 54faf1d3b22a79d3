/** Confirmation pages for the end of one credential of a key. It cannot be undone, so each says when it was last used. */
import type { KeyView, PublicKeyView, SecretView } from '../../management/keys/key-view.js';
import { hidden } from '../components/controls.js';
import { html } from '../components/html.js';
import { secretWord } from '../components/key-labels.js';
import { lastUse } from '../components/recent-use.js';
import { timeWithAge } from '../components/times.js';
import { notFound } from '../http/http-error.js';
import type { Page, PageContext } from '../http/page-context.js';
import { ACCESS_KEYS, type KeyType } from '../key-type.js';
import { confirmPage } from './confirm-pages.js';

/** `GET …/end-grace/confirm` */
export function endGracePage(keyType: KeyType): Page {
  return confirmPage(keyType, {
    ...{ action: 'rotate', title: 'End the grace period', path: 'end-grace', isFinal: true },
    effect(key, { now }) {
      const { hint, acceptedUntil } = secretInGrace(key);
      return html`<p>Every request with the old ${secretWord(key)} <code>${hint}</code> will be refused. This cannot be undone. Without this, it is accepted until ${acceptedUntil !== null && timeWithAge(acceptedUntil, now)}.</p>`;
    },
    use: (key, { now }) => lastUse(secretInGrace(key), now),
  });
}

/** `GET /access-keys/:id/secrets/delete/confirm` */
export const deleteSecretPage: Page = confirmPage(ACCESS_KEYS, {
  ...{ action: 'rotate', title: 'Delete a secret', path: 'secrets/delete', isFinal: true },
  effect: (key, context) =>
    html`<p>Every request with the client secret <code>${secretOf(key, context).hint}</code> will be refused. This cannot be undone.</p>`,
  use: (key, context) => lastUse(secretOf(key, context), context.now),
  fields: (key, context) => hidden('secret', secretOf(key, context).id),
});

/** `GET /access-keys/:id/public-keys/remove/confirm` */
export const removePublicKeyPage: Page = confirmPage(ACCESS_KEYS, {
  ...{ action: 'rotate', title: 'Remove a public key', path: 'public-keys/remove', isFinal: true },
  effect: (key, context) =>
    html`<p>Assertions that are signed with the private key of <code>${publicKeyOf(key, context).kid}</code> will be refused. Tokens that the client has obtained stay valid.</p>`,
  use: (key, context) => lastUse(publicKeyOf(key, context), context.now),
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
