/** The pages that edit the settings of a key. An edit is refused if the key has changed since the form was opened. */
import type { KeyView } from '../../management/keys/key-view.js';
import { ManagementError } from '../../management/management-error.js';
import { hidden } from '../components/controls.js';
import { type Html, html, userText } from '../components/html.js';
import { layout } from '../components/layout.js';
import { conflictDiff } from '../forms/conflict-diff.js';
import { type FormValues, readFormValues, toFormValues } from '../forms/key-form-values.js';
import { versionIn } from '../forms/key-version.js';
import { errorSummary, isFormError, settingsFields } from '../forms/settings-form.js';
import { toAccessKeyEdit, toKeyEdit } from '../forms/to-settings.js';
import { tokenField } from '../http/csrf-token.js';
import { memberAccount } from '../http/member-account.js';
import { keyIdIn, type Page, type PageContext, viewKey } from '../http/page-context.js';
import { htmlResponse, type PageResponse, seeOther } from '../http/page-response.js';
import { assertCan, can } from '../http/permissions.js';
import { assertNotRevoked, type KeyType, keyName, keyPath } from '../key-type.js';

export function editPage(keyType: KeyType): Page {
  return async (context) => {
    assertCan(context, 'edit');
    const key = await viewKey(context, keyType);
    assertNotRevoked(keyType, key);
    return await formPage(context, keyType, { key, values: toFormValues(key), version: key.version });
  };
}

export function editKey(keyType: KeyType): Page {
  return async (context) => {
    const { site, member, base } = context;
    // If the member may not edit keys, management refuses this call and writes the refusal to the audit log.
    if (!can(context, 'edit')) await site.management[keyType.name].edit(member, keyIdIn(context), { version: 0 });
    const [values, version] = [readFormValues(context.fields), versionIn(context)];
    const key = await viewKey(context, keyType);
    try {
      await edit(context, keyType, values, key, version);
    } catch (error) {
      if (!(error instanceof ManagementError)) throw error;
      if (error.code === 'version_conflict') return await conflictPage(context, keyType, values);
      if (isFormError(error)) return await formPage(context, keyType, { key, values, version, error });
      throw error;
    }
    return seeOther(`${base}${keyPath(keyType, key)}?done=edited`);
  };
}

async function edit(
  context: PageContext,
  keyType: KeyType,
  values: FormValues,
  key: KeyView,
  version: number,
): Promise<void> {
  const { keys, accessKeys } = context.site.management;
  const [member, id] = [context.member, keyIdIn(context)];
  if (keyType.name === 'keys') await keys.edit(member, id, toKeyEdit(values, key, version));
  else await accessKeys.edit(member, id, toAccessKeyEdit(values, key, version));
}

/**
 * The page that a member sees if the key has changed since the form was opened. It has a table that compares the
 * current settings with the member's settings, and a form that saves the member's settings anyway.
 */
async function conflictPage(context: PageContext, keyType: KeyType, values: FormValues): Promise<PageResponse> {
  const key = await viewKey(context, keyType);
  const conflict = html`<div class="errors" role="alert" tabindex="-1" id="errors"><h2>This key has changed since you opened it</h2>
<p>Your changes were not saved. Compare the current settings with yours.</p></div>
${conflictDiff(key, values)}
<p><a class="button plain" href="${context.base}${keyPath(keyType, key)}">Discard changes</a></p>
<h2>Save changes anyway</h2>`;
  return await formPage(context, keyType, { key, values, version: key.version, conflict });
}

interface Form {
  readonly key: KeyView;
  readonly values: FormValues;
  readonly version: number;
  readonly error?: ManagementError | undefined;
  readonly conflict?: Html | undefined;
}

async function formPage(
  context: PageContext,
  keyType: KeyType,
  { key, values, version, error, conflict }: Form,
): Promise<PageResponse> {
  const { base, formToken, now } = context;
  // The form of an edit has no field for the environment.
  const shown = { ...values, environment: key.environment };
  const path = `${base}${keyPath(keyType, key)}`;
  const options = await memberAccount(context);
  const name = keyName(key);
  const main = html`<p class="crumb"><a href="${path}">${userText(name)}</a></p>
${errorSummary(error)}<h1>Edit ${userText(name)}</h1>
${conflict}
<form class="settings" method="post" action="${path}/edit">
${tokenField(formToken)}${hidden('version', version)}
${settingsFields({ kind: key.kind, values: shown, options, error, isNew: false, now, expiresAt: key.expiresAt })}
<p class="actions"><button>${conflict === undefined ? 'Save' : 'Save anyway'}</button> <a href="${path}">Cancel</a></p>
</form>`;
  const status = conflict !== undefined ? 409 : error !== undefined ? 400 : 200;
  const title = `${status === 200 ? '' : 'Error: '}Edit ${name}`;
  return htmlResponse(status, layout(context, { title, tab: keyType.name, main }));
}
