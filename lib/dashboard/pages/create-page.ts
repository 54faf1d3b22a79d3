/** The pages that create a key: the choice of a kind, the form for the settings, and the response with the secret. */
import type { Kind } from '../../credentials/credential-kind.js';
import type { CreatedKey } from '../../management/keys/key-service.js';
import { ManagementError } from '../../management/management-error.js';
import { hidden } from '../components/controls.js';
import { type Html, html } from '../components/html.js';
import { KINDS } from '../components/key-labels.js';
import { layout } from '../components/layout.js';
import { FORM_ID, formIdField, formIdIn } from '../forms/form-id.js';
import { type FormValues, NEW_FORM_VALUES, readFormValues } from '../forms/key-form-values.js';
import { errorSummary, isFormError, settingsFields } from '../forms/settings-form.js';
import { toAccessKeySettings, toKeySettings } from '../forms/to-settings.js';
import { tokenField } from '../http/csrf-token.js';
import { badRequest, incompleteForm } from '../http/http-error.js';
import { memberAccount } from '../http/member-account.js';
import type { Page, PageContext } from '../http/page-context.js';
import { htmlResponse, type PageResponse } from '../http/page-response.js';
import { assertCan, can } from '../http/permissions.js';
import { queryString } from '../http/query-string.js';
import { ACCESS_KEYS, API_KEYS, type KeyType } from '../key-type.js';
import { shownOncePage } from './shown-once-page.js';

/** The fields of the form for a new key that are not settings. */
export const CREATE_FIELDS: readonly string[] = ['kind', FORM_ID];

/** `GET /keys/new`: the choice between the kinds of keys; with `?kind=`, the form for that kind. */
export const newKeyPage: Page = async (context) => {
  const kind = context.fields.one('kind');
  if (kind === undefined) return kindsPage(context);
  return await formPage(context, { kind: readKind(kind), values: newValues(context) });
};

export const newAccessKeyPage: Page = async (context) =>
  await formPage(context, { kind: 'access', values: newValues(context) });

/**
 * The first values of the form. If the member may create keys in only one environment, the form has that environment.
 * Otherwise, it has the environment in the query, by which the list of keys was filtered. Default: live.
 */
function newValues({ fields, member }: PageContext): FormValues {
  const environment = member.environment ?? fields.one('environment') ?? NEW_FORM_VALUES.environment;
  if (environment !== 'live' && environment !== 'sandbox') throw badRequest('The environment must be live or sandbox.');
  return { ...NEW_FORM_VALUES, environment };
}

/** The environment as a query parameter; `undefined` for `live`, which is the default. */
function environmentParameter({ environment }: FormValues): string | undefined {
  return environment === 'sandbox' ? environment : undefined;
}

export const createKey: Page = async (context) => {
  const { keys } = context.site.management;
  // If the member may not create keys, management refuses this call and writes the refusal to the audit log.
  if (!can(context, 'create')) await keys.create(context.member, { kind: 'secret', apis: [] });
  const kind = readKind(context.fields.one('kind'));
  return await create(context, kind, (values, formId) =>
    keys.create(context.member, toKeySettings(values, kind), formId),
  );
};

export const createAccessKey: Page = async (context) => {
  const { accessKeys } = context.site.management;
  if (!can(context, 'create')) await accessKeys.create(context.member, { scopes: [] });
  return await create(context, 'access', (values, formId) =>
    accessKeys.create(context.member, toAccessKeySettings(values), formId),
  );
};

async function create(
  context: PageContext,
  kind: Kind,
  make: (values: FormValues, formId: string) => Promise<CreatedKey>,
): Promise<PageResponse> {
  const formId = formIdIn(context);
  if (formId === undefined) throw incompleteForm();
  const values = readFormValues(context.fields);
  try {
    return shownOncePage(context, keyTypeOfKind(kind), await make(values, formId), { status: 201, done: 'created' });
  } catch (error) {
    if (!(error instanceof ManagementError) || !isFormError(error)) throw error;
    return await formPage(context, { kind, values, formId, error });
  }
}

async function kindsPage(context: PageContext): Promise<PageResponse> {
  assertCan(context, 'create');
  const { base } = context;
  const environment = environmentParameter(newValues(context));
  const list = `${base}${API_KEYS.list}${queryString({ environment })}`;
  const card = (path: string, { title, use }: { title: string; use: string }) =>
    html`<li><a class="card" href="${base}${path}"><strong>${title}</strong> ${use}</a></li>`;
  const cards = html`<p>Where will you use the key?</p>
<ul class="cards">
${card(`${API_KEYS.create}${queryString({ kind: 'secret', environment })}`, KINDS.secret)}
${card(`${API_KEYS.create}${queryString({ kind: 'public', environment })}`, KINDS.public)}
${card(`${ACCESS_KEYS.create}${queryString({ environment })}`, KINDS.access)}
</ul>`;
  const { disabled } = await memberAccount(context);
  const main = html`<p class="crumb"><a href="${list}">${API_KEYS.title}</a></p>
<h1>Create a key</h1>
${disabled ? DISABLED : cards}`;
  return htmlResponse(200, layout(context, { title: 'Create a key', tab: 'keys', main }));
}

interface Form {
  readonly kind: Kind;
  readonly values: FormValues;
  readonly formId?: string;
  readonly error?: ManagementError;
}

async function formPage(context: PageContext, { kind, values, formId, error }: Form): Promise<PageResponse> {
  assertCan(context, 'create');
  const { base, formToken, now } = context;
  const keyType = keyTypeOfKind(kind);
  const options = await memberAccount(context);
  const { title, use } = KINDS[kind];
  const heading = `Create a ${title.toLowerCase()}`.replace('a access', 'an access');
  const lacksEntitlement = kind === 'access' ? options.scopes.length === 0 : options.apis.length === 0;
  const instead = options.disabled ? DISABLED : lacksEntitlement ? noEntitlement(kind) : undefined;
  const list = `${base}${keyType.list}${queryString({ environment: environmentParameter(values) })}`;
  const main = html`<p class="crumb"><a href="${list}">${keyType.title}</a></p>
${errorSummary(error)}<h1>${heading}</h1>
<p>${use}</p>
${
  instead ??
  html`<form class="settings" method="post" action="${base}${keyType.path}">
${tokenField(formToken)}${formIdField(formId)}${kind !== 'access' && hidden('kind', kind)}
${settingsFields({ kind, values, options, error, isNew: true, only: context.member.environment, now })}
<p class="actions"><button>${heading}</button> <a href="${list}">Cancel</a></p>
</form>`
}`;
  const page = { title: error === undefined ? heading : `Error: ${heading}`, tab: keyType.name, main };
  return htmlResponse(error === undefined ? 200 : 400, layout(context, page));
}

const DISABLED = html`<p class="banner">Your account is disabled, so you cannot create keys. To enable the account, contact support.</p>`;

function noEntitlement(kind: Kind): Html {
  const what = kind === 'access' ? 'scopes' : 'APIs';
  return html`<p class="empty">Your account has no ${what} yet, so you cannot create a key. To add ${what} to your account, contact support.</p>`;
}

function keyTypeOfKind(kind: Kind): KeyType {
  return kind === 'access' ? ACCESS_KEYS : API_KEYS;
}

function readKind(kind: string | undefined): 'secret' | 'public' {
  if (kind === 'secret' || kind === 'public') return kind;
  throw badRequest('Choose whether to create a secret key or a public key.');
}
