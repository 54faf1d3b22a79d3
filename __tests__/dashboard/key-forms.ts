import { randomUUID } from 'node:crypto';
import type { KeyView } from 'keyward/management';
import type { Holder } from '../support/managed.js';
import type { Form } from './served-dashboard.js';

export const KEY_TYPES = ['keys', 'accessKeys'] as const;
export type KeyTypeName = (typeof KEY_TYPES)[number];

/** The path of each type of key, below the mount path. */
export const LIST = { keys: '/', accessKeys: '/access-keys' } as const;
export const PATH = { keys: '/keys', accessKeys: '/access-keys' } as const;

const SETTINGS: Readonly<Record<KeyTypeName, Form>> = {
  keys: { 'apis.of': 'some', apis: 'payments', 'scopes.of': 'all', 'channels.of': 'all' },
  accessKeys: { scopes: 'payments', 'defaultScopes.of': 'all', 'channels.of': 'all' },
};

/** A form that makes a key; `more` in the place of what it has. */
export function newForm(keyType: KeyTypeName, more: Form = {}): Form {
  return { formId: randomUUID(), ...(keyType === 'keys' ? { kind: 'secret' } : {}), ...SETTINGS[keyType], ...more };
}

/** A form that edits the key which `newForm` makes. */
export function editForm(keyType: KeyTypeName, { version }: Pick<KeyView, 'version'>, more: Form = {}): Form {
  return { version: String(version), ...SETTINGS[keyType], ...more };
}

export async function madeKey(holder: Holder, keyType: KeyTypeName): Promise<KeyView> {
  return (keyType === 'keys' ? await holder.key() : await holder.accessKey()).key;
}

/** Everything that is done to a key by a form, where it goes and with what. */
export const OPERATIONS: readonly {
  readonly operation: string;
  readonly keyType: KeyTypeName;
  form(key: KeyView): Form;
}[] = [
  ...KEY_TYPES.flatMap((keyType) => [
    { operation: 'edit', keyType, form: (key: KeyView) => editForm(keyType, key, { name: 'Other' }) },
    { operation: 'disable', keyType, form: ({ version }: KeyView) => ({ version: String(version) }) },
    { operation: 'enable', keyType, form: ({ version }: KeyView) => ({ version: String(version) }) },
    { operation: 'rotate', keyType, form: ({ version }: KeyView) => ({ version: String(version), grace: '3600' }) },
    { operation: 'end-grace', keyType, form: ({ version }: KeyView) => ({ version: String(version) }) },
    { operation: 'revoke', keyType, form: ({ name, id }: KeyView) => ({ confirm: name ?? id }) },
  ]),
  { operation: 'secrets', keyType: 'accessKeys', form: ({ version }) => ({ version: String(version) }) },
  {
    operation: 'secrets/delete',
    keyType: 'accessKeys',
    form: ({ version, secrets }) => ({ version: String(version), secret: secrets[0]?.id ?? '' }),
  },
  { operation: 'revoke-tokens', keyType: 'accessKeys', form: ({ version }) => ({ version: String(version) }) },
];
