/**
 * The page of one key: its state, its usage, its settings, its secrets and public keys, and its newest audit entries.
 */
import type { KeyView } from '../../management/keys/key-view.js';
import { secretNoun } from '../../management/keys/secret-noun.js';
import { auditEntries } from '../components/audit-entries.js';
import { copyField, copyText } from '../components/copy-field.js';
import { flashMessage } from '../components/flash-message.js';
import { type Html, html, userText } from '../components/html.js';
import { keyActionsMenu } from '../components/key-actions-menu.js';
import { ENVIRONMENTS, fullList, KINDS, sandboxBadge, stateBadge, TOKEN_BINDINGS } from '../components/key-labels.js';
import { keyStateBanner } from '../components/key-state-banner.js';
import { layout } from '../components/layout.js';
import { publicKeysSection } from '../components/public-keys-section.js';
import { secretsSection } from '../components/secrets-section.js';
import { formatExpiry, timeWithAge } from '../components/times.js';
import { usageSection } from '../components/usage-section.js';
import { formatLimits } from '../forms/parse-text-settings.js';
import type { PublicKeyFormValues } from '../forms/public-key-form-values.js';
import { errorSummary } from '../forms/settings-form.js';
import { type MemberAccount, memberAccount } from '../http/member-account.js';
import { type Page, type PageContext, viewKey } from '../http/page-context.js';
import { htmlResponse, type PageResponse } from '../http/page-response.js';
import { queryString } from '../http/query-string.js';
import { ACCESS_KEYS, type KeyType, keyName } from '../key-type.js';

const MAX_ENTRIES = 10;

const ACCOUNT_DISABLED = html`<p class="banner">Your account is disabled. All its keys are refused, and you cannot create keys, secrets or public keys. To enable the account, contact support.</p>`;

export function keyPage(keyType: KeyType): Page {
  return (context) => showKeyPage(context, keyType);
}

/** @param refused - The form that adds a public key, if management has refused it. It is shown again with its error. */
export async function showKeyPage(
  context: PageContext,
  keyType: KeyType,
  refused?: PublicKeyFormValues,
): Promise<PageResponse> {
  const { site, member, base, now } = context;
  const key = await viewKey(context, keyType);
  const activity = await site.management.audit(member, { subject: key.id, limit: MAX_ENTRIES });
  const account = await memberAccount(context);
  const { disabled: isAccountDisabled } = account;
  const usage = await site.management.usage(member, key.id);
  const main = html`<p class="crumb"><a href="${base}${keyType.list}">${keyType.title}</a></p>
${errorSummary(refused?.error)}<div class="head"><h1>${userText(keyName(key))} ${stateBadge(key)}${sandboxBadge(key)}</h1>${key.state !== 'revoked' && keyActionsMenu(context, keyType, key, isAccountDisabled)}</div>
${flashMessage(context, keyName(key), { secret: secretNoun(key) })}
${isAccountDisabled && ACCOUNT_DISABLED}
${keyStateBanner(context, keyType, key, { account, entries: activity.items })}
${key.publicKey !== null && copyField('text', 'Public key', key.publicKey)}
${usageSection(usage)}
<h2>Details</h2>
${keyFacts(keyType, key, account, now)}
${secretsSection(context, keyType, key, isAccountDisabled)}
${keyType === ACCESS_KEYS && publicKeysSection(context, key, isAccountDisabled, refused)}
<h2>Activity</h2>
${auditEntries(activity.items, now, { kind: key.kind })}
<p><a href="${base}/audit${queryString({ subject: key.id })}">View all entries in the audit log</a></p>`;
  const title = `${refused === undefined ? '' : 'Error: '}${keyName(key)}`;
  return htmlResponse(refused === undefined ? 200 : 400, layout(context, { title, tab: keyType.name, main }));
}

function keyFacts(keyType: KeyType, key: KeyView, account: MemberAccount, now: number): Html {
  const never = html`<span class="muted">Never</span>`;
  const time = (at: Date | null) => (at === null ? never : timeWithAge(at, now));
  const idTitle = keyType.name === 'keys' ? 'Key ID' : 'Client ID';
  const facts: readonly (readonly [string, Html] | undefined)[] = [
    ['Kind', html`${KINDS[key.kind].title}`],
    [idTitle, copyText('key-id', idTitle, key.id)],
    ['Environment', html`${ENVIRONMENTS[key.environment]}`],
    key.apis === null ? undefined : ['APIs', fullList(key.apis, account.apis)],
    ['Scopes', scopesHtml(key, account)],
    key.defaultScopes === null ? undefined : ['Default scopes', fullList(key.defaultScopes, account.scopes)],
    ['Channels', fullList(key.channels, account.channels)],
    key.requireConfirmation === null
      ? undefined
      : ['Token binding', html`${TOKEN_BINDINGS[key.requireConfirmation === true ? 'any' : key.requireConfirmation]}`],
    key.platform === null ? undefined : ['E-commerce platform', userText(key.platform)],
    key.allowedAddresses === null ? undefined : ['Allowed IP addresses', fullList(key.allowedAddresses)],
    key.limits === null ? undefined : ['Rate limits', html`${formatLimits(key.limits)}`],
    ...Object.entries(key.metadata ?? {}).map(([name, value]) => [`Metadata: ${name}`, userText(value)] as const),
    ['Created', html`${timeWithAge(key.createdAt, now)} by ${userText(key.createdBy)}`],
    ['Last used', time(key.lastUsedAt)],
    ['Expires', key.expiresAt === null ? never : timeWithAge(key.expiresAt, now, formatExpiry)],
    key.disabledAt === null ? undefined : ['Disabled', timeWithAge(key.disabledAt, now)],
    key.revokedAt === null ? undefined : ['Revoked', timeWithAge(key.revokedAt, now)],
  ];
  return html`<dl class="facts">${facts
    .filter((fact) => fact !== undefined)
    .map(([title, value]) => html`<div><dt>${title}</dt><dd>${value}</dd></div>\n`)}</dl>`;
}

function scopesHtml({ kind, scopes }: KeyView, account: MemberAccount): Html {
  if (scopes !== null) return fullList(scopes, account.scopes);
  return fullList(kind === 'secret' ? 'all' : []);
}
