/**
 * Handles three forms of an access key: they add a public key, remove a public key, and require that the tokens of the
 * key are bound to the client.
 */
import type { RequiredConfirmation } from '../../management/keys/required-token-binding.js';
import { ManagementError } from '../../management/management-error.js';
import { formIdIn } from '../forms/form-id.js';
import { versionIn } from '../forms/key-version.js';
import { isFormError } from '../forms/settings-form.js';
import { badRequest, notFound } from '../http/http-error.js';
import { keyIdIn, type Page } from '../http/page-context.js';
import { seeOther } from '../http/page-response.js';
import { can } from '../http/permissions.js';
import { ACCESS_KEYS, keyPath } from '../key-type.js';
import { showKeyPage } from './key-page.js';

export const addPublicKey: Page = async (context) => {
  const { site, member, fields, base } = context;
  const [text, formId] = [fields.one('publicKey') ?? '', formIdIn(context)];
  try {
    const key = await site.management.accessKeys.addPublicKey(member, keyIdIn(context), text, formId);
    return seeOther(`${base}${keyPath(ACCESS_KEYS, key)}?done=public-key-added`);
  } catch (error) {
    if (!(error instanceof ManagementError) || !isFormError(error)) throw error;
    return await showKeyPage(context, ACCESS_KEYS, { error, formId, text });
  }
};

export const removePublicKey: Page = async (context) => {
  const { site, member, fields, base } = context;
  const [formId, version, kid = ''] = [formIdIn(context), versionIn(context), fields.one('kid')];
  if (kid === '' && can(context, 'rotate')) throw notFound();
  const key = await site.management.accessKeys.removePublicKey(member, keyIdIn(context), kid, formId, version);
  return seeOther(`${base}${keyPath(ACCESS_KEYS, key)}?done=public-key-removed`);
};

const CONFIRMATIONS: ReadonlyMap<string, RequiredConfirmation> = new Map<string, RequiredConfirmation>([
  ['none', null],
  ['any', true],
  ['dpop', 'dpop'],
  ['mtls', 'mtls'],
]);

export const requireConfirmation: Page = async (context) => {
  const { site, member, fields, base } = context;
  // A member who may not do this is refused by management, which writes the denied attempt to the audit log.
  const required = CONFIRMATIONS.get(fields.one('confirmation') ?? '');
  if (required === undefined && can(context, 'edit'))
    throw badRequest('No valid token binding was chosen. Go back and choose one.');
  const edit = { version: versionIn(context), requireConfirmation: required };
  const key = await site.management.accessKeys.edit(member, keyIdIn(context), edit, formIdIn(context));
  return seeOther(`${base}${keyPath(ACCESS_KEYS, key)}?done=edited`);
};
