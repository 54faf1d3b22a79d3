/** Editing the settings of a key, by the version that the editor saw. */
import type { KeyView } from '../management/key-view.js';
import { ManagementError } from '../management/management-error.js';
import { offerOf } from './account-reach.js';
import { type Answer, answerPage, seeOther } from './answer.js';
import { comparison } from './comparison.js';
import { hidden } from './controls.js';
import { type Draft, draftIn, draftOf } from './draft.js';
import { tokenField } from './form-token.js';
import { chosen, type Html, html } from './html.js';
import { versionIn, viewed } from './key-version.js';
import { layout } from './layout.js';
import { assertMay, may } from './permitted.js';
import { accessKeyEditOf, keyEditOf } from './read-draft.js';
import { errorSummary, isOfForm, settingsFields } from './settings-form.js';
import { nameOf, pathOf, type Sort } from './sort.js';
import { idIn, type Page, type Visit } from './visit.js';

/** `GET …/edit` */
export function editPage(sort: Sort): Page {
  return async (visit) => {
    assertMay(visit, 'edit');
    const key = await viewed(visit, sort);
    if (key.state === 'revoked') throw new ManagementError('revoked', `the ${sort.noun} was deleted; that is final`);
    return await formPage(visit, sort, { key, draft: draftOf(key), version: key.version });
  };
}

/** `POST …/edit` */
export function editKey(sort: Sort): Page {
  return async (visit) => {
    const { site, member, base } = visit;
    // Management refuses it, whatever the form says, and writes that down.
    if (!may(visit, 'edit')) await site.management[sort.name].edit(member, idIn(visit), { version: 0 });
    const [draft, version] = [draftIn(visit.fields), versionIn(visit)];
    const key = await viewed(visit, sort);
    try {
      await edit(visit, sort, draft, key, version);
    } catch (error) {
      if (!(error instanceof ManagementError)) throw error;
      if (error.code === 'version_conflict') return await conflictPage(visit, sort, draft);
      if (isOfForm(error)) return await formPage(visit, sort, { key, draft, version, error });
      throw error;
    }
    return seeOther(`${base}${pathOf(sort, key)}?done=edited`);
  };
}

async function edit(visit: Visit, sort: Sort, draft: Draft, key: KeyView, version: number): Promise<void> {
  const { keys, accessKeys } = visit.site.management;
  const [member, id] = [visit.member, idIn(visit)];
  if (sort.name === 'keys') await keys.edit(member, id, keyEditOf(draft, key, version));
  else await accessKeys.edit(member, id, accessKeyEditOf(draft, key, version));
}

/** Two edited one version, and this was the second: both stand side by side, and the form has the new version. */
async function conflictPage(visit: Visit, sort: Sort, draft: Draft): Promise<Answer> {
  const key = await viewed(visit, sort);
  const conflict = html`<div class="errors" role="alert" tabindex="-1" id="errors"><h2>Somebody else changed it meanwhile</h2>
<p>Nothing of yours was saved yet. Below is what it is now, beside what you wrote.</p></div>
${comparison(key, draft)}
<p><a class="button plain" href="${visit.base}${pathOf(sort, key)}">Keep what it is now</a></p>
<h2>Or save yours over it</h2>`;
  return await formPage(visit, sort, { key, draft, version: key.version, conflict });
}

interface Form {
  readonly key: KeyView;
  readonly draft: Draft;
  readonly version: number;
  readonly error?: ManagementError | undefined;
  readonly conflict?: Html | undefined;
}

async function formPage(visit: Visit, sort: Sort, { key, draft, version, error, conflict }: Form): Promise<Answer> {
  const { base, formToken } = visit;
  const path = `${base}${pathOf(sort, key)}`;
  const offer = await offerOf(visit);
  const name = nameOf(key);
  const main = html`${errorSummary(error)}<h1>Edit ${chosen(name)}</h1>
${conflict}
<form class="settings" method="post" action="${path}/edit">
${tokenField(formToken)}${hidden('version', version)}
${settingsFields({ kind: key.kind, draft, offer, error, isNew: false })}
<p class="actions"><button>${conflict === undefined ? 'Save' : 'Save mine'}</button> <a href="${path}">Cancel</a></p>
</form>`;
  const status = conflict !== undefined ? 409 : error !== undefined ? 400 : 200;
  const title = `${status === 200 ? '' : 'Error: '}Edit ${name}`;
  return answerPage(status, layout(visit, { title, tab: sort.name, main }));
}
