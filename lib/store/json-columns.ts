/** Writes and parses columns with JSON: lists and objects. */

export function listToJson(list: 'all' | readonly string[]): string {
  return JSON.stringify(list);
}

/** Parses a column that `listToJson` wrote. The values in the list are checked later, when a record is read. */
export function parseList(text: string): 'all' | readonly string[] {
  return JSON.parse(text) as 'all' | readonly string[];
}

/** Parses a column that `listToJson` wrote and that is never `'all'`. */
export function parseNames(text: string): readonly string[] {
  const list = parseList(text);
  return list === 'all' ? [] : list;
}

/** Parses a JSON column that may be null; then it returns `null`. The type of the value is not checked. */
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
