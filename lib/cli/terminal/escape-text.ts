/**
 * Escapes characters that a terminal would execute or hide, such as control characters, ESC sequences and bidi marks.
 * Otherwise, a name in the database could forge the output.
 */
import { EVERY_UNPRINTABLE } from '../../management/invisible-characters.js';

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Returns the text on one line, with escapes such as `\n`, `\u001b` and `\u202e`. */
export function escapeText(text: string): string {
  return text.replace(EVERY_UNPRINTABLE, (found) => SHORT[found] ?? unicodeEscape(found));
}

/**
 * Escapes the unprintable characters that `JSON.stringify` leaves as they are, such as U+007F to U+009F and bidi marks.
 * The result is the same JSON value.
 */
export function escapeJson(json: string): string {
  return json.replace(EVERY_UNPRINTABLE, unicodeEscape);
}

function unicodeEscape(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }).join('');
}
