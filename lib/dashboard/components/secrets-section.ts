/** The secrets of a key: current, in their grace period, or ended, and when each was last used. */
import type { KeyView, SecretView } from '../../management/keys/key-view.js';
import type { PageContext } from '../http/page-context.js';
import { missingPermission } from '../http/permissions.js';
import { queryString } from '../http/query-string.js';
import { ACCESS_KEYS, type KeyType, keyPath } from '../key-type.js';
import { mayAddSecret } from '../rotation-obstacle.js';
import { actionLink } from './controls.js';
import { type Html, html } from './html.js';
import { secretHint, secretNoun } from './key-labels.js';
import { lastUse } from './recent-use.js';
import { timeAgo, timeWithAge } from './times.js';

/**
 * Milliseconds after a rotation until a use of the old secret is certainly stored: verifiers record one use a minute,
 * the store writes it within 5 s, and the rotation reaches every process within 5 s.
 */
const USES_STORED_AFTER_MS = 70_000;

/**
 * Milliseconds by which the clock of the machine that rotated the key, the clock of this machine and that of the
 * database, which stamps the uses, may differ. Within this time, it is unknown whether a use was before the rotation.
 */
const CLOCK_DIFFERENCE_MS = 300_000;

const TITLES: Readonly<Record<KeyView['kind'], string>> = Object.freeze({
  secret: 'Secrets',
  public: 'Public keys',
  access: 'Client secrets',
});

/** @param isAccountDisabled - Whether the account of the key is disabled: it then gets no new secret. */
export function secretsSection(context: PageContext, keyType: KeyType, key: KeyView, isAccountDisabled: boolean): Html {
  const live = key.secrets.filter(({ state }) => state !== 'ended');
  const ended = key.secrets.filter(({ state }) => state === 'ended');
  const { now } = context;
  return html`<div class="head section"><h2 id="secrets">${TITLES[key.kind]}</h2>${keyType === ACCESS_KEYS && mayAddSecret(key, isAccountDisabled) && addLink(context, key)}</div>
${live.length > 0 && html`<div class="panels">${live.map((secret) => secretPanel(context, keyType, key, secret, live))}</div>`}
${ended.length > 0 && html`<h3>No longer accepted</h3><ul>${ended.map((secret) => html`<li>${secretHint(secret.hint)}: ${lastUse(secret, now)}</li>`)}</ul>`}`;
}

function addLink(context: PageContext, key: KeyView): Html | undefined {
  const missing = missingPermission(context, 'rotate');
  // Without the permission, there is no link here: the menu of the page already shows this action, disabled.
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
${key.state === 'disabled' && html`<p>It is refused while the key is disabled.</p>`}
${secret.state === 'grace_period' && secret.acceptedUntil !== null && html`<p>This is the old ${secretNoun(key)}. Its grace period ends on ${timeWithAge(secret.acceptedUntil, now)}. ${useSinceRotation(context, secret, live)}</p>`}
<p>${lastUse(secret, now)}</p>
${key.state !== 'revoked' && endSecretLink(context, keyType, key, secret, live)}
</section>`;
}

/** Says whether clients still use the old secret, so that a member knows when to end its grace period. */
function useSinceRotation(
  { now }: PageContext,
  { lastUsedAt }: SecretView,
  [newest]: readonly SecretView[],
): Html | undefined {
  if (newest === undefined) return undefined;
  const rotatedAt = newest.createdAt;
  const isRecent = now - rotatedAt.getTime() <= USES_STORED_AFTER_MS + CLOCK_DIFFERENCE_MS;
  const usedAfter = lastUsedAt === null ? Number.NEGATIVE_INFINITY : lastUsedAt.getTime() - rotatedAt.getTime();
  if (usedAfter > CLOCK_DIFFERENCE_MS || (isRecent && usedAfter > 0)) return html`<strong>It is still in use.</strong>`;
  if (isRecent)
    return html`No use since the rotation is recorded yet (${timeAgo(rotatedAt, now)}). About 6 minutes after the rotation, this page knows if there was one.`;
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
