import { type Html, html } from './html.js';

/** Estimated characters of one line. It sets the height of the field until the stylesheet is loaded. */
const CHARACTERS = 60;

/**
 * A field with a text to copy: by hand, or with a button if the script runs.
 *
 * @param isSecret - The script asks before the page is left without copying, and then empties the field.
 */
export function copyField(id: string, label: string, text: string, isSecret = false): Html {
  return html`<div class="field"><label for="${id}">${label}</label>
<div class="copy"><textarea id="${id}" class="text" rows="${Math.ceil(text.length / CHARACTERS)}" readonly autocomplete="off" spellcheck="false"${isSecret && html` data-once`}>${text}</textarea>
<button type="button" class="plain" data-copy="${id}" hidden>Copy<span class="unseen"> ${label}</span></button></div></div>`;
}
