/**
 * Handles the forms of most confirmation pages. Each function carries out one action on a key. public-key-actions.ts
 * has the actions on public keys, and revoke-page.ts revokes a key.
 */
import type { KeyView } from '../../management/keys/key-view.js';
import { formIdIn } from '../forms/form-id.js';
import { versionIn } from '../forms/key-version.js';
import { badRequest, notFound } from '../http/http-error.js';
import { keyIdIn, type Page, type PageContext } from '../http/page-context.js';
import { type PageResponse, seeOther } from '../http/page-response.js';
import { can } from '../http/permissions.js';
import { ACCESS_KEYS, type KeyType, keyPath } from '../key-type.js';
import { shownOncePage } from './shown-once-page.js';

export function setDisabled(keyType: KeyType, disabled: boolean): Page {
  return async (context) => {
    const { site, member } = context;
    const edit = { version: versionIn(context), disabled };
    const key = await site.management[keyType.name].edit(member, keyIdIn(context), edit, formIdIn(context));
    return redirectToKey(context, keyType, key, disabled ? 'disabled' : 'enabled');
  };
}

export function rotateKey(keyType: KeyType): Page {
  return async (context) => {
    const grace = readGrace(context);
    const { site, member } = context;
    const rotated = await site.management[keyType.name].rotate(
      member,
      keyIdIn(context),
      grace,
      versionIn(context),
      formIdIn(context),
    );
    return shownOncePage(context, keyType, rotated, { status: 200, done: 'rotated' });
  };
}

export function endGrace(keyType: KeyType): Page {
  return async (context) => {
    const key = await context.site.management[keyType.name].endGrace(
      context.member,
      keyIdIn(context),
      formIdIn(context),
      versionIn(context),
    );
    return redirectToKey(context, keyType, key, 'grace-ended');
  };
}

export const addSecret: Page = async (context) => {
  const { accessKeys } = context.site.management;
  const created = await accessKeys.addSecret(context.member, keyIdIn(context), versionIn(context), formIdIn(context));
  return shownOncePage(context, ACCESS_KEYS, created, { status: 201, done: 'secret added' });
};

export const deleteSecret: Page = async (context) => {
  const { site, member } = context;
  const [formId, version, secret] = [formIdIn(context), versionIn(context), readSecretId(context)];
  const key = await site.management.accessKeys.deleteSecret(member, keyIdIn(context), secret, formId, version);
  return redirectToKey(context, ACCESS_KEYS, key, 'secret-deleted');
};

export const revokeTokens: Page = async (context) => {
  const edit = { version: versionIn(context), revokeTokens: true };
  const key = await context.site.management.accessKeys.edit(context.member, keyIdIn(context), edit, formIdIn(context));
  return redirectToKey(context, ACCESS_KEYS, key, 'tokens-revoked');
};

function redirectToKey({ base }: PageContext, keyType: KeyType, key: KeyView, done: string): PageResponse {
  return seeOther(`${base}${keyPath(keyType, key)}?done=${done}`);
}

/**
 * Reads the grace period from a form. A missing grace period is an error, except for a member who may not rotate keys.
 * That request must reach management, which refuses it and writes the denied attempt to the audit log.
 */
function readGrace(context: PageContext): number {
  const text = context.fields.one('grace') ?? '';
  if (/^\d{1,7}$/.test(text)) return Number(text);
  if (!can(context, 'rotate')) return 0;
  throw badRequest(
    'No valid grace period was chosen. Go back and choose when the current secret or public key should stop working.',
  );
}

/** Reads the ID of a secret. As with `readGrace`, management refuses a member who may not rotate keys. */
function readSecretId(context: PageContext): string {
  const id = context.fields.one('secret') ?? '';
  if (!/^[0-9a-f]{16}$/.test(id) && can(context, 'rotate')) throw notFound();
  return id;
}
