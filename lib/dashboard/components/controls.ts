/** Form controls with labels, forms with one button, and links to confirmation pages. */
import { fieldText, type Html, html, type Piece } from './html.js';

export interface SelectOption {
  readonly value: string;
  readonly title: string;
}

/** @param current - The selected value; without it, the option with the value `''` is selected. */
export function select(
  name: string,
  label: string,
  options: readonly SelectOption[],
  current: string | undefined,
): Html {
  return html`<label class="field ${name}">${label}
<select name="${name}">${options.map(
    ({ value, title }) =>
      html`<option value="${value}"${value === (current ?? '') && html` selected`}>${title}</option>`,
  )}</select></label>`;
}

export function searchField(name: string, label: string, current: string | undefined, placeholder?: string): Html {
  return html`<label class="field search">${label}
<input type="search" name="${name}" value="${current ?? ''}" maxlength="200" autocomplete="off"${placeholder !== undefined && html` placeholder="${placeholder}"`}></label>`;
}

/** A search for keys. If a member pastes a complete secret, the script of `secret-in-search-script.ts` shortens it. */
export function keySearchField(name: string, label: string, current: string | undefined): Html {
  return html`<label class="field search">${label}
<input type="search" name="${name}" value="${current ?? ''}" maxlength="200" autocomplete="off" placeholder="Name, ID or last characters" data-shortens></label>`;
}

export function dateField(name: string, label: string, current: string | undefined): Html {
  return html`<label class="field date">${label}
<input type="date" name="${name}" value="${current ?? ''}"></label>`;
}

/**
 * Filters in a `<details>`, which is open if a filter is set. On wide screens, `section-style.ts` always shows the
 * filters and hides the summary, if the browser supports `::details-content`.
 */
export function moreFilters(isSet: boolean, fields: Html): Html {
  return html`<details class="more"${isSet && html` open`}><summary>More filters</summary>
${fields}</details>`;
}

export function actionForm(parts: {
  readonly action: string;
  readonly hidden: readonly Html[];
  readonly button: string;
  readonly tone?: 'danger' | 'plain' | undefined;
  readonly content?: Piece;
  /** The permission that the member lacks. If it is set, the form is disabled. */
  readonly missing?: string | undefined;
}): Html {
  const { action, hidden, button, tone, content, missing } = parts;
  return html`<form method="post" action="${action}">${hidden}
<fieldset class="quiet"${missing !== undefined && html` disabled`}>${content}
<button${tone !== undefined && html` class="${tone}"`}>${button}</button></fieldset>
</form>`;
}

/** A link to the page that confirms an action. A member who lacks the permission sees a disabled button. */
export function actionLink(parts: {
  readonly href: string;
  readonly title: string;
  readonly missing: string | undefined;
}): Html {
  const { href, title, missing } = parts;
  if (missing === undefined) return html`<p class="actions"><a class="button plain" href="${href}">${title}</a></p>`;
  return html`<p class="actions"><button class="plain" disabled>${title}</button></p>`;
}

/** What follows the attributes of a `<textarea>`: the end of the start tag, the text, and the end tag. */
export function areaContent(text: string): Html {
  // The HTML parser drops a line break at the start of a text area. Without the extra line break, a text that starts
  // with a line break would lose it.
  return html`>\n${fieldText(text)}</textarea>`;
}

export function hidden(name: string, value: string | number): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}
