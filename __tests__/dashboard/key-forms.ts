import { randomUUID } from 'node:crypto';
import type { KeyView } from 'keyward/management';
import type { Holder } from '../support/managed.js';
import type { Form } from './served-dashboard.js';

export const SORTS = ['keys', 'accessKeys'] as const;
export type Sort = (typeof SORTS)[number];

/** Where each sort is, below the mount. */
export const LIST = { keys: '/', accessKeys: '/access-keys' } as const;
export const PATH = { keys: '/keys', accessKeys: '/access-keys' } as const;

const SETTINGS: Readonly<Record<Sort, Form>> = {
  keys: { 'apis.of': 'some', apis: 'payments', 'scopes.of': 'all', 'channels.of': 'all' },
  accessKeys: { scopes: 'payments', 'defaultScopes.of': 'all', 'channels.of': 'all' },
};

/** A form that makes a key; `more` in the place of what it has. */
export function newForm(sort: Sort, more: Form = {}): Form {
  return { formId: randomUUID(), ...(sort === 'keys' ? { kind: 'secret' } : {}), ...SETTINGS[sort], ...more };
}

/** A form that edits the key which `newForm` makes. */
export function editForm(sort: Sort, { version }: Pick<KeyView, 'version'>, more: Form = {}): Form {
  return { version: String(version), ...SETTINGS[sort], ...more };
}

export async function madeKey(holder: Holder, sort: Sort): Promise<KeyView> {
  return (sort === 'keys' ? await holder.key() : await holder.accessKey()).key;
}

/** Everything that is done to a key by a form, where it goes and with what. */
export const DEEDS: readonly { readonly deed: string; readonly sort: Sort; form(key: KeyView): Form }[] = [
  ...SORTS.flatMap((sort) => [
    { deed: 'edit', sort, form: (key: KeyView) => editForm(sort, key, { name: 'Other' }) },
    { deed: 'disable', sort, form: ({ version }: KeyView) => ({ version: String(version) }) },
    { deed: 'enable', sort, form: ({ version }: KeyView) => ({ version: String(version) }) },
    { deed: 'rotate', sort, form: ({ version }: KeyView) => ({ version: String(version), grace: '3600' }) },
    { deed: 'end-grace', sort, form: () => ({}) },
    { deed: 'revoke', sort, form: ({ name, id }: KeyView) => ({ confirm: name ?? id }) },
  ]),
  { deed: 'secrets', sort: 'accessKeys', form: ({ version }) => ({ version: String(version) }) },
  { deed: 'secrets/delete', sort: 'accessKeys', form: ({ secrets }) => ({ secret: secrets[0]?.id ?? '' }) },
  { deed: 'revoke-tokens', sort: 'accessKeys', form: ({ version }) => ({ version: String(version) }) },
];
