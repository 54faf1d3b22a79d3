/** A page of keys as a table; on a narrow screen its rows are cards. */
import type { KeyView } from '../management/key-view.js';
import { chosen, type Html, html } from './html.js';
import { ENVIRONMENTS, few, KINDS, stateOf } from './key-words.js';
import { nameOf, pathOf, type Sort } from './sort.js';
import { ago } from './times.js';

interface Column {
  readonly title: string;
  readonly cell: (key: KeyView) => Html;
}

export function keyTable(sort: Sort, keys: readonly KeyView[], base: string, now: number): Html {
  const columns = columnsOf(sort, now);
  return html`<div class="scroll"><table role="table" data-filtered>
<caption>${sort.title}, the newest first</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Name</th>${columns.map(
    ({ title }) => html`<th scope="col" role="columnheader">${title}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">
${keys.map(
  (key) =>
    html`<tr role="row"><th scope="row" role="rowheader"><a href="${base}${pathOf(sort, key)}">${chosen(nameOf(key))}</a></th>${columns.map(
      ({ title, cell }) => html`<td role="cell" data-title="${title}">${cell(key)}</td>`,
    )}</tr>
`,
)}</tbody>
</table></div>`;
}

function columnsOf(sort: Sort, now: number): readonly Column[] {
  return [
    ...OF_SORT[sort.name],
    { title: 'Channels', cell: ({ channels }) => few(channels) },
    { title: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt === null ? NEVER : ago(lastUsedAt, now)) },
    { title: 'Created by', cell: ({ createdBy }) => chosen(createdBy) },
    { title: 'Expires', cell: ({ expiresAt }) => (expiresAt === null ? NEVER : ago(expiresAt, now)) },
    { title: 'State', cell: stateOf },
  ];
}

const NEVER = html`<span class="muted">Never</span>`;

const HINT: Column = { title: 'Key', cell: ({ hint }) => html`<code>${hint}</code>` };
const ENVIRONMENT: Column = { title: 'Environment', cell: ({ environment }) => html`${ENVIRONMENTS[environment]}` };

const OF_SORT: Readonly<Record<Sort['name'], readonly Column[]>> = {
  keys: [
    { title: 'Kind', cell: ({ kind }) => html`${KINDS[kind].word}` },
    HINT,
    ENVIRONMENT,
    { title: 'APIs', cell: ({ apis }) => few(apis ?? []) },
  ],
  accessKeys: [
    { title: 'Identifier', cell: ({ id }) => html`<code>${id}</code>` },
    { ...HINT, title: 'Secret' },
    ENVIRONMENT,
    { title: 'Scopes', cell: ({ scopes }) => few(scopes ?? []) },
  ],
};
