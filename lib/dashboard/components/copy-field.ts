/** Texts to copy: by hand, or with a button if the script runs. */
import { type Html, html } from './html.js';

/** Estimated characters of one line. It sets the height of the field until the stylesheet is loaded. */
const CHARACTERS_PER_LINE = 60;

/**
 * A field with a text to copy.
 *
 * @param isSecret - The script asks for confirmation if the page is left before the text was copied, and then empties
 * the field.
 * @param beside - Another control, shown after the button.
 */
export function copyField(id: string, label: string, text: string, isSecret = false, beside?: Html): Html {
  return html`<div class="field"><label for="${id}">${label}</label>
<div class="copy"><textarea id="${id}" class="text" rows="${Math.ceil(text.length / CHARACTERS_PER_LINE)}" readonly autocomplete="off" spellcheck="false"${isSecret && html` data-once`}>${text}</textarea>
${copyButton(id, label)}${beside}</div></div>`;
}

/** A short text in a line, with a button. */
export function copyText(id: string, label: string, text: string): Html {
  return html`<span class="copied"><code id="${id}">${text}</code> ${copyButton(id, label)}</span>`;
}

function copyButton(id: string, label: string): Html {
  return html`<button type="button" class="plain" data-copy="${id}" hidden>Copy<span class="unseen"> ${label}</span></button>`;
}
