/** The section about secrets on the page of a key. It shows the state and the last use of each secret. */
import type { KeyView, SecretView } from '../../management/keys/key-view.js';
import { secretNoun } from '../../management/keys/secret-noun.js';
import type { PageContext } from '../http/page-context.js';
import { missingPermission } from '../http/permissions.js';
import { queryString } from '../http/query-string.js';
import { ACCESS_KEYS, type KeyType, keyPath } from '../key-type.js';
import { secretObstacle } from '../rotation-obstacle.js';
import { actionLink } from './controls.js';
import { type Html, html } from './html.js';
import { secretHint } from './key-labels.js';
import { lastUse } from './recent-use.js';
import { timeAgo, timeWithAge } from './times.js';

/**
 * Milliseconds after a rotation until a use of the old secret is certainly stored. A verifier records one use a minute,
 * the store writes it within 5 s, and the rotation reaches every process within 5 s.
 */
const USES_STORED_AFTER_MS = 70_000;

/**
 * Milliseconds by which the clocks of the servers and of the database may differ. One clock gives the time of a
 * rotation, and another gives the time of a use. If the two times are closer than this, it is unknown which came first.
 */
const CLOCK_DIFFERENCE_MS = 300_000;

const TITLES: Readonly<Record<KeyView['kind'], string>> = Object.freeze({
  secret: 'Secrets',
  public: 'Public keys',
  access: 'Client secrets',
});

/** @param isAccountDisabled - Whether the account of the key is disabled. A key then cannot get a new secret. */
export function secretsSection(context: PageContext, keyType: KeyType, key: KeyView, isAccountDisabled: boolean): Html {
  const live = key.secrets.filter(({ state }) => state !== 'ended');
  const ended = key.secrets.filter(({ state }) => state === 'ended');
  const { now } = context;
  const canAdd =
    keyType === ACCESS_KEYS && key.state !== 'revoked' && secretObstacle(key, isAccountDisabled) === undefined;
  return html`<div class="head section"><h2 id="secrets">${TITLES[key.kind]}</h2>${canAdd && addLink(context, key)}</div>
${key.secrets.length === 0 && html`<p>This key has no client secrets.${key.state !== 'revoked' && ' The client authenticates with a public key.'}</p>`}
${live.length > 0 && html`<div class="panels">${live.map((secret) => secretPanel(context, keyType, key, secret, live))}</div>`}
${ended.length > 0 && html`<h3>No longer accepted</h3><ul>${ended.map((secret) => html`<li>${secretHint(secret.hint)}: ${lastUse(secret, now)}</li>`)}</ul>`}`;
}

function addLink(context: PageContext, key: KeyView): Html | undefined {
  const missing = missingPermission(context, 'rotate');
  // A member without the permission sees the disabled action in the menu of the page, so it is not repeated here.
  if (missing !== undefined) return undefined;
  return actionLink({
    href: `${context.base}${keyPath(ACCESS_KEYS, key)}/secrets/confirm`,
    title: 'Add a client secret',
    missing,
  });
}

function secretPanel(
  context: PageContext,
  keyType: KeyType,
  key: KeyView,
  secret: SecretView,
  live: readonly SecretView[],
): Html {
  const { now } = context;
  const isNewest = secret.state === 'current' && live.some(({ state }) => state === 'grace_period');
  return html`<section class="panel"><h3>${secretHint(secret.hint)}${isNewest && html` <span class="badge active">Current</span>`}</h3>
<p>Created on ${timeWithAge(secret.createdAt, now)}.</p>
${key.state === 'disabled' && html`<p>This ${secretNoun(key)} is refused while the key is disabled.</p>`}
${secret.state === 'grace_period' && secret.acceptedUntil !== null && html`<p>This is the old ${secretNoun(key)}. Its grace period ends on ${timeWithAge(secret.acceptedUntil, now)}. ${useSinceRotation(context, secret, rotationOf(key, secret))}</p>`}
<p>${lastUse(secret, now)}</p>
${key.state !== 'revoked' && endSecretLink(context, keyType, key, secret, live)}
</section>`;
}

/** When a rotation replaced a secret: the time of the next newer secret, even if that was deleted since. */
export function rotationOf({ secrets }: KeyView, old: SecretView): Date | undefined {
  return secrets[secrets.indexOf(old) - 1]?.createdAt;
}

/** Says whether clients still use the old secret, so that a member knows when to end its grace period. */
function useSinceRotation(
  { now }: PageContext,
  { lastUsedAt }: SecretView,
  rotatedAt: Date | undefined,
): Html | undefined {
  if (rotatedAt === undefined) return undefined;
  const isRecent = now - rotatedAt.getTime() <= USES_STORED_AFTER_MS + CLOCK_DIFFERENCE_MS;
  const usedAfter = lastUsedAt === null ? Number.NEGATIVE_INFINITY : lastUsedAt.getTime() - rotatedAt.getTime();
  if (usedAfter > CLOCK_DIFFERENCE_MS || (isRecent && usedAfter > 0))
    return html`<strong>It has been used since the rotation (${timeAgo(rotatedAt, now)}).</strong>`;
  if (isRecent)
    return html`No use has been recorded since the rotation (${timeAgo(rotatedAt, now)}). Recent uses may be missing, so check this page again about 6 minutes after the rotation.`;
  if (usedAfter >= -CLOCK_DIFFERENCE_MS)
    return html`It was last used at about the time of the rotation (${timeAgo(rotatedAt, now)}).`;
  return html`<strong>It has not been used since the rotation (${timeAgo(rotatedAt, now)}).</strong>`;
}

function endSecretLink(
  context: PageContext,
  keyType: KeyType,
  key: KeyView,
  secret: SecretView,
  live: readonly SecretView[],
): Html | undefined {
  const path = `${context.base}${keyPath(keyType, key)}`;
  const missing = missingPermission(context, 'rotate');
  if (secret.state === 'grace_period') {
    return actionLink({ href: `${path}/end-grace/confirm`, title: 'End the grace period now', missing });
  }
  const isLast = live.filter(({ state }) => state === 'current').length === 1 && key.publicKeys.length === 0;
  if (keyType !== ACCESS_KEYS || isLast) return undefined;
  const href = `${path}/secrets/delete/confirm${queryString({ secret: secret.id })}`;
  return actionLink({ href, title: 'Delete this client secret', missing });
}
