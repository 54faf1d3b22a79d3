/** A field in which a member chooses all values or only some, such as the APIs of a key. */
import { missingNames } from '../../management/entitlement.js';
import { LIST_LENGTH } from '../../management/fields.js';
import { type Html, html } from '../components/html.js';
import { NO_LONGER_AVAILABLE } from '../components/key-labels.js';
import type { Choice } from './key-form-values.js';

export interface ChoiceField {
  readonly name: string;
  readonly legend: string;
  /** What the label for "some" calls the values, for example `scopes` in `Only these scopes`. */
  readonly noun: string;
  readonly hint?: string | undefined;
  /** The label for "all"; absent if "all" cannot be chosen. */
  readonly all?: string | undefined;
  /** The values to choose from; `'all'` if the account may use any value, so the member types the names. */
  readonly options: 'all' | readonly string[];
  readonly choice: Choice;
  readonly error: string | undefined;
}

export function choiceField(field: ChoiceField): Html {
  const { name, legend, noun, hint, all, choice, error } = field;
  const describedBy = [hint !== undefined && `${name}-hint`, error !== undefined && `${name}-error`].filter(Boolean);
  const radio = (of: 'all' | 'some', title: string) =>
    html`<label class="tick"><input type="radio" name="${name}.of" value="${of}"${choice.of === of && html` checked`}> ${title}</label>`;
  return html`<fieldset id="field-${name}" tabindex="-1"${describedBy.length > 0 && html` aria-describedby="${describedBy.join(' ')}"`} data-choice>
<legend>${legend}</legend>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`}
${all !== undefined && html`${radio('all', all)}${radio('some', `Only these ${noun}`)}`}
${valueFields(field)}
</fieldset>`;
}

function valueFields({ name, legend, options, choice }: ChoiceField): Html {
  if (options === 'all') {
    return html`<label class="field">${legend}, separated by spaces
<input name="${name}.named" value="${choice.names.join(' ')}" autocomplete="off" spellcheck="false"></label>`;
  }
  // Values that the account has lost are shown too, so that the member can remove them from the key. No key has more
  // than the limit, but a form that is shown again with an error may have 80,000 values.
  const unavailable = new Set(missingNames(choice.names, options).slice(0, LIST_LENGTH));
  const chosen = new Set(choice.names);
  return html`<div class="ticks">${[...options, ...unavailable].map(
    (entry) =>
      html`<label class="tick"><input type="checkbox" name="${name}" value="${entry}"${chosen.has(entry) && html` checked`}> <bdi>${entry}</bdi>${
        unavailable.has(entry) && NO_LONGER_AVAILABLE
      }</label>`,
  )}</div>`;
}
