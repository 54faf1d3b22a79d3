/** The page that lists the keys of one type, with its filters. */

import { DEFAULT_ORDER, type KeyOrder, type ListFilter } from '../../management/key-list-filter.js';
import type { KeyView } from '../../management/keys/key-view.js';
import { hidden, keySearchField, moreFilters, type SelectOption, searchField, select } from '../components/controls.js';
import { allRevoked, firstRun, noKeys, nothingFound } from '../components/empty-key-list.js';
import { FLASH, FLASH_KEY, listFlashMessage } from '../components/flash-message.js';
import { CLOSE_QUOTE, type Html, html, join, OPEN_QUOTE, userText } from '../components/html.js';
import { ENVIRONMENTS, KINDS, STATES } from '../components/key-labels.js';
import { keyTable } from '../components/key-table.js';
import { layout } from '../components/layout.js';
import { timeAgo } from '../components/times.js';
import { expiresSoon } from '../expires-soon.js';
import { badRequest } from '../http/http-error.js';
import { type MemberAccount, memberAccount } from '../http/member-account.js';
import type { Page, PageContext } from '../http/page-context.js';
import { htmlResponse } from '../http/page-response.js';
import { can } from '../http/permissions.js';
import { filtersIn, limitIn, queryString } from '../http/query-string.js';
import { redirectWholeSecret, shortenedNote } from '../http/secret-in-search.js';
import { API_KEYS, type KeyType, keyName, keyPath } from '../key-type.js';

type KeyPage = Awaited<ReturnType<PageContext['site']['management']['keys']['list']>>;
/** The filters, the order and the page size in the query. The links to other pages of the list repeat them. */
type ListView = Readonly<Record<string, string | undefined>>;

const FILTERS: Readonly<Record<KeyType['name'], readonly string[]>> = {
  keys: ['environment', 'kind', 'api', 'state', 'text', 'unused'],
  accessKeys: ['environment', 'state', 'text', 'unused'],
};

export function keyListQuery(keyType: KeyType): readonly string[] {
  return [...FILTERS[keyType.name], 'sort', 'after', 'limit', FLASH, FLASH_KEY];
}

const DAY = 86_400_000;
/** Maximum number of keys that the banner about expiring keys names. */
const MAX_NAMED = 5;

export function keyListPage(keyType: KeyType): Page {
  return redirectWholeSecret(keyType.list, keyListQuery(keyType), 'text', listPage(keyType));
}

function listPage(keyType: KeyType): Page {
  return async (context) => {
    const { site, member, base, fields, now } = context;
    const filters = filtersIn(fields, FILTERS[keyType.name]);
    const [sort, after, limit] = [fields.one('sort'), fields.one('after'), fields.one('limit')];
    const { unused, ...listed } = filters;
    const filter = {
      ...listed,
      unusedSince: daysBefore(now, unused),
      sort: sort ?? DEFAULT_ORDER,
      after,
      limit: limitIn(fields),
    } as ListFilter;
    const [keys, options] = [await site.management[keyType.name].list(member, filter), await memberAccount(context)];
    const ids = keys.items.map(({ id }) => id);
    const usage = await site.management.recentUsage(member, ids);
    const view = { ...filters, sort, limit };
    const path = `${base}${keyType.list}`;
    const canCreate = !options.disabled && can(context, 'create');
    const isFiltered = Object.keys(filters).length > 0;
    const isEmpty = keys.items.length === 0 && after === undefined && !isFiltered;
    const isFirstRun = isEmpty && !(await hasRevokedKeys(context, keyType));
    const main = html`<div class="head"><h1>${keyType.title}</h1><div class="actions">${!isFirstRun && environmentSwitch(path, view)}${canCreate && html`<a class="button" href="${base}${keyType.create}${queryString({ environment: filters.environment })}">Create ${keyType.noun}</a>`}</div></div>
${await listFlashMessage(context, keyType)}
${options.disabled && html`<p class="banner">Your account is disabled${isFirstRun ? ', so' : '. All its keys are refused, and'} you cannot create keys. To enable the account, contact support.</p>`}
${!isFirstRun && html`${filterForm(keyType, view, options, base)}\n${shortenedNote(context)}`}
<p class="unseen" role="status" id="found">${!isEmpty && resultCount(keyType, keys, isFiltered)}</p>
<div id="results">
${expiryBanner(keyType, keys.items, context)}
${
  isFirstRun
    ? canCreate
      ? firstRun(context, keyType)
      : noKeys(context, keyType)
    : keys.items.length === 0
      ? isEmpty
        ? allRevoked(keyType, path)
        : isFiltered
          ? nothingFound(keyType, view, base)
          : html`<p class="empty">${nothingOf(keyType, isFiltered)}</p>`
      : keyTable(keyType, keys.items, {
          base,
          now,
          usage,
          order: sort ?? DEFAULT_ORDER,
          linkTo: (order) => `${path}${queryString({ ...view, sort: order === DEFAULT_ORDER ? undefined : order })}`,
        })
}
<nav class="pages" aria-label="Pagination">
${after !== undefined && html`<a href="${base}${keyType.list}${queryString(view)}">First page</a>`}
${keys.next !== null && html`<a rel="next" href="${base}${keyType.list}${queryString({ ...view, after: keys.next })}">Next page</a>`}
</nav></div>`;
    return htmlResponse(200, layout(context, { title: keyType.title, tab: keyType.name, main }));
  };
}

async function hasRevokedKeys({ site, member }: PageContext, { name }: KeyType): Promise<boolean> {
  return (await site.management[name].list(member, { state: 'revoked', limit: 1 })).items.length > 0;
}

/** Says how many keys were found. Only screen readers read it. */
function resultCount(keyType: KeyType, { items, next }: KeyPage, isFiltered: boolean): string {
  if (items.length === 0) return nothingOf(keyType, isFiltered);
  const { noun } = keyType;
  const count = items.length === 1 ? `1 ${noun}` : `${items.length} ${noun}s`;
  return next === null ? `${count} on this page.` : `${count} on this page. There are more on the next page.`;
}

/** The text for a page without keys. Without filters, it is a page after the last key. */
function nothingOf({ noun }: KeyType, isFiltered: boolean): string {
  return isFiltered ? `No ${noun}s match your filters.` : `There are no more ${noun}s.`;
}

/**
 * Warns about keys of this page that expire soon. Other pages are not checked, because reading all keys would take too
 * long.
 */
function expiryBanner(keyType: KeyType, keys: readonly KeyView[], { base, now }: PageContext): Html | undefined {
  const expiring = keys.filter((key) => expiresSoon(key, now));
  if (expiring.length === 0) return undefined;
  const named = expiring
    .slice(0, MAX_NAMED)
    .map(
      (key) =>
        html`<a href="${base}${keyPath(keyType, key)}">${userText(keyName(key))}</a> (${timeAgo(key.expiresAt, now)})`,
    );
  const more = expiring.length - named.length;
  const count =
    expiring.length === 1
      ? '1 key on this page will expire within the next 14 days'
      : `${expiring.length} keys on this page will expire within the next 14 days`;
  return html`<p class="banner">${count}: ${join(named, html`, `)}${more > 0 && html` and ${more} more`}.</p>`;
}

function environmentSwitch(path: string, view: ListView): Html {
  const link = (environment: string | undefined, title: string) => {
    const isCurrent = environment === view.environment;
    return html`<li><a href="${path}${queryString({ ...view, environment })}"${isCurrent && html` aria-current="true"`}>${title}</a></li>`;
  };
  return html`<nav aria-label="Environment"><ul class="switch">${link(undefined, 'All')}${link('live', ENVIRONMENTS.live)}${link('sandbox', ENVIRONMENTS.sandbox)}</ul></nav>`;
}

function filterForm(
  keyType: KeyType,
  { environment, kind, api, state, text, unused, sort, limit }: ListView,
  { apis }: MemberAccount,
  base: string,
): Html {
  const states = Object.entries(STATES).map(([value, title]) => ({ value, title }));
  return html`<form class="filters" role="search" aria-label="Filter" action="${base}${keyType.list}" data-live>
${keySearchField('text', 'Search', text)}
${moreFilters(
  [kind, api, state, unused, sort].some((value) => value !== undefined),
  html`${keyType === API_KEYS && html`${select('kind', 'Kind', [ANY, ...KIND_OPTIONS], kind)}${apiField(apis, api)}`}
${select('state', 'State', [{ value: '', title: 'Not revoked' }, ...states], state)}
${select('unused', 'Last used', LAST_USED_OPTIONS, unused)}
${select('sort', 'Sort by', ORDERS, sort)}`,
)}
${environment !== undefined && hidden('environment', environment)}
${limit !== undefined && hidden('limit', limit)}
<button class="plain">Filter</button>
</form>`;
}

const LAST_USED_OPTIONS: readonly SelectOption[] = [
  { value: '', title: 'Any time' },
  { value: '7', title: 'Not used for 7 days' },
  { value: '30', title: 'Not used for 30 days' },
  { value: '90', title: 'Not used for 90 days' },
  { value: '365', title: 'Not used for a year' },
];

function daysBefore(now: number, days: string | undefined): Date | undefined {
  if (days === undefined) return undefined;
  if (!/^[1-9]\d{0,3}$/.test(days))
    throw badRequest(`The filter ${OPEN_QUOTE}Last used${CLOSE_QUOTE} must be a number of days from 1 to 9999.`);
  return new Date(now - Number(days) * DAY);
}

const ORDER_TITLES: Readonly<Record<KeyOrder, string>> = {
  '-created': 'Newest first',
  created: 'Oldest first',
  name: 'Name, A to Z',
  '-name': 'Name, Z to A',
  '-used': 'Most recently used',
  used: 'Least recently used',
};
const ORDERS: readonly SelectOption[] = Object.entries(ORDER_TITLES).map(([order, title]) => ({
  value: order === DEFAULT_ORDER ? '' : order,
  title,
}));

const ANY: SelectOption = { value: '', title: 'Any' };
const KIND_OPTIONS: readonly SelectOption[] = [
  { value: 'secret', title: KINDS.secret.title },
  { value: 'public', title: KINDS.public.title },
];

/** The filter by API. If the account may use any API, there is no list to choose from, so the member types a name. */
function apiField(apis: MemberAccount['apis'], api: string | undefined): Html {
  if (apis === 'all') return searchField('api', 'API', api);
  const names = api === undefined || apis.includes(api) ? apis : [...apis, api];
  return select('api', 'API', [ANY, ...names.map((name) => ({ value: name, title: name }))], api);
}
