/** Form-encoded parameters (RFC 6749 Appendix B). */

export type FormPair = readonly [name: string, value: string];

/**
 * Whether the query of a request target carries a parameter, in whatever way its name is encoded.
 *
 * @param target - `req.url`: path and query.
 */
export function queryCarries(target: string | undefined, name: string): boolean {
  const mark = target?.indexOf('?') ?? -1;
  if (target === undefined || mark === -1) return false;
  const query = target.slice(mark + 1);
  if (!query.includes(name) && !query.includes('%')) return false;
  return new URLSearchParams(query).has(name);
}

/**
 * Reads the parameters of a form body (RFC 6749 §3.2): none may come twice, and one without a value counts as omitted.
 *
 * @returns `undefined` where a parameter comes twice, or the encoding is broken.
 */
export function readForm(body: string): ReadonlyMap<string, string> | undefined {
  const pairs = readPairs(body);
  if (pairs === undefined) return undefined;
  const parameters = new Map(pairs);
  return parameters.size === pairs.length ? withoutEmpty(parameters) : undefined;
}

/** Reads the pairs of a form or a query, in their order; `undefined` where an escape is broken or the bytes are not UTF-8. */
export function readPairs(text: string): readonly FormPair[] | undefined {
  const pairs: FormPair[] = [];
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = formDecode(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? '' : formDecode(pair.slice(equals + 1));
    if (name === undefined || value === undefined) return undefined;
    pairs.push([name, value]);
  }
  return pairs;
}

/** Drops the parameters that have no value: they count as omitted. */
export function withoutEmpty(parameters: Iterable<readonly [string, string]>): ReadonlyMap<string, string> {
  return new Map([...parameters].filter(([, value]) => value !== ''));
}

/** Decodes one name or value; `undefined` where an escape is broken or the bytes are not UTF-8. */
export function formDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
