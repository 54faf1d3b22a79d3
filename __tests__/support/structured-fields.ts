/** A strict parser of lists of RFC 9651, for what is used of them here: strings with parameters that are integers. */

export interface ListItem {
  readonly value: string;
  readonly parameters: Readonly<Record<string, number>>;
}

const ITEM = /^"((?:[\x20\x21\x23-\x5B\x5D-\x7E]|\\["\\])*)"((?:; *[a-z*][a-z0-9_.*-]*=-?\d{1,15})*)/;

/** @throws Error for a text that is not such a list (RFC 9651 section 4.2.1). */
export function parseList(field: string): readonly ListItem[] {
  const items: ListItem[] = [];
  let rest = field.trim();
  while (rest !== '') {
    const [text, value, parameters] = ITEM.exec(rest) ?? [];
    if (text === undefined || value === undefined || parameters === undefined) throw new Error(`no item: ${rest}`);
    const pairs = parameters
      .split(';')
      .slice(1)
      .map((pair) => pair.trim().split('='));
    items.push({ value, parameters: Object.fromEntries(pairs.map(([name, number]) => [name, Number(number)])) });
    rest = rest.slice(text.length);
    if (rest === '') return items;
    const comma = /^[ \t]*,[ \t]*(?=[^ \t])/.exec(rest);
    if (comma === null) throw new Error(`no comma: ${rest}`);
    rest = rest.slice(comma[0].length);
  }
  return items;
}
