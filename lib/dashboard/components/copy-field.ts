/**
 * Texts with a copy button. The button is hidden until the script shows it. Without the script, a member selects the
 * text and copies it.
 */
import { type Html, html } from './html.js';

/** Estimated characters in one line. It sets the height of the field in browsers without CSS `field-sizing`. */
const CHARACTERS_PER_LINE = 60;

/**
 * A field with a text to copy.
 *
 * @param isSecret - If `true`, the script asks for confirmation before the member leaves the page without copying the
 *   text. When the page is left, the script empties the field, so that the Back button does not show the text.
 * @param beside - Another control, which is shown after the copy button.
 */
export function copyField(id: string, label: string, text: string, isSecret = false, beside?: Html): Html {
  return html`<div class="field"><label for="${id}">${label}</label>
<div class="copy"><textarea id="${id}" class="text" rows="${Math.ceil(text.length / CHARACTERS_PER_LINE)}" readonly autocomplete="off" spellcheck="false"${isSecret && html` data-once`}>${text}</textarea>
${copyButton(id, label)}${beside}</div></div>`;
}

/** A short text with a copy button on the same line. */
export function copyText(id: string, label: string, text: string): Html {
  return html`<span class="copied"><code id="${id}">${text}</code> ${copyButton(id, label)}</span>`;
}

function copyButton(id: string, label: string): Html {
  return html`<button type="button" class="plain" data-copy="${id}" hidden>Copy<span class="unseen"> ${label}</span></button>`;
}
