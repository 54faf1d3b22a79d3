/**
 * The fields of a form or a query. Unknown fields are refused, and a field that must have one value is refused if it is
 * repeated.
 */
import { badRequest } from './http-error.js';

/** Maximum characters of a field name in an error message. */
const MAX_CHARACTERS = 40;

export class Fields {
  readonly #values = new Map<string, string[]>();

  /** @throws HttpError 400 for an unknown field. */
  constructor(pairs: Iterable<readonly [string, string]>, names: readonly string[]) {
    for (const [name, value] of pairs) {
      if (!names.includes(name))
        throw badRequest(
          `This page does not accept the field "${printable(name)}". Go to your keys and open the page from there.`,
        );
      const values = this.#values.get(name);
      // Each value is appended to one array: a copy for each value would take a minute for the largest form.
      if (values === undefined) this.#values.set(name, [value]);
      else values.push(value);
    }
  }

  /** The value of a field; `undefined` if it is absent or empty. @throws HttpError 400 for a repeated field. */
  one(name: string): string | undefined {
    const [value, second] = this.#values.get(name) ?? [];
    if (second !== undefined)
      throw badRequest(`The field "${name}" was sent more than once. Go to your keys and open the page from there.`);
    return value === '' ? undefined : value;
  }

  /** Whether a field was sent, even if it is empty. */
  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** All values of a field that are not empty, without duplicates. */
  all(name: string): readonly string[] {
    return [...new Set(this.#values.get(name))].filter((value) => value !== '');
  }
}

/** Shortens the name of an unknown field for an error message. Characters other than printable ASCII become `?`. */
function printable(name: string): string {
  const text = name.replaceAll(/[^\x20-\x7e]/g, '?');
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}...` : text;
}
