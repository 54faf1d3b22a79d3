/** The settings of a key, as a form asks for them: the same when it is made and when it is edited. */
import type { Kind } from '../credentials/kind.js';
import type { ManagementError } from '../management/management-error.js';
import type { AccountOffer } from './account-reach.js';
import { choiceField } from './choice-field.js';
import { type Draft, listsOnly } from './draft.js';
import { type Html, html } from './html.js';

export interface SettingsForm {
  readonly kind: Kind;
  readonly draft: Draft;
  readonly offer: AccountOffer;
  /** What management said of it when it was sent before. */
  readonly error: ManagementError | undefined;
  readonly isNew: boolean;
}

/** What fields are called, in their order. */
export const LABELS: Readonly<Record<string, string>> = Object.freeze({
  name: 'Name',
  environment: 'Environment',
  apis: 'APIs',
  scopes: 'Scopes',
  defaultScopes: 'Default scopes',
  platform: 'E-commerce platform',
  channels: 'Channels',
  expiresAt: 'Last day',
});

/** Whether an error is of a field that the form has. */
export function isOfForm({ code, field }: ManagementError): boolean {
  return code === 'invalid' && field !== undefined && field in LABELS;
}

/** What is wrong, before everything else on the page, with a link to the field. */
export function errorSummary(error: ManagementError | undefined): Html | undefined {
  if (error?.field === undefined) return undefined;
  return html`<div class="errors" role="alert" tabindex="-1" id="errors"><h2>Something is not right yet</h2>
<ul><li><a href="#field-${error.field}">${LABELS[error.field]}: ${wordsOf(error)}</a></li></ul></div>`;
}

export function settingsFields(form: SettingsForm): Html {
  const { draft, offer, isNew } = form;
  return html`${nameField(form)}
${isNew && environmentField(draft)}
${reachFields(form)}
${(offer.platforms.length > 0 || draft.platform !== '') && platformField(form)}
${choiceField({
  ...{ name: 'channels', legend: 'Channels', all: 'Every channel of the account', offer: offer.channels },
  ...{ choice: draft.channels, error: errorOf(form, 'channels') },
})}
${expiryField(form)}`;
}

function nameField(form: SettingsForm): Html {
  const error = errorOf(form, 'name');
  return html`<div class="field"><label for="field-name">Name</label>
<p class="hint" id="name-hint">Where it is used, such as "order service". It can be left empty.</p>
${error !== undefined && html`<p class="error" id="name-error">${error}</p>`}
<input id="field-name" name="name" value="${form.draft.name}" maxlength="100" autocomplete="off"${described('name', error)}></div>`;
}

function environmentField({ environment }: Draft): Html {
  const radio = (value: string, title: string) =>
    html`<label class="tick"><input type="radio" name="environment" value="${value}"${environment === value && html` checked`}> ${title}</label>`;
  return html`<fieldset id="field-environment" tabindex="-1"><legend>Environment</legend>
${radio('live', 'Live')}${radio('sandbox', 'Sandbox, for trying things out')}</fieldset>`;
}

function reachFields(form: SettingsForm): Html {
  const { kind, draft, offer } = form;
  if (kind === 'access') {
    const error = errorOf(form, 'defaultScopes');
    return html`${scopesField(form, 'What its tokens may ask for. Their APIs follow from them.')}
${choiceField({
  ...{ name: 'defaultScopes', legend: 'Default scopes', hint: 'What a token gets when none is asked for.' },
  ...{ all: 'All of its scopes', offer: offer.scopes, choice: draft.defaultScopes, error },
})}`;
  }
  const hint = kind === 'public' ? 'A public key lists them: whoever finds it can call these.' : undefined;
  return html`${choiceField({
    ...{ name: 'apis', legend: 'APIs', hint, all: listsOnly(kind, 'apis') ? undefined : 'Every API of the account' },
    ...{ offer: offer.apis, choice: draft.apis, error: errorOf(form, 'apis') },
  })}
${(offer.scopes.length > 0 || draft.scopes.names.length > 0) && scopesField(form, undefined)}`;
}

function scopesField(form: SettingsForm, hint: string | undefined): Html {
  const { kind, draft, offer } = form;
  const all = listsOnly(kind, 'scopes') ? undefined : 'Every scope of its APIs';
  const error = errorOf(form, 'scopes');
  return choiceField({ name: 'scopes', legend: 'Scopes', hint, all, offer: offer.scopes, choice: draft.scopes, error });
}

function platformField(form: SettingsForm): Html {
  const { draft, offer } = form;
  const error = errorOf(form, 'platform');
  const names = draft.platform === '' || offer.platforms.includes(draft.platform) ? [] : [draft.platform];
  return html`<div class="field"><label for="field-platform">E-commerce platform</label>
<p class="hint" id="platform-hint">A key on a platform has exactly one channel: choose it below.</p>
${error !== undefined && html`<p class="error" id="platform-error">${error}</p>`}
<select id="field-platform" name="platform"${described('platform', error)}><option value="">None</option>${[
    ...offer.platforms,
    ...names,
  ].map(
    (name) => html`<option value="${name}"${name === draft.platform && html` selected`}>${name}</option>`,
  )}</select></div>`;
}

function expiryField(form: SettingsForm): Html {
  const error = errorOf(form, 'expiresAt');
  return html`<div class="field"><label for="field-expiresAt">Last day</label>
<p class="hint" id="expiresAt-hint">The key is refused after this day, by UTC. Empty: it does not expire.</p>
${error !== undefined && html`<p class="error" id="expiresAt-error">${error}</p>`}
<input id="field-expiresAt" type="date" name="expiresAt" value="${form.draft.expiresAt}"${described('expiresAt', error)}></div>`;
}

function described(name: string, error: string | undefined): Html {
  if (error === undefined) return html` aria-describedby="${name}-hint"`;
  return html` aria-describedby="${name}-hint ${name}-error" aria-invalid="true"`;
}

function errorOf({ error }: SettingsForm, field: string): string | undefined {
  return error?.field === field ? wordsOf(error) : undefined;
}

/** Management begins with the name of the field. */
function wordsOf({ message, field }: ManagementError): string {
  return message.slice(String(field).length + 2);
}
