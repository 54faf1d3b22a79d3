/** The routes of the Dashboard: the pages of each route, and the fields that it accepts. */
import { FLASH } from '../components/flash-message.js';
import { FORM_ID } from '../forms/form-id.js';
import { SETTINGS_FIELDS } from '../forms/key-form-values.js';
import type { Page } from '../http/page-context.js';
import { ACCESS_KEYS, API_KEYS, type KeyType } from '../key-type.js';
import { auditCsv } from './audit-csv.js';
import { AUDIT_QUERY, auditPage } from './audit-page.js';
import { addSecretPage, disablePage, enablePage, revokeTokensPage, rotatePage } from './confirm-pages.js';
import { deleteSecretPage, endGracePage, removePublicKeyPage } from './confirm-secret-removal-pages.js';
import { CREATE_FIELDS, createAccessKey, createKey, newAccessKeyPage, newKeyPage } from './create-page.js';
import { editKey, editPage } from './edit-page.js';
import { addSecret, deleteSecret, endGrace, revokeTokens, rotateKey, setDisabled } from './key-actions.js';
import { keyListPage, keyListQuery } from './key-list-page.js';
import { keyPage } from './key-page.js';
import { addPublicKey, removePublicKey, requireConfirmation } from './public-key-actions.js';
import { revokeKey, revokePage } from './revoke-page.js';
import { withErrorPage } from './with-error-page.js';

export interface Route {
  /** Relative to the mount path. */
  readonly path: string;
  readonly get?: Page;
  readonly post?: Page;
  /** The fields that the query may have. Any other field is refused. */
  readonly query?: readonly string[];
  /** The fields that the form may have, besides the CSRF token. Any other field is refused. */
  readonly form?: readonly string[];
}

const NEW_KEY = [...CREATE_FIELDS, ...SETTINGS_FIELDS];

export const ROUTES: readonly Route[] = Object.freeze([
  { path: API_KEYS.list, get: keyListPage(API_KEYS), query: keyListQuery(API_KEYS) },
  { path: API_KEYS.create, get: withErrorPage(API_KEYS, newKeyPage), query: ['kind', 'environment'] },
  { path: API_KEYS.path, post: withErrorPage(API_KEYS, createKey), form: NEW_KEY },
  { path: ACCESS_KEYS.create, get: withErrorPage(ACCESS_KEYS, newAccessKeyPage), query: ['environment'] },
  {
    ...{ path: ACCESS_KEYS.path, get: keyListPage(ACCESS_KEYS), query: keyListQuery(ACCESS_KEYS) },
    ...{ post: withErrorPage(ACCESS_KEYS, createAccessKey), form: NEW_KEY },
  },
  ...routesOfKey(API_KEYS),
  ...routesOfKey(ACCESS_KEYS),
  { path: '/access-keys/:id/secrets/confirm', get: withErrorPage(ACCESS_KEYS, addSecretPage) },
  { path: '/access-keys/:id/secrets', post: withErrorPage(ACCESS_KEYS, addSecret), form: [FORM_ID, 'version'] },
  {
    path: '/access-keys/:id/secrets/delete/confirm',
    get: withErrorPage(ACCESS_KEYS, deleteSecretPage),
    query: ['secret'],
  },
  {
    path: '/access-keys/:id/secrets/delete',
    post: withErrorPage(ACCESS_KEYS, deleteSecret),
    form: [FORM_ID, 'version', 'secret'],
  },
  { path: '/access-keys/:id/revoke-tokens/confirm', get: withErrorPage(ACCESS_KEYS, revokeTokensPage) },
  {
    path: '/access-keys/:id/revoke-tokens',
    post: withErrorPage(ACCESS_KEYS, revokeTokens),
    form: [FORM_ID, 'version'],
  },
  {
    path: '/access-keys/:id/public-keys',
    post: withErrorPage(ACCESS_KEYS, addPublicKey),
    form: [FORM_ID, 'publicKey'],
  },
  {
    path: '/access-keys/:id/public-keys/remove/confirm',
    get: withErrorPage(ACCESS_KEYS, removePublicKeyPage),
    query: ['kid'],
  },
  {
    path: '/access-keys/:id/public-keys/remove',
    post: withErrorPage(ACCESS_KEYS, removePublicKey),
    form: [FORM_ID, 'version', 'kid'],
  },
  {
    path: '/access-keys/:id/require-confirmation',
    post: withErrorPage(ACCESS_KEYS, requireConfirmation),
    form: [FORM_ID, 'version', 'confirmation'],
  },
  { path: '/audit', get: auditPage, query: AUDIT_QUERY },
  { path: '/audit.csv', get: auditCsv, query: AUDIT_QUERY },
]);

function routesOfKey(keyType: KeyType): readonly Route[] {
  const path = `${keyType.path}/:id`;
  return [
    { path, get: keyPage(keyType), query: [FLASH] },
    {
      ...{ path: `${path}/edit`, get: withErrorPage(keyType, editPage(keyType)) },
      ...{ post: withErrorPage(keyType, editKey(keyType)), form: ['version', ...SETTINGS_FIELDS] },
    },
    { path: `${path}/disable/confirm`, get: withErrorPage(keyType, disablePage(keyType)) },
    { path: `${path}/disable`, post: withErrorPage(keyType, setDisabled(keyType, true)), form: [FORM_ID, 'version'] },
    { path: `${path}/enable/confirm`, get: withErrorPage(keyType, enablePage(keyType)) },
    { path: `${path}/enable`, post: withErrorPage(keyType, setDisabled(keyType, false)), form: [FORM_ID, 'version'] },
    { path: `${path}/rotate/confirm`, get: withErrorPage(keyType, rotatePage(keyType)) },
    { path: `${path}/rotate`, post: withErrorPage(keyType, rotateKey(keyType)), form: [FORM_ID, 'version', 'grace'] },
    { path: `${path}/end-grace/confirm`, get: withErrorPage(keyType, endGracePage(keyType)) },
    { path: `${path}/end-grace`, post: withErrorPage(keyType, endGrace(keyType)), form: [FORM_ID, 'version'] },
    {
      path: `${path}/revoke`,
      get: withErrorPage(keyType, revokePage(keyType)),
      post: withErrorPage(keyType, revokeKey(keyType)),
      form: [FORM_ID, 'confirm'],
    },
  ];
}
