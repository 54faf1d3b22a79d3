/** Fields of a form or of a query. */
import { badRequest } from './refusal.js';

/** Characters of a name that nobody here gave. */
const LONGEST = 40;

export class Fields {
  readonly #values = new Map<string, readonly string[]>();

  /** @throws Refusal 400 for a field that is not among those named. */
  constructor(pairs: Iterable<readonly [string, string]>, names: readonly string[]) {
    for (const [name, value] of pairs) {
      if (!names.includes(name)) throw badRequest(`There is a field that this page does not know: "${shown(name)}".`);
      this.#values.set(name, [...(this.#values.get(name) ?? []), value]);
    }
  }

  /** The value of a field; `undefined` where it is absent or empty. @throws Refusal 400 for a field that comes twice. */
  one(name: string): string | undefined {
    const [value, ...more] = this.#values.get(name) ?? [];
    if (more.length > 0) throw badRequest(`The field "${name}" comes more than once.`);
    return value === '' ? undefined : value;
  }

  /** Every value of a field that is not empty, each once. */
  all(name: string): readonly string[] {
    return [...new Set(this.#values.get(name))].filter((value) => value !== '');
  }
}

/** A few characters that neither hide nor turn what stands beside them. */
function shown(name: string): string {
  const text = name.replaceAll(/[^\x20-\x7e]/g, '?');
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
}
