import { type Html, html } from './html.js';

/**
 * A text that is to be copied: by hand without the script, by a button with it.
 *
 * @param isSecret - The page asks before it is left uncopied, and empties the field then.
 */
export function copyable(id: string, label: string, text: string, isSecret = false): Html {
  return html`<div class="field"><label for="${id}">${label}</label>
<div class="copy"><input id="${id}" class="text" value="${text}" readonly autocomplete="off" spellcheck="false"${isSecret && html` data-once`}>
<button type="button" class="plain" data-copy="${id}" hidden>Copy<span class="unseen"> ${label}</span></button></div></div>`;
}
