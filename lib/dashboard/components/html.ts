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
 * `[U+202E]`. The value of a form field, `value="..."`, keeps them, because the browser sends it back.
 */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  let text = strings[0] ?? '';
  for (const [index, piece] of pieces.entries()) {
    const escapeString = strings[index]?.endsWith(' value="') ? escapeField : escapeText;
    text += toMarkup(piece, escapeString) + (strings[index + 1] ?? '');
  }
  return new Markup(text);
}

/** A text that a user chose. `<bdi>` prevents right-to-left letters in the text from reordering the text around it. */
export function userText(text: string): Html {
  return html`<bdi>${text}</bdi>`;
}

/**
 * The text of a form field, which the browser sends back. No character of it is changed, except NUL, which HTML cannot
 * contain.
 */
export function fieldText(text: string): Html {
  return new Markup(escapeField(text));
}

/** Joins pieces with a separator. */
export function join(pieces: readonly Html[], between: Html): Html {
  return new Markup(pieces.map(({ text }) => text).join(between.text));
}

function toMarkup(piece: Piece, escapeString: (text: string) => string): string {
  if (piece === undefined || piece === false) return '';
  if (piece instanceof Markup) return piece.text;
  if (typeof piece === 'object') return piece.map(({ text }) => text).join('');
  return escapeString(String(piece));
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
  return escapeHtml(text).replace(EVERY_UNPRINTABLE, (character) => `[U+${codePoint(character).padStart(4, '0')}]`);
}

/** Line breaks and U+0080 to U+009F stay as they are: browsers read references to the latter as other characters. */
function escapeField(text: string): string {
  return escapeHtml(text).replace(EVERY_UNPRINTABLE, (character) =>
    /[\r\n\x80-\x9F]/.test(character) ? character : `&#x${codePoint(character)};`,
  );
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '');
}

function codePoint(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
}
