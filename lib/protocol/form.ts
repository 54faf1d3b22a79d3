/** Parses form-encoded parameters (RFC 6749 Appendix B). */

export type FormPair = readonly [name: string, value: string];

/**
 * Checks whether the query of a request has a parameter, in any encoding of its name. The parameter may also be a list
 * or an object: a parser such as qs reads `name[]=x`, `name[a]=x` and `[name]=x` as the parameter `name`.
 *
 * @param target - `req.url`: path and query.
 */
export function queryCarries(target: string | undefined, name: string): boolean {
  const mark = target?.indexOf('?') ?? -1;
  if (target === undefined || mark === -1) return false;
  const query = target.slice(mark + 1);
  if (!query.includes(name) && !query.includes('%')) return false;
  return [...new URLSearchParams(query).keys()].some((written) => namesParameter(written, name));
}

/** Checks whether a decoded name is the name of the parameter, or of a part of it, such as `name[0]`. */
export function namesParameter(written: string, name: string): boolean {
  return written === name || written.startsWith(`${name}[`) || written.startsWith(`[${name}]`);
}

/**
 * Parses the parameters of a form body (RFC 6749 section 3.2). Duplicates are refused. A parameter without a value
 * counts as omitted.
 *
 * @returns `undefined` if a parameter is repeated, or the encoding is invalid.
 */
export function readForm(body: string): ReadonlyMap<string, string> | undefined {
  const pairs = readPairs(body);
  if (pairs === undefined) return undefined;
  const parameters = new Map(pairs);
  return parameters.size === pairs.length ? withoutEmpty(parameters) : undefined;
}

/** Parses the pairs of a form or a query, in order; `undefined` if an escape is invalid or the bytes are not UTF-8. */
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

/** Removes parameters without a value, because they count as omitted. */
export function withoutEmpty(parameters: Iterable<readonly [string, string]>): ReadonlyMap<string, string> {
  return new Map([...parameters].filter(([, value]) => value !== ''));
}

/** Decodes a name or a value; `undefined` if an escape is invalid or the bytes are not UTF-8. */
export function formDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
