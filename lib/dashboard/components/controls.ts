/** Form controls with labels. */
import { type Html, html, type Piece } from './html.js';

/** An option of a select: its value, and its label. */
export interface Entry {
  readonly value: string;
  readonly title: string;
}

/** A select for a filter. `''` means no filter. */
export function select(name: string, label: string, entries: readonly Entry[], current: string | undefined): Html {
  return html`<label class="field ${name}">${label}
<select name="${name}">${entries.map(
    ({ value, title }) =>
      html`<option value="${value}"${value === (current ?? '') && html` selected`}>${title}</option>`,
  )}</select></label>`;
}

/** @param hint - What can be typed, for a label that does not say it. */
export function searchField(name: string, label: string, current: string | undefined, hint?: string): Html {
  return html`<label class="field search">${label}
<input type="search" name="${name}" value="${current ?? ''}" maxlength="200" autocomplete="off"${hint !== undefined && html` placeholder="${hint}"`}></label>`;
}

/** A search for keys. The script shortens a whole secret in it. */
export function keySearchField(name: string, label: string, current: string | undefined): Html {
  return html`<label class="field search">${label}
<input type="search" name="${name}" value="${current ?? ''}" maxlength="200" autocomplete="off" placeholder="Name, ID or last characters" data-shortens></label>`;
}

export function dateField(name: string, label: string, current: string | undefined): Html {
  return html`<label class="field date">${label}
<input type="date" name="${name}" value="${current ?? ''}"></label>`;
}

/**
 * Filters that are closed on a phone, and open if one of them is set. On wider screens they stand beside the others;
 * a browser that cannot open them by a style shows the summary there too.
 */
export function moreFilters(isSet: boolean, fields: Html): Html {
  return html`<details class="more"${isSet && html` open`}><summary>More filters</summary>
${fields}</details>`;
}

/** A form with hidden fields and one button. */
export function actionForm(parts: {
  readonly action: string;
  readonly hidden: readonly Html[];
  readonly button: string;
  readonly tone?: 'danger' | 'plain' | undefined;
  readonly content?: Piece;
  /** The permission that the member lacks: the form is disabled. */
  readonly needs?: string | undefined;
}): Html {
  const { action, hidden, button, tone, content, needs } = parts;
  return html`<form method="post" action="${action}">${hidden}
<fieldset class="quiet"${needs !== undefined && html` disabled`}>${content}
<button${tone !== undefined && html` class="${tone}"`}>${button}</button></fieldset>
</form>`;
}

/** A link to the page that confirms an action. A member who lacks the permission sees a button that is disabled. */
export function actionLink(parts: {
  readonly href: string;
  readonly title: string;
  readonly needs: string | undefined;
}): Html {
  const { href, title, needs } = parts;
  if (needs === undefined) return html`<p class="actions"><a class="button plain" href="${href}">${title}</a></p>`;
  return html`<p class="actions"><button class="plain" disabled>${title}</button></p>`;
}

export function hidden(name: string, value: string | number): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}
