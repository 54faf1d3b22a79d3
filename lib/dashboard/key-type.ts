/** The two types of keys, API keys and access keys: their pages share code. */
import type { KeyView } from '../management/keys/key-view.js';

export type KeyTypeName = 'keys' | 'accessKeys';

export interface KeyType {
  /** Its name in `Management`. */
  readonly name: KeyTypeName;
  /** Its name in a sentence. */
  readonly noun: string;
  /** The path of the list below the mount path; paths of its keys start with it. */
  readonly list: string;
  readonly path: string;
  readonly create: string;
  readonly title: string;
}

export const API_KEYS: KeyType = Object.freeze({
  name: 'keys',
  noun: 'API key',
  list: '/',
  path: '/keys',
  create: '/keys/new',
  title: 'API keys',
});

export const ACCESS_KEYS: KeyType = Object.freeze({
  name: 'accessKeys',
  noun: 'access key',
  list: '/access-keys',
  path: '/access-keys',
  create: '/access-keys/new',
  title: 'Access keys',
});

/** The path of one key below the mount path. */
export function keyPath(keyType: KeyType, { id }: Pick<KeyView, 'id'>): string {
  return `${keyType.path}/${encodeURIComponent(id)}`;
}

/** The name of a key on pages: its name, or its id if it has none. */
export function keyName({ name, id }: Pick<KeyView, 'name' | 'id'>): string {
  return name ?? id;
}
