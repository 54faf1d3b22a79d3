/** Every page of the Dashboard: where it is, and which fields it takes. */

import { auditFile } from './audit-file.js';
import { AUDIT_FILE_QUERY, AUDIT_QUERY, auditPage } from './audit-page.js';
import { CREATE_FIELDS, createAccessKey, createKey, newAccessKeyPage, newKeyPage } from './create-page.js';
import { deleteKey, deletePage } from './delete-page.js';
import { DONE } from './done.js';
import { DRAFT_FIELDS } from './draft.js';
import { editKey, editPage } from './edit-page.js';
import { addSecret, deleteSecret, endGrace, revokeTokens, rollKey, setDisabled } from './key-actions.js';
import { keyPage } from './key-page.js';
import { overviewPage, overviewQuery } from './overview-page.js';
import { mendable } from './problem-page.js';
import { ACCESS_KEYS, API_KEYS, type Sort } from './sort.js';
import type { Page } from './visit.js';

export interface Route {
  /** Below the mount. */
  readonly path: string;
  readonly get?: Page;
  readonly post?: Page;
  /** The fields of the query, and of the form; any other is refused. */
  readonly query?: readonly string[];
  readonly form?: readonly string[];
}

const NEW_KEY = [...CREATE_FIELDS, ...DRAFT_FIELDS];

export const ROUTES: readonly Route[] = Object.freeze([
  { path: API_KEYS.list, get: overviewPage(API_KEYS), query: overviewQuery(API_KEYS) },
  { path: API_KEYS.create, get: newKeyPage, query: ['kind'] },
  { path: API_KEYS.path, post: mendable(API_KEYS, createKey), form: NEW_KEY },
  { path: ACCESS_KEYS.create, get: newAccessKeyPage },
  {
    ...{ path: ACCESS_KEYS.path, get: overviewPage(ACCESS_KEYS), query: overviewQuery(ACCESS_KEYS) },
    ...{ post: mendable(ACCESS_KEYS, createAccessKey), form: NEW_KEY },
  },
  ...ofOne(API_KEYS),
  ...ofOne(ACCESS_KEYS),
  { path: '/access-keys/:id/secrets', post: mendable(ACCESS_KEYS, addSecret), form: ['version'] },
  { path: '/access-keys/:id/secrets/delete', post: mendable(ACCESS_KEYS, deleteSecret), form: ['secret'] },
  { path: '/access-keys/:id/revoke-tokens', post: mendable(ACCESS_KEYS, revokeTokens), form: ['version'] },
  { path: '/audit', get: auditPage, query: AUDIT_QUERY },
  { path: '/audit.csv', get: auditFile, query: AUDIT_FILE_QUERY },
]);

/** The pages of one key, and what is done to it. */
function ofOne(sort: Sort): readonly Route[] {
  const path = `${sort.path}/:id`;
  return [
    { path, get: keyPage(sort), query: [DONE] },
    {
      ...{ path: `${path}/edit`, get: mendable(sort, editPage(sort)) },
      ...{ post: mendable(sort, editKey(sort)), form: ['version', ...DRAFT_FIELDS] },
    },
    { path: `${path}/disable`, post: mendable(sort, setDisabled(sort, true)), form: ['version'] },
    { path: `${path}/enable`, post: mendable(sort, setDisabled(sort, false)), form: ['version'] },
    { path: `${path}/roll`, post: mendable(sort, rollKey(sort)), form: ['version', 'grace'] },
    { path: `${path}/end-grace`, post: mendable(sort, endGrace(sort)) },
    { path: `${path}/delete`, get: deletePage(sort), post: mendable(sort, deleteKey(sort)), form: ['confirm'] },
  ];
}
