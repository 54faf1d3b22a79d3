/**
 * The banner at the top of the page of a key. It says why the key is refused and what to do, that the key expires soon,
 * or that an old secret is still accepted.
 */
import type { AuditEntry } from '../../management/audit-log/read-audit-log.js';
import { type AccountEntitlement, hasLostChannel } from '../../management/entitlement.js';
import type { KeyView } from '../../management/keys/key-view.js';
import { secretNoun } from '../../management/keys/secret-noun.js';
import { expiresSoon } from '../expires-soon.js';
import type { PageContext } from '../http/page-context.js';
import { missingPermission } from '../http/permissions.js';
import { type KeyType, keyPath } from '../key-type.js';
import { type Html, html, userText } from './html.js';
import { secretHint } from './key-labels.js';
import { rotationOf } from './secrets-section.js';
import { expiryInSentence, timeAgo, timeWithAge } from './times.js';

export interface KeyStateFacts {
  readonly account: AccountEntitlement;
  /** The newest entries of the audit log about the key. They say who disabled or revoked it. */
  readonly entries: readonly AuditEntry[];
}

export function keyStateBanner(
  context: PageContext,
  keyType: KeyType,
  key: KeyView,
  { account, entries }: KeyStateFacts,
): Html | undefined {
  const { base, now } = context;
  const keyUrl = `${base}${keyPath(keyType, key)}`;
  const canEdit = missingPermission(context, 'edit') === undefined;
  const laterDate = html` <a href="${keyUrl}/edit">Choose a later expiration date</a>`;
  const isDisabled = key.disabledAt !== null;
  if (key.state === 'disabled' && key.disabledAt !== null) {
    const by = findActor(entries, isDisabling);
    return html`<p class="banner">${by ?? 'This key was'} disabled ${by !== undefined && 'this key '}on ${timeWithAge(key.disabledAt, now)}. Every request with it is refused.${canEdit && html` <a href="${keyUrl}/enable/confirm">Enable the key</a>`}</p>`;
  }
  if (key.state === 'revoked' && key.revokedAt !== null) {
    const by = findActor(entries, ({ action }) => action.endsWith('key.revoke'));
    return html`<p class="banner">${by ?? 'This key was'} revoked ${by !== undefined && 'this key '}on ${timeWithAge(key.revokedAt, now)}. Every request with it is refused. This cannot be undone.</p>`;
  }
  if (key.state === 'expired' && key.expiresAt !== null) {
    return html`<p class="banner">Every request with this key is refused, because it expired ${timeWithAge(key.expiresAt, now, expiryInSentence)}${isDisabled && ', and because it is disabled'}.${canEdit && laterDate}${canEdit && isDisabled && html` and <a href="${keyUrl}/enable/confirm">enable the key</a>`}</p>`;
  }
  if (hasLostChannel(key, account)) {
    return html`<p class="banner">Every request with this key is refused, because its channel is no longer available to your account.${canEdit && html` <a href="${keyUrl}/edit">Choose another channel</a>`}</p>`;
  }
  const expiry =
    expiresSoon(key, now) &&
    html`<p class="banner">This key expires ${timeWithAge(key.expiresAt, now, expiryInSentence)}.${canEdit && laterDate}</p>`;
  return html`${expiry}${rotationBanner(key, now)}`;
}

function rotationBanner(key: KeyView, now: number): Html | undefined {
  const old = key.secrets.find(({ state }) => state === 'grace_period');
  const rotatedAt = old && rotationOf(key, old);
  if (old === undefined || rotatedAt === undefined || old.acceptedUntil === null) return undefined;
  return html`<p class="banner">This key was rotated ${timeAgo(rotatedAt, now)}. The <a href="#secrets">old ${secretNoun(key)}</a> ${secretHint(old.hint)} is accepted until ${timeWithAge(old.acceptedUntil, now)}.</p>`;
}

function isDisabling({ action, after }: AuditEntry): boolean {
  return action.endsWith('key.edit') && (after as { disabled?: unknown } | null)?.disabled === true;
}

/** The actor of the newest successful entry that matches; `undefined` if none of the given entries matches. */
function findActor(entries: readonly AuditEntry[], matches: (entry: AuditEntry) => boolean): Html | undefined {
  const entry = entries.find((one) => one.outcome === 'done' && matches(one));
  return entry === undefined ? undefined : html`<strong>${userText(entry.actor)}</strong>`;
}
