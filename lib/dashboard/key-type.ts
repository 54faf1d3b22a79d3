/** The two types of keys, API keys and access keys, whose pages have the same code. */
import type { KeyView } from '../management/keys/key-view.js';

export type KeyTypeName = 'keys' | 'accessKeys';

export interface KeyType {
  /** The name of its operations in `Management`. */
  readonly name: KeyTypeName;
  readonly noun: string;
  /** The path of the list. All paths of this type are relative to the mount path of the Dashboard. */
  readonly list: string;
  /** The path to which the form for a new key is sent. The path of one key is this path, followed by its ID. */
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

/** The path of one key, relative to the mount path. */
export function keyPath(keyType: KeyType, { id }: Pick<KeyView, 'id'>): string {
  return `${keyType.path}/${encodeURIComponent(id)}`;
}

/** The name of a key on pages: its name, or its id if it has none. */
export function keyName({ name, id }: Pick<KeyView, 'name' | 'id'>): string {
  return name ?? id;
}
