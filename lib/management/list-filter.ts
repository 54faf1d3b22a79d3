/** Which keys to list. */
import type { Kind } from '../credentials/kind.js';
import type { KeyFilter } from '../store/ledger.js';
import { readGiven, readOneOf, readText } from './fields.js';
import type { KeyState } from './key-view.js';
import { readAfter, readLimit } from './pages.js';

/** Which keys to list; absent: all of the account that are not revoked. */
export interface ListFilter {
  readonly kind?: Kind | undefined;
  /** API keys that reach this API. An access key has scopes instead: of access keys none is listed. */
  readonly api?: string | undefined;
  readonly state?: KeyState | undefined;
  /** Part of a name, an id or a hint; case does not matter. */
  readonly text?: string | undefined;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** 1 to 200; 50. */
  readonly limit?: number | undefined;
}

const STATES = ['active', 'disabled', 'expired', 'revoked'] as const;
const FILTERS = ['kind', 'api', 'state', 'text', 'after', 'limit'];

/** @throws ManagementError `invalid` */
export function readListFilter(given: unknown, all: readonly Kind[]): Omit<KeyFilter, 'account' | 'now'> {
  const { kind, api, state, text, after, limit } = readGiven(given, FILTERS);
  return {
    kinds: kind === undefined ? all : [readOneOf('kind', kind, all)],
    api: api === undefined ? undefined : readText('api', api),
    state: state === undefined ? undefined : readOneOf('state', state, STATES),
    text: text === undefined ? undefined : readText('text', text),
    after: readAfter(after),
    limit: readLimit(limit),
  };
}
