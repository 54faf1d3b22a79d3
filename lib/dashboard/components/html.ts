/** HTML from templates. Every value is escaped, except HTML that another template made. */
import { EVERY_UNPRINTABLE } from '../../management/invisible-characters.js';

/** Quotation marks around the name of a key or a choice, escaped because the source code is plain ASCII. */
export const OPEN_QUOTE = '\u201c';
export const CLOSE_QUOTE = '\u201d';

/** Escaped HTML. The class is not exported, so that no string is treated as HTML by mistake. */
class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Html = Markup;

/** A value in a template. `undefined` and `false` add nothing to the HTML. */
export type Piece = string | number | Html | readonly Html[] | undefined | false;

/**
 * Creates HTML. Write attributes in double quotes; every value that is not HTML is escaped.
 *
 * Characters that are invisible, or change the direction of the text around them, are shown as their number:
 * `[U+202E]`.
 */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  let text = strings[0] ?? '';
  for (const [index, piece] of pieces.entries()) text += toMarkup(piece) + (strings[index + 1] ?? '');
  return new Markup(text);
}

/** A text that a user chose. `<bdi>` prevents right-to-left letters in the text from reordering the text around it. */
export function userText(text: string): Html {
  return html`<bdi>${text}</bdi>`;
}

/** Joins pieces with a separator. */
export function join(pieces: readonly Html[], between: Html): Html {
  return new Markup(pieces.map(({ text }) => text).join(between.text));
}

function toMarkup(piece: Piece): string {
  if (piece === undefined || piece === false) return '';
  if (piece instanceof Markup) return piece.text;
  if (typeof piece === 'object') return piece.map(({ text }) => text).join('');
  return escapeText(String(piece));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '').replace(EVERY_UNPRINTABLE, codePointText);
}

function codePointText(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
}
