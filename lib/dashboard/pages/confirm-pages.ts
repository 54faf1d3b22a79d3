/** Confirmation pages: each explains the effect of a change before it is made. Revoking has a page of its own. */
import type { KeyView } from '../../management/keys/key-view.js';
import type { Action } from '../../management/permissions.js';
import { hidden } from '../components/controls.js';
import { type Html, html, userText } from '../components/html.js';
import { layout } from '../components/layout.js';
import { recentUse } from '../components/recent-use.js';
import { formatTime, timeAgo } from '../components/times.js';
import { formIdField } from '../forms/form-id.js';
import { viewKey } from '../forms/key-version.js';
import { tokenField } from '../http/form-token.js';
import type { Page, PageContext } from '../http/page-context.js';
import { answerPage } from '../http/page-response.js';
import { assertCan } from '../http/permissions.js';
import { ACCESS_KEYS, type KeyType, keyName, keyPath } from '../key-type.js';

/** Grace periods to choose from, in seconds. */
const GRACE_PERIODS = [
  { seconds: 0, title: 'Now, because the secret was leaked' },
  { seconds: 3_600, title: '1 hour' },
  { seconds: 86_400, title: '1 day' },
  { seconds: 7 * 86_400, title: '7 days' },
  { seconds: 30 * 86_400, title: '30 days' },
];
const DEFAULT_GRACE_PERIOD = 7 * 86_400;

interface Confirmation {
  readonly action: Action;
  /** The label of the button. */
  readonly title: string;
  /** Where its form goes, below the page of the key. */
  readonly path: string;
  readonly effect: (key: KeyView) => Html;
  readonly fields?: (key: KeyView, context: PageContext) => Html;
}

/** `GET …/rotate/confirm` */
export function rotatePage(keyType: KeyType): Page {
  const what = keyType === ACCESS_KEYS ? 'client secret' : 'key';
  return confirmPage(keyType, {
    ...{ action: 'rotate', title: 'Rotate', path: 'rotate' },
    effect: () =>
      html`<p>You get a new ${what}, which is shown once. The settings and the history stay the same. The old ${what} is accepted until the time that you choose here, so that you can update your servers.</p>`,
    fields: graceField,
  });
}

/** `GET …/disable/confirm` */
export function disablePage(keyType: KeyType): Page {
  return confirmPage(keyType, {
    ...{ action: 'edit', title: 'Disable', path: 'disable' },
    effect: () => html`<p>Every request with this key is refused until you enable it again.</p>`,
  });
}

/** `GET …/enable/confirm` */
export function enablePage(keyType: KeyType): Page {
  return confirmPage(keyType, {
    ...{ action: 'edit', title: 'Enable', path: 'enable' },
    effect: () => html`<p>Requests with this key are accepted again.</p>`,
  });
}

/** `GET /access-keys/:id/secrets/confirm` */
export const addSecretPage: Page = confirmPage(ACCESS_KEYS, {
  ...{ action: 'rotate', title: 'Add a secret', path: 'secrets' },
  effect: () =>
    html`<p>Adds a second client secret, which is shown once. An access key has at most two, and each is accepted until you delete it.</p>`,
});

/** `GET /access-keys/:id/revoke-tokens/confirm` */
export const revokeTokensPage: Page = confirmPage(ACCESS_KEYS, {
  ...{ action: 'edit', title: 'Revoke tokens', path: 'revoke-tokens' },
  effect: () =>
    html`<p>Every token that this key has obtained is refused. The key itself is not revoked, and can obtain new tokens.</p>`,
});

function confirmPage(keyType: KeyType, { action, title, path, effect, fields }: Confirmation): Page {
  return async (context) => {
    assertCan(context, action);
    const key = await viewKey(context, keyType);
    const { base, formToken, now } = context;
    const keyUrl = `${base}${keyPath(keyType, key)}`;
    const main = html`<p class="crumb"><a href="${keyUrl}">${userText(keyName(key))}</a></p>
<h1>${title}</h1>
<div class="panel ask">${effect(key)}
<p>${await recentUse(context, key)}${lastRotation(key, now)}</p>
<form method="post" action="${keyUrl}/${path}">${tokenField(formToken)}${formIdField()}${hidden('version', key.version)}
${fields?.(key, context)}
<p class="actions"><button>${title}</button> <a href="${keyUrl}">Cancel</a></p>
</form></div>`;
    return answerPage(200, layout(context, { title: `${title}: ${keyName(key)}`, tab: keyType.name, main }));
  };
}

/** Says when the key was last rotated, also to a member who comes back to this page after a rotation. */
function lastRotation({ secrets }: KeyView, now: number): Html | undefined {
  const [newest, ...older] = secrets;
  if (newest === undefined || older.every(({ state }) => state === 'current')) return undefined;
  return html` It was rotated ${timeAgo(newest.createdAt, now)}.`;
}

function graceField(key: KeyView, { now }: PageContext): Html {
  const periods = gracePeriodsUntil(key.expiresAt, now);
  const proposed = periods.findLast(({ seconds }) => seconds <= DEFAULT_GRACE_PERIOD)?.seconds;
  return html`<fieldset><legend>When does the grace period of the old secret end?</legend>${periods.map(
    ({ seconds, title }) =>
      html`<label class="tick"><input type="radio" name="grace" value="${seconds}"${seconds === proposed && html` checked`}> <span>${title}${
        seconds > 0 && html` <span class="muted">until ${formatTime(new Date(now + seconds * 1_000))}</span>`
      }</span></label>`,
  )}</fieldset>`;
}

/** Leaves out grace periods that would end after the key itself. */
function gracePeriodsUntil(expiresAt: Date | null, now: number) {
  const end = expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
  return GRACE_PERIODS.filter(({ seconds }) => seconds === 0 || now + seconds * 1_000 < end);
}
