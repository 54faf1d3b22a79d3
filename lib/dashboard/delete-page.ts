/** Deleting a key: asked for by its name, since it cannot be undone. */
import type { KeyView } from '../management/key-view.js';
import { type Answer, answerPage, seeOther } from './answer.js';
import { tokenField } from './form-token.js';
import { chosen, html } from './html.js';
import { viewed } from './key-version.js';
import { layout } from './layout.js';
import { assertMay, may } from './permitted.js';
import { nameOf, pathOf, type Sort } from './sort.js';
import { ago } from './times.js';
import { idIn, type Page, type Visit } from './visit.js';

/** `GET …/delete` */
export function deletePage(sort: Sort): Page {
  return async (visit) => {
    assertMay(visit, 'delete');
    return confirmation(visit, sort, await viewed(visit, sort), undefined);
  };
}

/** `POST …/delete` */
export function deleteKey(sort: Sort): Page {
  return async (visit) => {
    const { site, member, base, fields } = visit;
    // Who may not delete is refused by management, which writes that down.
    if (may(visit, 'delete')) {
      const key = await viewed(visit, sort);
      const isMeant = asRead(fields.one('confirm') ?? '') === asRead(nameOf(key));
      if (!isMeant) return confirmation(visit, sort, key, 'That is not its name.');
    }
    await site.management[sort.name].delete(member, idIn(visit));
    return seeOther(`${base}${sort.list}?done=deleted`);
  };
}

/** A text as people type it again: whoever named the key may have written what looks the same in another way. */
function asRead(text: string): string {
  return text.normalize('NFKC').replace(/\s+/g, ' ').trim();
}

function confirmation(visit: Visit, sort: Sort, key: KeyView, error: string | undefined): Answer {
  const { base, formToken, now } = visit;
  const name = nameOf(key);
  const title = `Delete ${name}`;
  const used = key.lastUsedAt === null ? html`It was never used.` : html`It was last used ${ago(key.lastUsedAt, now)}.`;
  const main = html`<h1>Delete ${chosen(name)}</h1>
<p>Whoever uses it is refused at once, and for good. That cannot be undone. ${used}</p>
<form method="post" action="${base}${pathOf(sort, key)}/delete">${tokenField(formToken)}
<div class="field"><label for="field-confirm">Type <code>${chosen(name)}</code> to delete it</label>
${error !== undefined && html`<p class="error" id="confirm-error" role="alert">${error}</p>`}
<input id="field-confirm" name="confirm" required autocomplete="off" spellcheck="false"${
    error !== undefined && html` aria-invalid="true" aria-describedby="confirm-error"`
  }></div>
<p class="actions"><button class="danger">Delete</button> <a href="${base}${pathOf(sort, key)}">Keep it</a></p>
</form>`;
  const page = { title: error === undefined ? title : `Error: ${title}`, tab: sort.name, main };
  return answerPage(error === undefined ? 200 : 400, layout(visit, page));
}
