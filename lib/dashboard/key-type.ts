/**
 * API keys and access keys have the same pages. A `KeyType` contains the paths and words that differ between the two.
 */
import type { KeyView } from '../management/keys/key-view.js';
import { ManagementError } from '../management/management-error.js';

export type KeyTypeName = 'keys' | 'accessKeys';

export interface KeyType {
  /** The property of `Management` that has the operations on keys of this type. */
  readonly name: KeyTypeName;
  readonly noun: string;
  /** The path of the list. All paths of this type are relative to the mount path of the Dashboard. */
  readonly list: string;
  /** The path to which the form for a new key is sent. The path of one key is this path, followed by its ID. */
  readonly path: string;
  /** The path of the form for a new key. */
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

/** @throws ManagementError `revoked`, as management does for every change of a revoked key. */
export function assertNotRevoked({ noun }: KeyType, { state }: KeyView): void {
  if (state === 'revoked')
    throw new ManagementError('revoked', `the ${noun} is revoked, and this cannot be undone; create a new key`);
}

/** What pages call a key: its name, or its ID if nobody gave it a name. */
export function keyName({ name, id }: Pick<KeyView, 'name' | 'id'>): string {
  return name ?? id;
}
