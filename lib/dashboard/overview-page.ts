/** The list of keys of one sort, with its filters. */

import type { KeyView } from '../management/key-view.js';
import type { ListFilter } from '../management/list-filter.js';
import { type AccountOffer, offerOf } from './account-reach.js';
import { answerPage } from './answer.js';
import { type Entry, searchField, select } from './controls.js';
import { DONE, doneIn } from './done.js';
import { chosen, type Html, html, joined } from './html.js';
import { keyTable } from './key-table.js';
import { KINDS, STATES } from './key-words.js';
import { layout } from './layout.js';
import { filtersIn, limitIn, queryText } from './query-text.js';
import { API_KEYS, nameOf, pathOf, type Sort } from './sort.js';
import { ago } from './times.js';
import type { Page, Visit } from './visit.js';

type Filters = Readonly<Record<string, string>>;

const FILTERS: Readonly<Record<Sort['name'], readonly string[]>> = {
  keys: ['kind', 'api', 'state', 'text'],
  accessKeys: ['state', 'text'],
};

/** The fields that the list takes in its address. */
export function overviewQuery(sort: Sort): readonly string[] {
  return [...FILTERS[sort.name], 'after', 'limit', DONE];
}

/** Milliseconds: who has a key that ends within them should know. */
const SOON = 14 * 86_400_000;
/** How many of those that end soon are named. */
const NAMED = 5;

export function overviewPage(sort: Sort): Page {
  return async (visit) => {
    const { site, member, base, fields, now } = visit;
    const filters = filtersIn(fields, FILTERS[sort.name]);
    const [after, limit] = [fields.one('after'), fields.one('limit')];
    const filter = { ...filters, after, limit: limitIn(fields) } as ListFilter;
    const [keys, offer] = [await site.management[sort.name].list(member, filter), await offerOf(visit)];
    const main = html`<div class="head"><h1>${sort.title}</h1><a class="button" href="${base}${sort.create}">Create ${sort.noun}</a></div>
${doneIn(visit)}
${offer.disabled && html`<p class="banner">The account is disabled: none of its keys is taken. Ask whoever runs this platform.</p>`}
${expiring(sort, keys.items, visit)}
${filterForm(sort, filters, limit, offer, base)}
${keys.items.length === 0 ? empty(sort, filters, after, base) : keyTable(sort, keys.items, base, now)}
<nav class="pages" aria-label="Pages">
${after !== undefined && html`<a href="${base}${sort.list}${queryText({ ...filters, limit })}">First page</a>`}
${keys.next !== null && html`<a rel="next" href="${base}${sort.list}${queryText({ ...filters, limit, after: keys.next })}">Next page</a>`}
</nav>`;
    return answerPage(200, layout(visit, { title: sort.title, tab: sort.name, main }));
  };
}

/** Of the keys on this page: to look through all of them would cost more the more there are. */
function expiring(sort: Sort, keys: readonly KeyView[], { base, now }: Visit): Html | undefined {
  const ending = keys.filter(
    (key): key is KeyView & { expiresAt: Date } =>
      key.state === 'active' && key.expiresAt !== null && key.expiresAt.getTime() - now < SOON,
  );
  if (ending.length === 0) return undefined;
  const named = ending
    .slice(0, NAMED)
    .map((key) => html`<a href="${base}${pathOf(sort, key)}">${chosen(nameOf(key))}</a> ${ago(key.expiresAt, now)}`);
  const more = ending.length - named.length;
  return html`<p class="banner">Of the keys on this page, ${ending.length} will expire within 14 days: ${joined(named, html`, `)}${
    more > 0 && html` and ${more} more`
  }.</p>`;
}

function filterForm(
  sort: Sort,
  { kind, api, state, text }: Filters,
  limit: string | undefined,
  { apis }: AccountOffer,
  base: string,
): Html {
  const states = Object.entries(STATES).map(([value, title]) => ({ value, title }));
  return html`<form class="filters" role="search" aria-label="Filter" action="${base}${sort.list}">
${sort === API_KEYS && html`${select('kind', 'Kind', [ANY, ...KIND_ENTRIES], kind)}${apiField(apis, api)}`}
${select('state', 'State', [{ value: '', title: 'All but deleted' }, ...states], state)}
${searchField('text', 'Name, id or last characters', text)}
${limit !== undefined && html`<input type="hidden" name="limit" value="${limit}">`}
<button class="plain">Filter</button>
</form>`;
}

const ANY: Entry = { value: '', title: 'Any' };
const KIND_ENTRIES: readonly Entry[] = [
  { value: 'secret', title: KINDS.secret.title },
  { value: 'public', title: KINDS.public.title },
];

/** An account that has every API has no list of them. */
function apiField(apis: AccountOffer['apis'], api: string | undefined): Html {
  if (apis === 'all') return searchField('api', 'API', api);
  const names = api === undefined || apis.includes(api) ? apis : [...apis, api];
  return select('api', 'API', [ANY, ...names.map((name) => ({ value: name, title: name }))], api);
}

function empty(sort: Sort, filters: Filters, after: string | undefined, base: string): Html {
  if (Object.keys(filters).length > 0 || after !== undefined) {
    return html`<p class="empty">No ${sort.noun} matches. <a href="${base}${sort.list}">Show all</a></p>`;
  }
  const uses = sort === API_KEYS ? [KINDS.secret, KINDS.public] : [KINDS.access];
  return html`<div class="empty"><h2>No ${sort.noun} yet</h2>
${uses.map(({ title, use }) => html`<p><strong>${title}.</strong> ${use}</p>`)}
<p><a href="${base}${sort.create}">Create the first one</a></p></div>`;
}
