/**
 * Creates the texts by which keys are searched and sorted. Case is folded in JavaScript, because SQLite and PostgreSQL
 * fold it differently.
 */

/**
 * Normalizes a text (NFKC), and folds its case by Unicode, in the same way for every locale. A sharp s becomes `SS`; a
 * Turkish i, with or without a dot, becomes `I`. Accents are kept.
 */
export function foldText(text: string): string {
  const upper = text.normalize('NFKC').toLowerCase().toUpperCase();
  return upper.replaceAll('I\u0307', 'I').normalize('NFC');
}

/**
 * Maximum length of `sort_name`. Names have at most 100 characters, and PostgreSQL refuses long strings in an index.
 */
const MAX_SORT_NAME = 200;

/**
 * Returns the value of the column `sort_name` of a key: its name, otherwise its id, folded and cut to a fixed length.
 */
export function sortNameOf({ id, name }: { readonly id: string; readonly name: string | null }): string {
  return [...foldText(name ?? id)].slice(0, MAX_SORT_NAME).join('');
}

/** Returns the value of the column `search_text` of a key: its name, its id and its hints on separate lines, folded. */
export function searchTextOf(
  key: { readonly id: string; readonly name: string | null },
  hints: readonly string[],
): string {
  return foldText([key.name ?? '', key.id, ...hints].join('\n'));
}
