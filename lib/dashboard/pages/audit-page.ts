/** The audit log. */
import type { AuditListFilter } from '../../management/audit-log/audit-log.js';
import { actionTitle, auditEntries } from '../components/audit-entries.js';
import { dateField, moreFilters, searchField, select } from '../components/controls.js';
import { type Html, html, userText } from '../components/html.js';
import { layout } from '../components/layout.js';
import { endOf, startOf } from '../forms/day.js';
import type { Page, PageContext } from '../http/page-context.js';
import { answerPage } from '../http/page-response.js';
import { filtersIn, limitIn, queryString } from '../http/query-string.js';
import { ACCESS_KEYS, API_KEYS, type KeyType } from '../key-type.js';

const FILTERS = ['from', 'to', 'actor', 'action', 'subject'];

/** The query parameters of the audit log, for the CSV file and for the page. */
export const AUDIT_QUERY: readonly string[] = [...FILTERS, 'after', 'limit'];

const COMMON_ACTIONS = ['create', 'edit', 'rotate', 'end_grace', 'revoke'];

/** Only refused views are in the audit log. */
const ACTIONS: readonly string[] = [
  ...['view', ...COMMON_ACTIONS].map((action) => `key.${action}`),
  ...['view', ...COMMON_ACTIONS, 'add_secret', 'delete_secret', 'add_public_key', 'remove_public_key'].map(
    (action) => `access_key.${action}`,
  ),
  ...['key.import', 'account.put', 'account.disable', 'account.enable', 'sign_in', 'sign_out'],
];

/** The filter in the address; management refuses values that are not valid. */
export function auditFilterIn({ fields }: PageContext): AuditListFilter {
  const { from, to, ...texts } = filtersIn(fields, FILTERS);
  return {
    ...texts,
    from: from === undefined ? undefined : startOf('from', from),
    to: to === undefined ? undefined : endOf('to', to),
    after: fields.one('after'),
    limit: limitIn(fields),
  };
}

export const auditPage: Page = async (context) => {
  const { site, member, base, fields, now } = context;
  const filters = filtersIn(fields, FILTERS);
  const [after, limit] = [fields.one('after'), fields.one('limit')];
  const { items, next } = await site.management.audit(member, auditFilterIn(context));
  const ids = items.flatMap(({ subject }) => (keyTypeOf(subject) === undefined ? [] : (subject ?? [])));
  const names = await site.management.keyNames(member, [...new Set(ids)]);
  const main = html`<h1>Audit log</h1>
${filterForm(filters, { limit, after }, base)}
${
  items.length === 0
    ? nothingFound(base, filters)
    : auditEntries(items, now, {
        links: {
          subject: (id) => subjectLink(base, id, names.get(id)),
          actor: (actor) => `${base}/audit${queryString({ ...filters, actor, limit })}`,
        },
      })
}
<nav class="pages" aria-label="Pages">
${after !== undefined && html`<a href="${base}/audit${queryString({ ...filters, limit })}">First page</a>`}
${next !== null && html`<a rel="next" href="${base}/audit${queryString({ ...filters, limit, after: next })}">Next page</a>`}
</nav>`;
  return answerPage(200, layout(context, { title: 'Audit log', tab: 'audit', main }));
};

/** IDs of members and keys are compared as a whole, so a part of an ID must not look like a member who did nothing. */
function nothingFound(base: string, { actor, subject }: Readonly<Record<string, string>>): Html {
  const whole = [actor !== undefined && 'member', subject !== undefined && 'key'].filter(Boolean).join(' and of the ');
  return html`<p class="empty">No entry matches. ${whole !== '' && `The filter needs the whole ID of the ${whole}: a part of it finds nothing. `}Days are in UTC. <a href="${base}/audit">Show all</a></p>`;
}

function filterForm(
  { from, to, actor, action, subject }: Readonly<Record<string, string>>,
  { limit, after }: Readonly<Record<'limit' | 'after', string | undefined>>,
  base: string,
): Html {
  const known = action === undefined || ACTIONS.includes(action) ? ACTIONS : [...ACTIONS, action];
  const entries = [{ value: '', title: 'Any' }, ...known.map((value) => ({ value, title: actionTitle(value) }))];
  return html`<form class="filters" role="search" aria-label="Filter" action="${base}/audit">
${searchField('actor', 'Member (whole ID)', actor)}
${moreFilters(
  [from, to, action, subject].some((value) => value !== undefined),
  html`${dateField('from', 'From', from)}
${dateField('to', 'To', to)}
${select('action', 'Action', entries, action)}
${searchField('subject', 'Key (whole ID)', subject)}`,
)}
${limit !== undefined && html`<input type="hidden" name="limit" value="${limit}">`}
<button class="plain">Filter</button>
${exportButton(base, after)}
</form>`;
}

/** Sends the filters in the form, also those that the page does not show yet. A later page exports from its place on. */
function exportButton(base: string, after: string | undefined): Html {
  const place = after !== undefined && html` name="after" value="${after}"`;
  return html`<button class="plain" formaction="${base}/audit.csv"${place}>${after === undefined ? 'Export as CSV' : 'Export from here as CSV'}</button>`;
}

/** The name of a key, with its ID as a tooltip. An account has no page. */
function subjectLink(base: string, id: string, name: string | undefined): Html {
  const keyType = keyTypeOf(id);
  if (keyType === undefined) return html`<code>${id}</code>`;
  const path = `${base}${keyType.path}/${encodeURIComponent(id)}`;
  if (name === undefined) return html`<a href="${path}"><code>${id}</code></a>`;
  return html`<a href="${path}" title="${id}">${userText(name)}</a>`;
}

/** The id of a key shows its type. */
function keyTypeOf(id: string | null): KeyType | undefined {
  if (id?.startsWith('key_')) return API_KEYS;
  return id?.startsWith('ack_') ? ACCESS_KEYS : undefined;
}
