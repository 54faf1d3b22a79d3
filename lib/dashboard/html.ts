/** HTML from templates: what is put into one is text, unless it came out of one. */

/** Finished HTML. Only `html` makes it, so that no text can pass for it. */
class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Html = Markup;

/** What a template takes. `undefined` and `false` are nothing. */
export type Piece = string | number | Html | readonly Html[] | undefined | false;

/**
 * Makes HTML. Write attributes in double quotes; every piece that is no HTML is escaped.
 *
 * What cannot be seen, or turns the direction of what stands beside it, is written by its number: `[U+202E]`.
 */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  let text = strings[0] ?? '';
  for (const [index, piece] of pieces.entries()) text += textOf(piece) + (strings[index + 1] ?? '');
  return new Markup(text);
}

/** A text that somebody chose: its direction does not reach what stands beside it. */
export function chosen(text: string): Html {
  return html`<bdi>${text}</bdi>`;
}

/** Pieces with something between each two. */
export function joined(pieces: readonly Html[], between: Html): Html {
  return new Markup(pieces.map(({ text }) => text).join(between.text));
}

function textOf(piece: Piece): string {
  if (piece === undefined || piece === false) return '';
  if (piece instanceof Markup) return piece.text;
  if (typeof piece === 'object') return piece.map(({ text }) => text).join('');
  return escaped(String(piece));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Controls, formats (bidirectional marks, zero widths), halves of a pair, and letters without a shape. */
const NOT_SEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]/gu;

function escaped(text: string): string {
  return text.replace(/[&<>"'`]/g, (sign) => ENTITIES[sign] ?? '').replace(NOT_SEEN, numbered);
}

function numbered(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
}
