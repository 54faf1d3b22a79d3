import { type Html, html } from './html.js';

/** Estimated characters of one line. It sets the height of the field until the stylesheet is loaded. */
const CHARACTERS_PER_LINE = 60;

/**
 * A field with a text to copy: by hand, or with a button if the script runs.
 *
 * @param isSecret - The script asks for confirmation if the page is left before the text was copied, and then empties
 * the field.
 */
export function copyField(id: string, label: string, text: string, isSecret = false): Html {
  return html`<div class="field"><label for="${id}">${label}</label>
<div class="copy"><textarea id="${id}" class="text" rows="${Math.ceil(text.length / CHARACTERS_PER_LINE)}" readonly autocomplete="off" spellcheck="false"${isSecret && html` data-once`}>${text}</textarea>
<button type="button" class="plain" data-copy="${id}" hidden>Copy<span class="unseen"> ${label}</span></button></div></div>`;
}
