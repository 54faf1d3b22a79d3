/** The two sorts of keys: API keys and access keys. Their pages differ in little. */
import type { KeyView } from '../management/key-view.js';

export type SortName = 'keys' | 'accessKeys';

export interface Sort {
  /** As `Management` has it. */
  readonly name: SortName;
  /** What one is called. */
  readonly noun: string;
  /** Below the mount: where the list is, and what the paths of one begin with. */
  readonly list: string;
  readonly path: string;
  readonly create: string;
  readonly title: string;
}

export const API_KEYS: Sort = Object.freeze({
  name: 'keys',
  noun: 'API key',
  list: '/',
  path: '/keys',
  create: '/keys/new',
  title: 'API keys',
});

export const ACCESS_KEYS: Sort = Object.freeze({
  name: 'accessKeys',
  noun: 'access key',
  list: '/access-keys',
  path: '/access-keys',
  create: '/access-keys/new',
  title: 'Access keys',
});

/** The path of one key below the mount. Its id is of characters that stand for themselves there. */
export function pathOf(sort: Sort, { id }: Pick<KeyView, 'id'>): string {
  return `${sort.path}/${encodeURIComponent(id)}`;
}

/** What a page calls a key: its name, or its id where it has none. */
export function nameOf({ name, id }: Pick<KeyView, 'name' | 'id'>): string {
  return name ?? id;
}
