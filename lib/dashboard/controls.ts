/** Labelled controls of forms. */
import { type Html, html, type Piece } from './html.js';

/** An entry to choose: its value, and what it is called. */
export interface Entry {
  readonly value: string;
  readonly title: string;
}

/** A select without a fieldset around it, as filters have them. `''` stands for no filter. */
export function select(name: string, label: string, entries: readonly Entry[], current: string | undefined): Html {
  return html`<label class="field">${label}
<select name="${name}">${entries.map(
    ({ value, title }) =>
      html`<option value="${value}"${value === (current ?? '') && html` selected`}>${title}</option>`,
  )}</select></label>`;
}

export function searchField(name: string, label: string, current: string | undefined): Html {
  return html`<label class="field">${label}
<input type="search" name="${name}" value="${current ?? ''}" maxlength="200" autocomplete="off"></label>`;
}

/** A form that posts fields which nobody types, by one button. */
export function actionForm(parts: {
  readonly action: string;
  readonly hidden: readonly Html[];
  readonly button: string;
  readonly tone?: 'danger' | 'plain' | undefined;
  readonly content?: Piece;
  /** The permission that the member lacks: the form is shown, and cannot be sent. */
  readonly needs?: string | undefined;
}): Html {
  const { action, hidden, button, tone, content, needs } = parts;
  return html`<form method="post" action="${action}">${hidden}
<fieldset class="quiet"${needs !== undefined && html` disabled`}>${content}
<button${tone !== undefined && html` class="${tone}"`}>${button}</button></fieldset>
${needs !== undefined && html`<p class="needs">Needs the permission ${needs}.</p>`}
</form>`;
}

export function hidden(name: string, value: string | number): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}
