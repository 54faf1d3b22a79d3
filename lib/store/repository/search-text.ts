/**
 * Creates the columns by which keys are searched and sorted. Case is folded in JavaScript, because SQLite and
 * PostgreSQL would fold it differently.
 */

/**
 * Normalizes a text (NFKC) and folds its case by the rules of Unicode, in the same way for every locale. A sharp s
 * becomes `SS`. A Turkish i becomes `I`, with or without a dot. Accents are kept.
 */
export function foldText(text: string): string {
  const upper = text.normalize('NFKC').toLowerCase().toUpperCase();
  return upper.replaceAll('I\u0307', 'I').normalize('NFC');
}

/**
 * Maximum length of `sort_name`, because PostgreSQL refuses long strings in an index. Names have at most 100
 * characters, and folding can make them longer.
 */
const MAX_SORT_NAME = 200;

/**
 * Returns the value of the column `sort_name` of a key: its name or, if it has none, its id. The value is case-folded
 * and cut to the maximum length.
 */
export function sortNameOf({ id, name }: { readonly id: string; readonly name: string | null }): string {
  return [...foldText(name ?? id)].slice(0, MAX_SORT_NAME).join('');
}

/** Returns the value of the column `search_text` of a key: its name, id and hints, one per line and case-folded. */
export function searchTextOf(
  key: { readonly id: string; readonly name: string | null },
  hints: readonly string[],
): string {
  return foldText([key.name ?? '', key.id, ...hints].join('\n'));
}
