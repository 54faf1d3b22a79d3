/** Who did what when. */
import type { AuditListFilter } from '../management/audit-log.js';
import { answerPage } from './answer.js';
import { auditTable } from './audit-words.js';
import { searchField, select } from './controls.js';
import { type Html, html } from './html.js';
import { layout } from './layout.js';
import { filtersIn, limitIn, queryText } from './query-text.js';
import { ACCESS_KEYS, API_KEYS } from './sort.js';
import type { Page, Visit } from './visit.js';

const FILTERS = ['actor', 'action', 'subject'];

/** The fields that the audit takes in its address as a file, which has no pages, and as a page. */
export const AUDIT_FILE_QUERY: readonly string[] = [...FILTERS, 'after'];
export const AUDIT_QUERY: readonly string[] = [...AUDIT_FILE_QUERY, 'limit'];

const OF_EITHER = ['create', 'edit', 'roll', 'end_grace', 'delete'];

/** What members do; what they only look at is written down where it was refused. */
const ACTIONS: readonly string[] = [
  ...['view', ...OF_EITHER].map((action) => `key.${action}`),
  ...['view', ...OF_EITHER, 'add_secret', 'delete_secret'].map((action) => `access_key.${action}`),
  ...['key.import', 'account.put', 'account.disable', 'account.enable', 'sign_in'],
];

/** What the address asks for; management refuses what it does not know. */
export function auditFilterIn({ fields }: Visit): AuditListFilter {
  return { ...filtersIn(fields, FILTERS), after: fields.one('after'), limit: limitIn(fields) };
}

export const auditPage: Page = async (visit) => {
  const { site, member, base, fields, now } = visit;
  const filters = filtersIn(fields, FILTERS);
  const [after, limit] = [fields.one('after'), fields.one('limit')];
  const { items, next } = await site.management.audit(member, auditFilterIn(visit));
  const file = `${base}/audit.csv${queryText({ ...filters, after })}`;
  const main = html`<div class="head"><h1>Audit</h1><a class="button plain" href="${file}" download>Export as CSV</a></div>
${filterForm(filters, limit, base)}
${
  items.length === 0
    ? html`<p class="empty">Nothing was done that matches. <a href="${base}/audit">Show all</a></p>`
    : auditTable('What was done, the latest first', items, now, (id) => subjectLink(base, id))
}
<nav class="pages" aria-label="Pages">
${after !== undefined && html`<a href="${base}/audit${queryText({ ...filters, limit })}">First page</a>`}
${next !== null && html`<a rel="next" href="${base}/audit${queryText({ ...filters, limit, after: next })}">Next page</a>`}
</nav>`;
  return answerPage(200, layout(visit, { title: 'Audit', tab: 'audit', main }));
};

function filterForm(
  { actor, action, subject }: Readonly<Record<string, string>>,
  limit: string | undefined,
  base: string,
): Html {
  const known = action === undefined || ACTIONS.includes(action) ? ACTIONS : [...ACTIONS, action];
  const entries = [{ value: '', title: 'Any' }, ...known.map((value) => ({ value, title: value }))];
  return html`<form class="filters" role="search" aria-label="Filter" action="${base}/audit">
${searchField('actor', 'Who, by id', actor)}
${select('action', 'What', entries, action)}
${searchField('subject', 'On, by id', subject)}
${limit !== undefined && html`<input type="hidden" name="limit" value="${limit}">`}
<button class="plain">Filter</button>
</form>`;
}

/** Ids of keys tell their sort; an account has no page. */
function subjectLink(base: string, id: string): Html {
  const sort = [API_KEYS, ACCESS_KEYS].find((_sort, index) => id.startsWith(index === 0 ? 'key_' : 'ack_'));
  if (sort === undefined) return html`<code>${id}</code>`;
  return html`<a href="${base}${sort.path}/${encodeURIComponent(id)}"><code>${id}</code></a>`;
}
