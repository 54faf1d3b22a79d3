/** Making a key: first which kind, then its settings, then the one page that shows its text. */
import { randomUUID } from 'node:crypto';
import type { Kind } from '../credentials/kind.js';
import type { ShownOnce } from '../management/key-desk.js';
import { ManagementError } from '../management/management-error.js';
import { offerOf } from './account-reach.js';
import { type Answer, answerPage } from './answer.js';
import { hidden } from './controls.js';
import { type Draft, draftIn, NEW_DRAFT } from './draft.js';
import { tokenField } from './form-token.js';
import { type Html, html } from './html.js';
import { KINDS } from './key-words.js';
import { layout } from './layout.js';
import { newAccessKeyOf, newKeyOf } from './read-draft.js';
import { badRequest } from './refusal.js';
import { errorSummary, isOfForm, settingsFields } from './settings-form.js';
import { shownOncePage } from './shown-once-page.js';
import { ACCESS_KEYS, API_KEYS, type Sort } from './sort.js';
import type { Page, Visit } from './visit.js';

const FORM_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What a form is sent with beside the settings: its own id, so that one sent twice makes one key. */
export const CREATE_FIELDS: readonly string[] = ['kind', 'formId'];

/** `GET /keys/new`: which kind, or the form for it. */
export const newKeyPage: Page = async (visit) => {
  const kind = visit.fields.one('kind');
  if (kind === undefined) return kindsPage(visit);
  return await formPage(visit, { kind: readKind(kind), draft: NEW_DRAFT, formId: randomUUID(), error: undefined });
};

/** `GET /access-keys/new` */
export const newAccessKeyPage: Page = (visit) =>
  formPage(visit, { kind: 'access', draft: NEW_DRAFT, formId: randomUUID(), error: undefined });

/** `POST /keys` */
export const createKey: Page = async (visit) => {
  const kind = readKind(visit.fields.one('kind'));
  const { keys } = visit.site.management;
  return await create(visit, kind, (draft, formId) => keys.create(visit.member, newKeyOf(draft, kind), formId));
};

/** `POST /access-keys` */
export const createAccessKey: Page = (visit) => {
  const { accessKeys } = visit.site.management;
  return create(visit, 'access', (draft, formId) => accessKeys.create(visit.member, newAccessKeyOf(draft), formId));
};

async function create(
  visit: Visit,
  kind: Kind,
  make: (draft: Draft, formId: string) => Promise<ShownOnce>,
): Promise<Answer> {
  const formId = visit.fields.one('formId');
  if (formId === undefined || !FORM_ID.test(formId)) throw badRequest('The form has lost its id. Open it anew.');
  const draft = draftIn(visit.fields);
  try {
    return shownOncePage(visit, sortOf(kind), await make(draft, formId), { status: 201, done: 'created' });
  } catch (error) {
    if (!(error instanceof ManagementError) || !isOfForm(error)) throw error;
    return await formPage(visit, { kind, draft, formId, error });
  }
}

function kindsPage(visit: Visit): Answer {
  const { base } = visit;
  const card = (path: string, { title, use }: { title: string; use: string }) =>
    html`<li><a class="card" href="${base}${path}"><strong>${title}</strong> ${use}</a></li>`;
  const main = html`<h1>Create a key</h1>
<p>What is it for?</p>
<ul class="cards">
${card(`${API_KEYS.create}?kind=secret`, KINDS.secret)}
${card(`${API_KEYS.create}?kind=public`, KINDS.public)}
${card(ACCESS_KEYS.create, KINDS.access)}
</ul>`;
  return answerPage(200, layout(visit, { title: 'Create a key', tab: 'keys', main }));
}

interface Form {
  readonly kind: Kind;
  readonly draft: Draft;
  readonly formId: string;
  readonly error: ManagementError | undefined;
}

async function formPage(visit: Visit, { kind, draft, formId, error }: Form): Promise<Answer> {
  const { base, formToken } = visit;
  const sort = sortOf(kind);
  const offer = await offerOf(visit);
  const { title, use } = KINDS[kind];
  const heading = `Create a ${title.toLowerCase()}`.replace('a access', 'an access');
  const hasNothing = kind === 'access' ? offer.scopes.length === 0 : offer.apis.length === 0;
  const main = html`${errorSummary(error)}<h1>${heading}</h1>
<p>${use}</p>
${
  hasNothing
    ? nothingToGive(kind)
    : html`<form class="settings" method="post" action="${base}${sort.path}">
${tokenField(formToken)}${hidden('formId', formId)}${kind !== 'access' && hidden('kind', kind)}
${settingsFields({ kind, draft, offer, error, isNew: true })}
<p class="actions"><button>${heading}</button> <a href="${base}${sort.list}">Cancel</a></p>
</form>`
}`;
  const page = { title: error === undefined ? heading : `Error: ${heading}`, tab: sort.name, main };
  return answerPage(error === undefined ? 200 : 400, layout(visit, page));
}

function nothingToGive(kind: Kind): Html {
  const what = kind === 'access' ? 'scopes' : 'APIs';
  return html`<p class="empty">The account has no ${what} that a key could be given. Ask whoever runs this platform.</p>`;
}

function sortOf(kind: Kind): Sort {
  return kind === 'access' ? ACCESS_KEYS : API_KEYS;
}

function readKind(kind: string | undefined): 'secret' | 'public' {
  if (kind === 'secret' || kind === 'public') return kind;
  throw badRequest('There is no such kind of key.');
}
