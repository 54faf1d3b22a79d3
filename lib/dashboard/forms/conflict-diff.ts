/**
 * The table that a member sees if the key has changed since the member opened the form. It compares the current
 * settings of the key with the settings in the form.
 */
import type { Kind } from '../../credentials/credential-kind.js';
import type { KeyView } from '../../management/keys/key-view.js';
import { type Html, html, userText } from '../components/html.js';
import { fullList } from '../components/key-labels.js';
import { LABELS } from './field-errors.js';
import { type Choice, type FormValues, hasNoAllOption, toFormValues } from './key-form-values.js';

export function conflictDiff(key: KeyView, values: FormValues): Html {
  const [theirs, yours] = [settingsOf(toFormValues(key), key.kind), settingsOf(values, key.kind)];
  return html`<div class="scroll"><table role="table">
<caption>Differences are highlighted.</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Setting</th><th scope="col" role="columnheader">Current value</th><th scope="col" role="columnheader">Your value</th></tr></thead>
<tbody role="rowgroup">
${Object.entries(yours).flatMap(([setting, your]) => (your === undefined ? [] : [row(LABELS[setting] ?? setting, theirs[setting] ?? fullList([]), your)]))}</tbody>
</table></div>`;
}

function row(label: string, now: Html, yours: Html): Html {
  const differs = now.text !== yours.text;
  return html`<tr role="row"${differs && html` class="differs"`}><th scope="row" role="rowheader">${label}${
    differs && html`<span class="unseen"> (differs)</span>`
  }</th><td role="cell" data-title="Current value">${now}</td><td role="cell" data-title="Your value">${yours}</td></tr>
`;
}

/** The settings in a form; `undefined` if the form has no field for a setting, because saving does not change it. */
function settingsOf(values: FormValues, kind: Kind): Readonly<Record<string, Html | undefined>> {
  const { name, apis, scopes, defaultScopes, platform, channels, expiresAt, allowedAddresses, limits, metadata } =
    values;
  return {
    name: textHtml(name),
    ...(kind === 'access' ? {} : { apis: choiceHtml(apis, hasNoAllOption(kind, 'apis')) }),
    scopes: choiceHtml(scopes, hasNoAllOption(kind, 'scopes')),
    ...(kind === 'access' ? { defaultScopes: choiceHtml(defaultScopes, false) } : {}),
    platform: textHtml(platform),
    channels: choiceHtml(channels, false),
    allowedAddresses: textHtml(allowedAddresses?.split(/[\s,]+/).join(' ')),
    limits: textHtml(limits),
    expiresAt: textHtml(expiresAt),
    metadata: textHtml(metadata?.replaceAll('\n', ', ')),
  };
}

function textHtml(text: string | undefined): Html | undefined {
  if (text === undefined) return undefined;
  return text === '' ? fullList([]) : userText(text);
}

/** Formats the chosen values in sorted order. Otherwise, a different order would be highlighted as a difference. */
function choiceHtml({ of, names }: Choice, hasNoAll: boolean): Html {
  return fullList(of === 'all' && !hasNoAll ? 'all' : names.toSorted());
}
