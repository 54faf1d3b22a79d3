/** Writes and parses database columns that contain JSON: lists and objects. */

export function listToJson(list: 'all' | readonly string[]): string {
  return JSON.stringify(list);
}

/** Parses a column that `listToJson` wrote. Its values are not checked here, but later by the reader of the record. */
export function parseList(text: string): 'all' | readonly string[] {
  return JSON.parse(text) as 'all' | readonly string[];
}

/** Parses a column with a list that `listToJson` wrote. `'all'` is not valid in such a column, and counts as empty. */
export function parseNames(text: string): readonly string[] {
  const list = parseList(text);
  return list === 'all' ? [] : list;
}

/** Parses a JSON column, and returns `null` if the column is null. It does not check the type of the value. */
export function parseOptional<T>(text: string | null): T | null {
  return text === null ? null : (JSON.parse(text) as T);
}

/** Returns the names that both lists contain; `'all'` contains every name. */
export function intersection(
  one: 'all' | readonly string[],
  other: 'all' | readonly string[],
): 'all' | readonly string[] {
  if (one === 'all') return other;
  return other === 'all' ? one : one.filter((name) => other.includes(name));
}
