/** The page of the audit log. */

import { ACTION_NAMES, actionTitle } from '../components/audit-action-labels.js';
import { auditEntries } from '../components/audit-entries.js';
import { dateField, hidden, keySearchField, moreFilters, searchField, select } from '../components/controls.js';
import { FLASH } from '../components/flash-message.js';
import { type Html, html, join, userText } from '../components/html.js';
import { layout } from '../components/layout.js';
import type { Page } from '../http/page-context.js';
import { htmlResponse } from '../http/page-response.js';
import { filtersIn, limitIn, queryString } from '../http/query-string.js';
import { redirectWholeSecret, shortenedNote } from '../http/secret-in-search.js';
import { ACCESS_KEYS, API_KEYS, type KeyType, keyName } from '../key-type.js';
import {
  AUDIT_FILTERS,
  type AuditReader,
  auditReader,
  keyTypeOfEntry,
  MAX_FOUND_KEYS,
  subjectNames,
} from './audit-reader.js';

export const AUDIT_QUERY: readonly string[] = [...AUDIT_FILTERS, 'after', 'limit', FLASH];

export const auditPage: Page = redirectWholeSecret('/audit', AUDIT_QUERY, 'subject', async (context) => {
  const { base, fields, now } = context;
  const filters = filtersIn(fields, AUDIT_FILTERS);
  const [after, limit] = [fields.one('after'), fields.one('limit')];
  const reader = await auditReader(context);
  const { items, next } = await reader.read(after, limitIn(fields));
  const names = await subjectNames(context, items);
  const main = html`<h1>Audit log</h1>
${filterForm(filters, { limit, after }, base, items.length > 0 || after === undefined)}
${shortenedNote(context)}
${foundKeys(base, reader)}
${
  items.length === 0
    ? nothingFound(base, { ...filters, after }, reader)
    : auditEntries(items, now, {
        links: {
          subject: (id, entry) => subjectLink(base, keyTypeOfEntry(entry), id, names.get(id)),
          actor: (actor) => `${base}/audit${queryString({ ...filters, actor, limit })}`,
        },
      })
}
<nav class="pages" aria-label="Pagination">
${after !== undefined && html`<a href="${base}/audit${queryString({ ...filters, limit })}">First page</a>`}
${next !== null && html`<a rel="next" href="${base}/audit${queryString({ ...filters, limit, after: next })}">Next page</a>`}
</nav>`;
  return htmlResponse(200, layout(context, { title: 'Audit log', tab: 'audit', main }));
});

/** Says which keys the filter found by a part of their name, ID or hint, with a link to each. */
function foundKeys(base: string, { found = [], hasTooMany }: AuditReader): Html | undefined {
  if (found.length === 0 || hasTooMany) return undefined;
  const links = found.map((key) =>
    subjectLink(base, key.kind === 'access' ? ACCESS_KEYS : API_KEYS, key.id, keyName(key)),
  );
  return html`<p class="muted">Showing entries about ${found.length === 1 ? 'the key' : `${found.length} keys:`} ${join(links, html`, `)}.</p>`;
}

/**
 * The text for an empty list. It says why a filter may find nothing: IDs of members are compared as a whole, and days
 * are in UTC.
 */
function nothingFound(
  base: string,
  { after, actor, from, to, ...others }: Readonly<Record<string, string | undefined>>,
  { found, hasTooMany }: AuditReader,
): Html {
  if ([actor, from, to, ...Object.values(others)].every((value) => value === undefined))
    return html`<p class="empty">${after === undefined ? 'The audit log has no entries yet.' : 'There are no older entries.'}</p>`;
  const noMatch = `No ${after === undefined ? '' : 'older '}entries match your filters. `;
  const why = hasTooMany
    ? `${TOO_MANY_KEYS} `
    : `${found?.length === 0 ? 'No keys match. Enter part of the name or ID of a key, or the last characters of a key or client secret. ' : noMatch}${actor === undefined ? '' : 'The Member ID filter matches only full IDs. '}${from === undefined && to === undefined ? '' : 'Dates are in UTC. '}`;
  return html`<p class="empty">${why}<a href="${base}/audit">Clear filters</a></p>`;
}

export const TOO_MANY_KEYS = `More than ${MAX_FOUND_KEYS} keys match. Enter more of the name, or the full ID.`;

function filterForm(
  { from, to, actor, action, subject }: Readonly<Record<string, string>>,
  { limit, after }: Readonly<Record<'limit' | 'after', string | undefined>>,
  base: string,
  canExport: boolean,
): Html {
  const known = action === undefined || ACTION_NAMES.includes(action) ? ACTION_NAMES : [...ACTION_NAMES, action];
  const options = [{ value: '', title: 'Any' }, ...known.map((value) => ({ value, title: actionTitle(value) }))];
  return html`<form class="filters" role="search" aria-label="Filter" action="${base}/audit">
${searchField('actor', 'Member ID', actor, 'Full ID, or click a member below')}
${moreFilters(
  [from, to, action, subject].some((value) => value !== undefined),
  html`${dateField('from', 'From', from)}
${dateField('to', 'To', to)}
${select('action', 'Action', options, action)}
${keySearchField('subject', 'Key', subject)}`,
)}
${limit !== undefined && hidden('limit', limit)}
<button class="plain">Filter</button>
${canExport && exportButton(base, after)}
</form>`;
}

/**
 * The button that exports the entries as CSV. The export uses the filters in the form, even if the page does not show
 * their result yet. On a later page, the export starts with the entries of that page.
 */
function exportButton(base: string, after: string | undefined): Html {
  const cursor = after !== undefined && html` name="after" value="${after}"`;
  return html`<button class="plain" formaction="${base}/audit.csv"${cursor}>${after === undefined ? 'Export as CSV' : 'Export this page and older entries as CSV'}</button>`;
}

/** Links to a key, with its ID as a tooltip. An account has no page, so it has no link. */
function subjectLink(base: string, keyType: KeyType | undefined, id: string, name: string | undefined): Html {
  if (keyType === undefined) return html`the account <code>${id}</code>`;
  const path = `${base}${keyType.path}/${encodeURIComponent(id)}`;
  if (name === undefined) return html`<a href="${path}"><code>${id}</code></a>`;
  return html`<a href="${path}" title="${id}">${userText(name)}</a>`;
}
