/** What can be done with a key, each with what it does. */
import type { KeyView } from '../management/key-view.js';
import { actionForm, hidden } from './controls.js';
import { tokenField } from './form-token.js';
import { type Html, html } from './html.js';
import { lacking } from './permitted.js';
import { ACCESS_KEYS, pathOf, type Sort } from './sort.js';
import { exactly } from './times.js';
import type { Visit } from './visit.js';

/** Graces to choose from, in seconds. */
const GRACES = [
  { seconds: 0, title: 'Now: it has leaked' },
  { seconds: 3_600, title: '1 hour' },
  { seconds: 86_400, title: '1 day' },
  { seconds: 7 * 86_400, title: '7 days' },
  { seconds: 30 * 86_400, title: '30 days' },
];
const PROPOSED = 7 * 86_400;

export function panelsOf(visit: Visit, sort: Sort, key: KeyView): Html {
  const panels = sort === ACCESS_KEYS ? [rollPanel, secretPanel, tokensPanel] : [rollPanel];
  return html`<h2>Actions</h2>
<div class="panels">${[...panels, disablePanel, deletePanel].map((panel) => html`<section class="panel">${panel(visit, sort, key)}</section>`)}</div>`;
}

function rollPanel(visit: Visit, sort: Sort, key: KeyView): Html {
  const { base, now } = visit;
  const what = sort === ACCESS_KEYS ? 'Secret' : 'text';
  const content = html`<fieldset><legend>When does the old one end?</legend>${GRACES.map(
    ({ seconds, title }) =>
      html`<label class="tick"><input type="radio" name="grace" value="${seconds}"${seconds === PROPOSED && html` checked`}> <span>${title}${
        seconds > 0 && html` <span class="muted">until ${exactly(new Date(now + seconds * 1_000))}</span>`
      }</span></label>`,
  )}</fieldset>`;
  return html`<h3>Roll</h3>
<p>It gets a new ${what}, and keeps its settings and history.</p>
${actionForm({
  ...{ action: `${base}${pathOf(sort, key)}/roll`, hidden: versionFields(visit, key), button: 'Roll' },
  ...{ tone: 'plain', content, needs: lacking(visit, 'roll') },
})}`;
}

function secretPanel(visit: Visit, sort: Sort, key: KeyView): Html {
  const action = `${visit.base}${pathOf(sort, key)}/secrets`;
  return html`<h3>Add a Secret</h3>
<p>A second one that stays until it is deleted. There can be two.</p>
${actionForm({
  ...{ action, hidden: versionFields(visit, key), button: 'Add a Secret', tone: 'plain' },
  needs: lacking(visit, 'roll'),
})}`;
}

function tokensPanel(visit: Visit, sort: Sort, key: KeyView): Html {
  const action = `${visit.base}${pathOf(sort, key)}/revoke-tokens`;
  return html`<h3>Revoke tokens</h3>
<p>The tokens that it has bought are refused from now on. It can buy new ones.</p>
${actionForm({
  ...{ action, hidden: versionFields(visit, key), button: 'Revoke tokens', tone: 'plain' },
  needs: lacking(visit, 'edit'),
})}`;
}

function disablePanel(visit: Visit, sort: Sort, key: KeyView): Html {
  const isDisabled = key.disabledAt !== null;
  const action = `${visit.base}${pathOf(sort, key)}/${isDisabled ? 'enable' : 'disable'}`;
  const button = isDisabled ? 'Enable' : 'Disable';
  return html`<h3>${button}</h3>
<p>${isDisabled ? 'It is taken again.' : 'It is refused until it is enabled again.'}</p>
${actionForm({ action, hidden: versionFields(visit, key), button, tone: 'plain', needs: lacking(visit, 'edit') })}`;
}

function deletePanel(visit: Visit, sort: Sort, key: KeyView): Html {
  const needs = lacking(visit, 'delete');
  return html`<h3>Delete</h3>
<p>It is refused for good. That cannot be undone.</p>
${
  needs === undefined
    ? html`<a class="button danger" href="${visit.base}${pathOf(sort, key)}/delete">Delete</a>`
    : html`<button class="danger" disabled>Delete</button><p class="needs">Needs the permission ${needs}.</p>`
}`;
}

function versionFields({ formToken }: Visit, { version }: KeyView): readonly Html[] {
  return [tokenField(formToken), hidden('version', version)];
}
