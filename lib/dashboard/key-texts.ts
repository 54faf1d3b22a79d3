/** The texts of a key: its own, those in their grace, and those that ended; and whether anybody still uses them. */
import type { KeyView, SecretView } from '../management/key-view.js';
import { actionForm, hidden } from './controls.js';
import { tokenField } from './form-token.js';
import { type Html, html } from './html.js';
import { lacking } from './permitted.js';
import { ACCESS_KEYS, pathOf, type Sort } from './sort.js';
import { ago, exact } from './times.js';
import type { Visit } from './visit.js';

/** Milliseconds within which a use is written down: a minute, 5 s for writing, and as long for news of the roll. */
const WRITTEN_WITHIN = 70_000;

export function textsOf(visit: Visit, sort: Sort, key: KeyView): Html {
  const live = key.secrets.filter((secret) => !isOver(secret, visit.now));
  const over = key.secrets.filter((secret) => isOver(secret, visit.now));
  const noun = sort === ACCESS_KEYS ? 'Secrets, and their last use' : 'The key, and its last use';
  return html`<h2>${noun}</h2>
<div class="panels">${live.map((secret) => livePanel(visit, sort, key, secret, live))}</div>
${over.length > 0 && html`<h3>Ended</h3><ul>${over.map((secret) => html`<li><code>${secret.hint}</code> ${useOf(secret, visit)}</li>`)}</ul>`}`;
}

function livePanel(visit: Visit, sort: Sort, key: KeyView, secret: SecretView, live: readonly SecretView[]): Html {
  const { now } = visit;
  return html`<section class="panel"><h3><code>${secret.hint}</code></h3>
<p>Made ${exact(secret.createdAt, now)}.</p>
${secret.retiresAt !== null && html`<p>It was rolled, and is taken until ${exact(secret.retiresAt, now)}. ${silenceOf(visit, secret, live)}</p>`}
<p>${useOf(secret, visit)}</p>
${key.state !== 'revoked' && endingForm(visit, sort, key, secret, live)}
</section>`;
}

/** An old text goes on being used until each of its holders has the new one. Who believes that it is silent ends it. */
function silenceOf({ now }: Visit, { lastUsedAt }: SecretView, [newest]: readonly SecretView[]): Html | undefined {
  if (newest === undefined) return undefined;
  const rolledAt = newest.createdAt;
  if (lastUsedAt !== null && lastUsedAt > rolledAt) return html`<strong>It is still used.</strong>`;
  if (now - rolledAt.getTime() > WRITTEN_WITHIN) return html`<strong>It is silent:</strong> not used since then.`;
  return html`Not used since it was rolled, ${ago(rolledAt, now)}; that says little yet, since uses are written down within a minute.`;
}

/** What is noted, within a minute. Whether somebody has seen a text nobody knows. */
function useOf({ lastUsedAt, lastUsedFrom }: SecretView, { now }: Visit): Html {
  if (lastUsedAt === null) return html`Never used.`;
  return html`Last used ${exact(lastUsedAt, now)}${lastUsedFrom !== null && html` from <bdi>${lastUsedFrom}</bdi>`}.`;
}

function endingForm(
  visit: Visit,
  sort: Sort,
  key: KeyView,
  secret: SecretView,
  live: readonly SecretView[],
): Html | undefined {
  const path = `${visit.base}${pathOf(sort, key)}`;
  const needs = lacking(visit, 'roll');
  const token = tokenField(visit.formToken);
  if (secret.retiresAt !== null) {
    return actionForm({ action: `${path}/end-grace`, hidden: [token], button: 'End it now', tone: 'danger', needs });
  }
  const isLast = live.filter(({ retiresAt }) => retiresAt === null).length === 1;
  if (sort !== ACCESS_KEYS || isLast) return undefined;
  const fields = [token, hidden('secret', secret.id)];
  return actionForm({
    action: `${path}/secrets/delete`,
    hidden: fields,
    button: 'Delete this Secret',
    tone: 'danger',
    needs,
  });
}

function isOver({ retiresAt }: SecretView, now: number): boolean {
  return retiresAt !== null && retiresAt.getTime() <= now;
}
