/** The form for the settings of a key. The page for a new key and the page for an edit both use it. */
import type { Environment } from '../../credentials/environment.js';
import type { ManagementError } from '../../management/management-error.js';
import { areaContent, hidden } from '../components/controls.js';
import { CLOSE_QUOTE, type Html, html, OPEN_QUOTE } from '../components/html.js';
import { choiceField } from './choice-field.js';
import { expiryField } from './expiry-field.js';
import { describedBy, errorOf, LABELS, messageOf, type SettingsForm } from './field-errors.js';
import { hasNoAllOption } from './key-form-values.js';

/** Whether an error is about a field of a form, so that the form can be shown again with the error at that field. */
export function isFormError({ code, field }: ManagementError): boolean {
  return code === 'invalid' && field !== undefined && field in LABELS;
}

/** Shows the error at the top of the page, as a link to its field. */
export function errorSummary(error: ManagementError | undefined): Html | undefined {
  if (error?.field === undefined) return undefined;
  return html`<div class="errors" role="alert" tabindex="-1" id="errors"><h2>There is a problem with your input</h2>
<ul><li><a href="#field-${error.field}">${LABELS[error.field]}: ${messageOf(error)}</a></li></ul></div>`;
}

export function settingsFields(form: SettingsForm): Html {
  const { values, options, isNew } = form;
  return html`${group(
    'Name and access',
    html`${nameField(form)}
${isNew && environmentField(form)}
${accessFields(form)}`,
  )}
${group(
  'Where the key can be used',
  html`${(options.platforms.length > 0 || values.platform !== '') && platformField(form)}
${choiceField({
  ...{
    name: 'channels',
    legend: 'Channels',
    noun: 'channels',
    hint: 'Choose the processing channels that the key can use.',
    all: 'All channels of your account',
    options: options.channels,
  },
  ...{ choice: values.channels, error: errorOf(form, 'channels') },
})}
${hasAddresses(form) && areaField(form, 'allowedAddresses', ADDRESSES_HINT)}`,
)}
${group('Expiration', expiryField(form))}
${moreOptions(form)}`;
}

/** Settings that few keys have, in a `<details>`. It is open if such a setting has a value or an error. */
function moreOptions(form: SettingsForm): Html {
  const { values, error } = form;
  const isOpen = RARE_SETTINGS.some((name) => (values[name] ?? '') !== '' || error?.field === name);
  return html`<details class="group"${isOpen && html` open`}><summary>Rate limits and metadata</summary>
${limitsField(form)}
${areaField(form, 'metadata', METADATA_HINT)}</details>`;
}

const RARE_SETTINGS = ['limits', 'metadata'] as const;

/**
 * Whether the form has the field for allowed addresses. Browsers and apps use public keys from any address. So the form
 * of a public key has the field only if it already has a value.
 */
function hasAddresses({ kind, values }: SettingsForm): boolean {
  return kind !== 'public' || (values.allowedAddresses ?? '') !== '';
}

const ADDRESSES_HINT =
  'Enter one IP address or network per line, such as 203.0.113.7 or 2001:db8::/32. If you leave this empty, any address is allowed.';
const METADATA_HINT =
  'Add custom information about the key as name=value pairs, one per line, such as team=checkout. Do not store secrets here.';

function group(title: string, fields: Html): Html {
  return html`<section class="group"><h2>${title}</h2>
${fields}</section>`;
}

function areaField(form: SettingsForm, name: 'allowedAddresses' | 'metadata', hint: string): Html {
  const error = errorOf(form, name);
  return html`<div class="field"><label for="field-${name}">${LABELS[name]}</label>
<p class="hint" id="${name}-hint">${hint}</p>
${error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`}
<textarea id="field-${name}" name="${name}" rows="2" autocomplete="off" spellcheck="false"${describedBy(name, error)}${areaContent(form.values[name] ?? '')}</div>`;
}

function limitsField(form: SettingsForm): Html {
  const error = errorOf(form, 'limits');
  return html`<div class="field"><label for="field-limits">Rate limits</label>
<p class="hint" id="limits-hint">Enter how many requests are allowed per time period, such as 100/minute, 500/15m or 5000/day. Separate multiple limits with commas. If you leave this empty, the default rate limits of the API apply.</p>
${error !== undefined && html`<p class="error" id="limits-error">${error}</p>`}
<input id="field-limits" name="limits" value="${form.values.limits ?? ''}" autocomplete="off" spellcheck="false"${describedBy('limits', error)}></div>`;
}

function nameField(form: SettingsForm): Html {
  const error = errorOf(form, 'name');
  return html`<div class="field"><label for="field-name">Name</label>
<p class="hint" id="name-hint">Optional. Choose a name that says where the key is used, such as "order service".</p>
${error !== undefined && html`<p class="error" id="name-error">${error}</p>`}
<input id="field-name" name="name" value="${form.values.name}" maxlength="100" autocomplete="off"${describedBy('name', error)}></div>`;
}

function environmentField({ values: { environment }, only }: SettingsForm): Html {
  const radio = (value: Environment, title: string) =>
    (only ?? value) === value &&
    html`<label class="tick"><input type="radio" name="environment" value="${value}"${environment === value && html` checked`}> ${title}</label>`;
  return html`<fieldset id="field-environment" tabindex="-1"><legend>Environment</legend>
${radio('live', 'Live')}${radio('sandbox', 'Sandbox (for testing)')}</fieldset>`;
}

function accessFields(form: SettingsForm): Html {
  const { kind, values, options } = form;
  if (kind === 'access') {
    const error = errorOf(form, 'defaultScopes');
    return html`${scopesField(form, 'Choose the scopes that access tokens of this key can have. Scopes determine which APIs a token can call.')}
${choiceField({
  ...{
    name: 'defaultScopes',
    legend: 'Default scopes',
    noun: 'scopes',
    hint: 'A token gets these scopes if the token request does not specify any scopes.',
  },
  ...{ all: 'All scopes of the key', options: options.scopes, choice: values.defaultScopes, error },
})}`;
  }
  const hint = kind === 'public' ? 'Anyone who has this public key can call the APIs that you choose.' : undefined;
  return html`${choiceField({
    ...{
      name: 'apis',
      legend: 'APIs',
      noun: 'APIs',
      hint,
      all: hasNoAllOption(kind, 'apis') ? undefined : 'All APIs of your account',
    },
    ...{ options: options.apis, choice: values.apis, error: errorOf(form, 'apis') },
  })}
${options.scopes.length > 0 || values.scopes.names.length > 0 ? scopesField(form, SCOPES_HINTS[kind]) : hidden('scopes.of', values.scopes.of ?? 'all')}`;
}

/** These hints say what happens if no scope is chosen, which depends on the kind of the key. */
const SCOPES_HINTS = {
  secret: `Scopes limit what the key can do with its APIs. If you choose ${OPEN_QUOTE}Only these scopes${CLOSE_QUOTE} but do not choose a scope, the key works only for requests that do not require a scope.`,
  public:
    'Scopes limit what the key can do with its APIs. If you do not choose a scope, the key works only for requests that do not require a scope.',
};

function scopesField(form: SettingsForm, hint: string | undefined): Html {
  const { kind, values, options } = form;
  const all = hasNoAllOption(kind, 'scopes') ? undefined : 'All scopes of the APIs that you choose';
  const error = errorOf(form, 'scopes');
  return choiceField({
    name: 'scopes',
    legend: 'Scopes',
    noun: 'scopes',
    hint,
    all,
    options: options.scopes,
    choice: values.scopes,
    error,
  });
}

function platformField(form: SettingsForm): Html {
  const { values, options } = form;
  const error = errorOf(form, 'platform');
  const names = values.platform === '' || options.platforms.includes(values.platform) ? [] : [values.platform];
  return html`<div class="field"><label for="field-platform">E-commerce platform</label>
<p class="hint" id="platform-hint">If the key is for an e-commerce platform, choose the platform here and exactly one channel below.</p>
${error !== undefined && html`<p class="error" id="platform-error">${error}</p>`}
<select id="field-platform" name="platform"${describedBy('platform', error)}><option value="">None</option>${[
    ...options.platforms,
    ...names,
  ].map(
    (name) => html`<option value="${name}"${name === values.platform && html` selected`}>${name}</option>`,
  )}</select></div>`;
}
