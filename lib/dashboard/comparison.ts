/** What a key is now, beside what an editor wrote who saw it before that. */
import type { Kind } from '../credentials/kind.js';
import type { KeyView } from '../management/key-view.js';
import { type Choice, type Draft, draftOf, listsOnly } from './draft.js';
import { chosen, type Html, html } from './html.js';
import { every } from './key-words.js';
import { LABELS } from './settings-form.js';

export function comparison(key: KeyView, draft: Draft): Html {
  const [theirs, yours] = [settingsOf(draftOf(key), key.kind), settingsOf(draft, key.kind)];
  return html`<div class="scroll"><table role="table">
<caption>What differs is marked</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Setting</th><th scope="col" role="columnheader">Now</th><th scope="col" role="columnheader">Yours</th></tr></thead>
<tbody role="rowgroup">
${Object.entries(theirs).map(([setting, now]) => row(LABELS[setting] ?? setting, now, yours[setting] ?? every([])))}</tbody>
</table></div>`;
}

function row(label: string, now: Html, yours: Html): Html {
  const differs = now.text !== yours.text;
  return html`<tr role="row"${differs && html` class="differs"`}><th scope="row" role="rowheader">${label}${
    differs && html`<span class="unseen"> (differs)</span>`
  }</th><td role="cell" data-title="Now">${now}</td><td role="cell" data-title="Yours">${yours}</td></tr>
`;
}

/** The settings that a key of a kind has, as they are read. */
function settingsOf(draft: Draft, kind: Kind): Readonly<Record<string, Html>> {
  const { name, apis, scopes, defaultScopes, platform, channels, expiresAt } = draft;
  return {
    name: textOf(name),
    ...(kind === 'access' ? {} : { apis: listOf(apis, listsOnly(kind, 'apis')) }),
    scopes: listOf(scopes, listsOnly(kind, 'scopes')),
    ...(kind === 'access' ? { defaultScopes: listOf(defaultScopes, false) } : {}),
    platform: textOf(platform),
    channels: listOf(channels, false),
    expiresAt: textOf(expiresAt),
  };
}

function textOf(text: string): Html {
  return text === '' ? every([]) : chosen(text);
}

/** Ticked in whatever order: what is the same reads the same. */
function listOf({ of, names }: Choice, isList: boolean): Html {
  return every(of === 'all' && !isList ? 'all' : names.toSorted());
}
