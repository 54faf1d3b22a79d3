/** Validates the filter and the sort order of a list of keys. */
import type { Kind } from '../credentials/credential-kind.js';
import { ENVIRONMENTS, type Environment } from '../credentials/environment.js';
import type { KeyFilter, KeySort } from '../store/repository/repository.js';
import { readGiven, readOneOf, readText, readTime } from './fields.js';
import type { KeyState } from './keys/key-view.js';
import { readKeyAfter, readLimit } from './pagination.js';

/**
 * What a list of keys is sorted by: the time of creation, the name, or the time of the last use. A minus reverses the
 * order. A key without a name is sorted by its id. A key that was never used is sorted as if its last use was the
 * oldest.
 */
export type KeyOrder = 'created' | '-created' | 'name' | '-name' | 'used' | '-used';

export const KEY_ORDERS: readonly KeyOrder[] = Object.freeze([
  ...(['created', '-created', 'name', '-name', 'used', '-used'] as const),
]);

/**
 * The order of a list of keys if the filter has no `sort`: newest first. The Dashboard, the command line and the
 * management API use the same default.
 */
export const DEFAULT_ORDER: KeyOrder = '-created';

/** Selects the keys to list. Default: all keys of the account that are not revoked. */
export interface ListFilter {
  readonly kind?: Kind | undefined;
  readonly environment?: Environment | undefined;
  /** Selects API keys that may use this API. Access keys are left out, because they have scopes instead of APIs. */
  readonly api?: string | undefined;
  readonly state?: KeyState | undefined;
  /** Selects keys that have this text in their name, id or hint. Upper and lower case make no difference. */
  readonly text?: string | undefined;
  /** Selects keys that were created before this time and have not been used since this time. */
  readonly unusedSince?: Date | undefined;
  /** What the list is sorted by; a minus reverses the order. Default: `'-created'`, newest first. */
  readonly sort?: KeyOrder | undefined;
  /** The `next` of the previous page, which was listed with the same `sort`. */
  readonly after?: string | undefined;
  /** The page size, 1 to 200. Default: 50. */
  readonly limit?: number | undefined;
}

const STATES = ['active', 'disabled', 'expired', 'revoked'] as const;
const FILTERS = ['kind', 'environment', 'api', 'state', 'text', 'unusedSince', 'sort', 'after', 'limit'];

/**
 * Validates a filter.
 *
 * @param all - The kinds of keys that the list may contain. If the filter has no `kind`, the list contains all of them.
 * @throws ManagementError `invalid`
 */
export function readListFilter(given: unknown, all: readonly Kind[]): Omit<KeyFilter, 'account' | 'now'> {
  const filter = readGiven(given, FILTERS);
  const { kind, environment, api, state, text, unusedSince, sort: order, after, limit } = filter;
  const sort = toSort(order === undefined ? DEFAULT_ORDER : readOneOf('sort', order, KEY_ORDERS));
  return {
    kinds: kind === undefined ? all : [readOneOf('kind', kind, all)],
    environment: environment === undefined ? undefined : readOneOf('environment', environment, ENVIRONMENTS),
    api: api === undefined ? undefined : readText('api', api),
    state: state === undefined ? undefined : readOneOf('state', state, STATES),
    text: text === undefined ? undefined : readText('text', text),
    unusedSince: readTime('unusedSince', unusedSince) ?? undefined,
    sort,
    after: readKeyAfter(after, sort),
    limit: readLimit(limit),
  };
}

function toSort(order: KeyOrder): KeySort {
  return { by: order.replace('-', '') as KeySort['by'], isDescending: order.startsWith('-') };
}
