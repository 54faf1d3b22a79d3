/** Compares the current settings of a key with those of an edit that was based on an older version. */
import type { Kind } from '../../credentials/kind.js';
import type { KeyView } from '../../management/keys/key-view.js';
import { type Html, html, userText } from '../components/html.js';
import { fullList } from '../components/key-labels.js';
import { type Choice, type FormValues, formValuesOf, hasNoAllOption } from './form-values.js';
import { LABELS } from './settings-field.js';

export function conflictDiff(key: KeyView, values: FormValues): Html {
  const [theirs, yours] = [settingsOf(formValuesOf(key), key.kind), settingsOf(values, key.kind)];
  return html`<div class="scroll"><table role="table">
<caption>Differences are marked</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Setting</th><th scope="col" role="columnheader">Now</th><th scope="col" role="columnheader">Yours</th></tr></thead>
<tbody role="rowgroup">
${Object.entries(theirs).map(([setting, now]) => row(LABELS[setting] ?? setting, now, yours[setting] ?? fullList([])))}</tbody>
</table></div>`;
}

function row(label: string, now: Html, yours: Html): Html {
  const differs = now.text !== yours.text;
  return html`<tr role="row"${differs && html` class="differs"`}><th scope="row" role="rowheader">${label}${
    differs && html`<span class="unseen"> (differs)</span>`
  }</th><td role="cell" data-title="Now">${now}</td><td role="cell" data-title="Yours">${yours}</td></tr>
`;
}

/** The settings of a kind of key, for display. */
function settingsOf(values: FormValues, kind: Kind): Readonly<Record<string, Html>> {
  const { name, apis, scopes, defaultScopes, platform, channels, expiresAt } = values;
  const { allowedAddresses = '', limits = '', metadata = '' } = values;
  return {
    name: textOf(name),
    ...(kind === 'access' ? {} : { apis: listOf(apis, hasNoAllOption(kind, 'apis')) }),
    scopes: listOf(scopes, hasNoAllOption(kind, 'scopes')),
    ...(kind === 'access' ? { defaultScopes: listOf(defaultScopes, false) } : {}),
    platform: textOf(platform),
    channels: listOf(channels, false),
    allowedAddresses: textOf(allowedAddresses.split(/[\s,]+/).join(' ')),
    limits: textOf(limits),
    expiresAt: textOf(expiresAt),
    metadata: textOf(metadata.replaceAll('\n', ', ')),
  };
}

function textOf(text: string): Html {
  return text === '' ? fullList([]) : userText(text);
}

/** The order of the checkboxes does not matter. */
function listOf({ of, names }: Choice, isList: boolean): Html {
  return fullList(of === 'all' && !isList ? 'all' : names.toSorted());
}
