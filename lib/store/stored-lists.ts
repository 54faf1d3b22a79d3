/** Lists in columns of text. */

export function listText(list: 'all' | readonly string[]): string {
  return JSON.stringify(list);
}

/** Reads a column that `listText` wrote. What is there is checked where records are. */
export function listOf(text: string): 'all' | readonly string[] {
  return JSON.parse(text) as 'all' | readonly string[];
}

/** Reads a column that never says `'all'`. */
export function namesOf(text: string): readonly string[] {
  const list = listOf(text);
  return list === 'all' ? [] : list;
}

/** What both allow. */
export function common(one: 'all' | readonly string[], other: 'all' | readonly string[]): 'all' | readonly string[] {
  if (one === 'all') return other;
  return other === 'all' ? one : one.filter((name) => other.includes(name));
}
