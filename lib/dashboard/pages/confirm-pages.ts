/**
 * Confirmation pages. Each page explains the effect of a change before the member makes it. The pages that remove a
 * secret or a public key are in confirm-secret-removal-pages.ts, and the page that revokes a key is in revoke-page.ts.
 */
import { hasLostChannel } from '../../management/entitlement.js';
import type { KeyView, SecretView } from '../../management/keys/key-view.js';
import { secretNoun } from '../../management/keys/secret-noun.js';
import { MAX_GRACE } from '../../management/keys/secrets.js';
import type { Action } from '../../management/permissions.js';
import { hidden } from '../components/controls.js';
import { type Html, html, join, userText } from '../components/html.js';
import { refusedNote, refusedRequests, secretHint } from '../components/key-labels.js';
import { layout } from '../components/layout.js';
import { lastUseOf, recentUse } from '../components/recent-use.js';
import { expiryInSentence, formatTime, timeAgo, timeWithAge } from '../components/times.js';
import { formIdField } from '../forms/form-id.js';
import { tokenField } from '../http/csrf-token.js';
import { memberAccount } from '../http/member-account.js';
import { type Page, type PageContext, viewKey } from '../http/page-context.js';
import { htmlResponse } from '../http/page-response.js';
import { assertCan } from '../http/permissions.js';
import { ACCESS_KEYS, assertNotRevoked, type KeyType, keyName, keyPath } from '../key-type.js';
import { rotationObstacle, secretObstacle } from '../rotation-obstacle.js';

const GRACE_PERIODS = [
  { seconds: 0, title: 'Now' },
  { seconds: 3_600, title: 'After 1 hour' },
  { seconds: 86_400, title: 'After 1 day' },
  { seconds: 7 * 86_400, title: 'After 7 days' },
  { seconds: MAX_GRACE, title: `After ${MAX_GRACE / 86_400} days` },
];
const DEFAULT_GRACE_PERIOD = 7 * 86_400;

export interface Confirmation {
  readonly action: Action;
  /** The name of the action, and the label of the button, unless `button` is given. */
  readonly title: string;
  /** The heading before the name of the key. Default: the title. */
  readonly heading?: string;
  /** Makes a label for the button that depends on the key. */
  readonly button?: (key: KeyView, context: PageContext) => string;
  /** Whether the change always ends something that clients may still use. The button is then red. */
  readonly isDanger?: true;
  /** Where the form is sent, relative to the page of the key. */
  readonly path: string;
  /** What must be done before the change; `undefined` if it can be made now. Without this, it always can. */
  readonly obstacle?: (key: KeyView, isAccountDisabled: boolean) => string | undefined;
  /** Explains what the change will do. */
  readonly effect: (key: KeyView, context: PageContext) => Html | Promise<Html>;
  /** Says when the secret or public key that is removed was last used. Default: says when the key was last used. */
  readonly use?: (key: KeyView, context: PageContext) => Html;
  readonly fields?: (key: KeyView, context: PageContext) => Html;
}

export function rotatePage(keyType: KeyType): Page {
  return confirmPage(keyType, {
    ...{ action: 'rotate', title: 'Rotate', path: 'rotate', obstacle: rotationObstacle },
    button: ({ secrets }) => (inGrace(secrets).length === 0 ? 'Rotate' : 'Rotate and end the current grace period'),
    effect: (key, context) => {
      const word = secretNoun(key);
      const [given, update] =
        key.kind === 'public' ? ['value', 'pages and apps'] : [`${word}, which is shown only once`, 'servers'];
      return html`<p>The key will get a new ${given}. The key will keep its settings and history. ${currentSecretNote(key, context, update)}</p>
${refusedNote(key)}
${addSecretNote(key, context)}
${oldSecretNote(key, context)}`;
    },
    fields: (key, context) => graceField(context, keyType, key),
  });
}

/** Says until when the current secret will be accepted. The secrets of a disabled key are refused until it is enabled. */
function currentSecretNote(key: KeyView, { now }: PageContext, toUpdate: string): Html {
  const secret = html`current ${secretNoun(key)} ${secretHint(key.hint)}`;
  if (gracePeriodsUntil(key.expiresAt, now).length === 1) return html`The ${secret} will no longer be accepted.`;
  return html`${key.state === 'disabled' ? 'If you enable the key, the' : 'The'} ${secret} will be accepted until the time that you choose below, so that you can update your ${toUpdate}.`;
}

/**
 * Warns that a rotation ends the grace period of an earlier rotation, because a key can have only one old secret in its
 * grace period.
 */
function oldSecretNote(key: KeyView, { now }: PageContext): Html | undefined {
  const ending = inGrace(key.secrets);
  if (ending.length === 0) return undefined;
  const one = (secret: SecretView) =>
    html`If you rotate the key now, the grace period of the old ${secretNoun(key)} ${secretHint(secret.hint)} ends immediately. ${lastUseOf(html`The old ${secretNoun(key)}`, secret, now)} If clients might still use the old ${secretNoun(key)}, do not rotate the key before ${secret.acceptedUntil !== null && timeWithAge(secret.acceptedUntil, now)}.`;
  return html`<p class="banner">${join(ending.map(one), html` `)}</p>`;
}

/** Offers a second client secret instead of a rotation. Both secrets are then accepted until the member deletes one. */
function addSecretNote(key: KeyView, { base }: PageContext): Html | undefined {
  if (key.kind !== 'access' || key.secrets.filter(({ state }) => state !== 'ended').length > 1) return undefined;
  return html`<p>To keep the current client secret working until you delete it, <a href="${base}${keyPath(ACCESS_KEYS, key)}/secrets/confirm">add a client secret</a> instead.</p>`;
}

function inGrace(secrets: readonly SecretView[]): readonly SecretView[] {
  return secrets.filter(({ state }) => state === 'grace_period');
}

export function disablePage(keyType: KeyType): Page {
  return confirmPage(keyType, {
    ...{ action: 'edit', title: 'Disable', path: 'disable', isDanger: true },
    effect: (key, { base }) =>
      html`<p>${refusedRequests(key)} will be refused until you enable the key again. To refuse requests permanently, <a href="${base}${keyPath(keyType, key)}/revoke">revoke the key</a> instead.</p>
${refusedNote(key)}`,
  });
}

export function enablePage(keyType: KeyType): Page {
  return confirmPage(keyType, {
    ...{ action: 'edit', title: 'Enable', path: 'enable' },
    async effect(key, context) {
      if (key.expiresAt !== null && key.expiresAt.getTime() <= context.now)
        return html`<p>The key has expired. Even if you enable it, requests with this key will be refused until you choose a later expiration date.</p>`;
      const account = await memberAccount(context);
      if (account.disabled)
        return html`<p>Your account is disabled. Even if you enable the key, requests with this key will be refused until the account is enabled. To enable the account, contact support.</p>`;
      if (hasLostChannel(key, account))
        return html`<p>The channel of the key is no longer available to your account. Even if you enable the key, requests with it will be refused until you choose another channel.</p>`;
      return html`<p>Requests with this key will be accepted again.</p>`;
    },
  });
}

export const addSecretPage: Page = confirmPage(ACCESS_KEYS, {
  ...{ action: 'rotate', title: 'Add a client secret', heading: 'Add a client secret to', path: 'secrets' },
  obstacle: secretObstacle,
  effect: (key) =>
    html`<p>The key will get a new client secret, which is shown only once. An access key can have up to two client secrets, and each is accepted until you delete it.</p>
${refusedNote(key)}`,
});

export const revokeTokensPage: Page = confirmPage(ACCESS_KEYS, {
  ...{ action: 'edit', title: 'Revoke tokens', heading: 'Revoke all tokens of', path: 'revoke-tokens' },
  isDanger: true,
  async effect({ state }, context) {
    const { disabled } = await memberAccount(context);
    return html`<p>Every access token that was issued with this key will be refused immediately. The key itself is not revoked.${state === 'active' && !disabled && ' Clients can still use it to obtain new tokens.'}</p>`;
  },
});

export function confirmPage(keyType: KeyType, confirmation: Confirmation): Page {
  const { action, title, heading = title, obstacle } = confirmation;
  return async (context) => {
    assertCan(context, action);
    const key = await viewKey(context, keyType);
    assertNotRevoked(keyType, key);
    const keyUrl = `${context.base}${keyPath(keyType, key)}`;
    const first = obstacle?.(key, (await memberAccount(context)).disabled);
    const main = html`<p class="crumb"><a href="${keyUrl}">${userText(keyName(key))}</a></p>
<h1>${heading} ${userText(keyName(key))}</h1>
${
  first === undefined
    ? await question(context, key, keyUrl, confirmation)
    : html`<p class="banner">${first}</p>
<p><a class="button" href="${keyUrl}">Go back</a></p>`
}`;
    return htmlResponse(200, layout(context, { title: `${heading} ${keyName(key)}`, tab: keyType.name, main }));
  };
}

async function question(
  context: PageContext,
  key: KeyView,
  keyUrl: string,
  { title, button, isDanger, path, effect, use, fields }: Confirmation,
): Promise<Html> {
  const { formToken, now } = context;
  return html`<div class="panel ask">${await effect(key, context)}
<p>${use === undefined ? html`${await recentUse(context, key)}${newestSecret(key, now)}` : use(key, context)}</p>
<form method="post" action="${keyUrl}/${path}">${tokenField(formToken)}${formIdField()}${hidden('version', key.version)}
${fields?.(key, context)}
<p class="actions"><button${isDanger && html` class="danger"`}>${button?.(key, context) ?? title}</button> <a href="${keyUrl}">Cancel</a></p>
</form></div>`;
}

/**
 * Says when the newest secret was created, so that a member who comes back to this page does not rotate the key twice.
 * It does not say "rotated": a client secret can also be added, and the older one deleted.
 */
function newestSecret({ kind, secrets }: KeyView, now: number): Html | undefined {
  const [newest, ...older] = secrets;
  if (newest === undefined || older.every(({ state }) => state === 'current')) return undefined;
  return html` The newest ${secretNoun({ kind })} was created ${timeAgo(newest.createdAt, now)}.`;
}

function graceField({ base, now }: PageContext, keyType: KeyType, key: KeyView): Html {
  const periods = gracePeriodsUntil(key.expiresAt, now);
  const isOnlyNow = periods.length === 1 && key.expiresAt !== null;
  const proposed = periods.findLast(({ seconds }) => seconds <= DEFAULT_GRACE_PERIOD)?.seconds;
  return html`<fieldset${isOnlyNow && html` aria-describedby="grace-hint"`}><legend>When should the current ${secretNoun(key)} ${secretHint(key.hint)} stop working?</legend>${
    isOnlyNow &&
    html`<p class="hint" id="grace-hint">There is no time for a grace period, because the key expires ${timeWithAge(key.expiresAt, now, expiryInSentence)}. To choose a grace period, first <a href="${base}${keyPath(keyType, key)}/edit">choose a later expiration date</a>.</p>`
  }${periods.map(
    ({ seconds, title }) =>
      html`<label class="tick"><input type="radio" name="grace" value="${seconds}"${seconds === proposed && html` checked`}> <span>${title}${seconds === 0 && key.kind !== 'public' && ' (choose this if it was leaked)'}${
        seconds > 0 && html` <span class="muted">(${formatTime(new Date(now + seconds * 1_000))})</span>`
      }</span></label>`,
  )}</fieldset>`;
}

/** The grace periods that end before the key expires. */
function gracePeriodsUntil(expiresAt: Date | null, now: number) {
  const end = expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
  return GRACE_PERIODS.filter(({ seconds }) => seconds === 0 || now + seconds * 1_000 < end);
}
