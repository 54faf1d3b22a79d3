/** The table with one page of the list of keys. On a phone, `media-style.ts` shows each key as two lines. */
import type { KeyView } from '../../management/keys/key-view.js';
import type { UsageCounts } from '../../management/keys/usage.js';
import { type KeyType, keyName, keyPath } from '../key-type.js';
import { type Html, html, userText } from './html.js';
import { ENVIRONMENTS, KINDS, sandboxBadge, shortList, stateBadge } from './key-labels.js';
import { dayWithTooltip, timeAgo } from './times.js';

export interface KeyTableOptions {
  readonly base: string;
  readonly now: number;
  /** The requests of the last 30 days, by the ID of the key. Keys without requests are absent. */
  readonly usage: ReadonlyMap<string, UsageCounts>;
  /** The current order, such as `-created`. */
  readonly order: string;
  readonly linkTo: (order: string) => string;
}

interface Column {
  readonly title: string;
  /** The CSS class of the cells. On narrow screens, `media-style.ts` hides or moves the column by its class. */
  readonly className: string;
  /** The order that the heading links to, and its reverse. */
  readonly orders?: readonly [string, string];
  readonly cell: (key: KeyView) => Html;
}

export function keyTable(keyType: KeyType, keys: readonly KeyView[], options: KeyTableOptions): Html {
  const { base, order } = options;
  const columns = columnsOf(keyType, options);
  return html`<div class="scroll"><table role="table" class="keys">
<caption class="unseen">${keyType.title}, ${CAPTIONS[order]}</caption>
<thead role="rowgroup"><tr role="row">${heading({ title: 'Name', className: '', orders: ['name', '-name'] }, options)}${columns.map(
    (column) => heading(column, options),
  )}</tr></thead>
<tbody role="rowgroup">
${keys.map(
  (key) =>
    html`<tr role="row"><th role="rowheader"><a href="${base}${keyPath(keyType, key)}">${userText(keyName(key))}</a>${sandboxBadge(key)}</th>${columns.map(
      ({ className, cell }) => html`<td role="cell" class="${className}">${cell(key)}</td>`,
    )}</tr>
`,
)}</tbody>
</table></div>`;
}

const CAPTIONS: Readonly<Record<string, string>> = {
  created: 'oldest first',
  '-created': 'newest first',
  name: 'by name, from A to Z',
  '-name': 'by name, from Z to A',
  used: 'least recently used first',
  '-used': 'most recently used first',
};

/** A heading that links to the list in the first of its orders, or, if the list has that order, in the second. */
function heading({ title, className, orders }: Omit<Column, 'cell'>, { order, linkTo }: KeyTableOptions): Html {
  if (orders === undefined) return html`<th scope="col" role="columnheader" class="${className}">${title}</th>`;
  const isSorted = orders.includes(order);
  const direction = order.startsWith('-') ? 'descending' : 'ascending';
  const next = order === orders[0] ? orders[1] : orders[0];
  return html`<th scope="col" role="columnheader" class="${className}"${isSorted && html` aria-sort="${direction}"`}><a href="${linkTo(next)}">${title}</a></th>`;
}

function columnsOf(keyType: KeyType, { now, usage }: KeyTableOptions): readonly Column[] {
  const maxAccepted = Math.max(1, ...[...usage.values()].map(({ accepted }) => accepted));
  return [
    ...COLUMNS[keyType.name],
    {
      ...{ title: 'Created', className: 'wide', orders: ['-created', 'created'] },
      cell: ({ createdAt }) => timeAgo(createdAt, now),
    },
    {
      ...{ title: 'Last used', className: 'used', orders: ['-used', 'used'] },
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? NEVER : timeAgo(lastUsedAt, now)),
    },
    {
      title: 'Requests, last 30 days',
      className: 'recent',
      cell: ({ id }) => recentRequests(usage.get(id), maxAccepted),
    },
    {
      title: 'State',
      className: 'state',
      cell: (key) => html`${stateBadge(key)}${rotationOf(key)}${expiryOf(key, now)}`,
    },
  ];
}

/** The longest bar, in CSS pixels. */
const MAX_BAR_LENGTH = 56;

/**
 * The numbers of accepted and refused requests, and a bar for the accepted ones. The key with the most accepted requests
 * on the page has the longest bar.
 */
function recentRequests(counts: UsageCounts | undefined, maxAccepted: number): Html {
  if (counts === undefined) return html`<span class="muted">0</span>`;
  const { accepted, refused } = counts;
  const length = accepted === 0 ? 0 : Math.max(1, Math.round((accepted / maxAccepted) * MAX_BAR_LENGTH));
  return html`<svg width="${MAX_BAR_LENGTH}" height="6" aria-hidden="true"><path d="M0 3h${length}" stroke="currentColor" stroke-width="6"/></svg> ${accepted.toLocaleString('en-US')} accepted${
    refused > 0 && html`,<br><span class="muted">${refused.toLocaleString('en-US')} refused</span>`
  }`;
}

const NEVER = html`<span class="muted">Never used</span>`;

function rotationOf({ state, secrets }: KeyView): Html | undefined {
  const old = state === 'active' ? secrets.find((secret) => secret.state === 'grace_period') : undefined;
  if (old === undefined || old.acceptedUntil === null) return undefined;
  return html`<br><span class="muted">Grace period until ${dayWithTooltip(old.acceptedUntil)}</span>`;
}

/** When an active key expires. For any other key, the state already says why the key is refused. */
function expiryOf({ state, expiresAt }: KeyView, now: number): Html | undefined {
  if (state !== 'active' || expiresAt === null) return undefined;
  return html`<br><span class="muted">Expires ${timeAgo(expiresAt, now)}</span>`;
}

const ENVIRONMENT: Column = {
  ...{ title: 'Environment', className: 'wide' },
  cell: ({ environment }) => html`${ENVIRONMENTS[environment]}`,
};

const COLUMNS: Readonly<Record<KeyType['name'], readonly Column[]>> = {
  keys: [
    { title: 'Key', className: 'key', cell: ({ hint }) => html`<code>${hint}</code>` },
    { title: 'Kind', className: 'kind', cell: ({ kind }) => html`${KINDS[kind].word}` },
    ENVIRONMENT,
    { title: 'APIs', className: 'wide', cell: ({ apis }) => shortList(apis ?? []) },
  ],
  accessKeys: [
    { title: 'Client ID', className: 'key', cell: ({ id }) => html`<code>${id}</code>` },
    ENVIRONMENT,
    { title: 'Scopes', className: 'wide', cell: ({ scopes }) => shortList(scopes ?? []) },
  ],
};
