/** What the credentials of a platform say again and again, kept once: most of what a cached one would take otherwise. */

/** Different facts that are kept; beyond them each credential has its own. */
const MOST = 1_000;

export class RepeatedFacts<T> {
  readonly #known = new Map<string, T>();

  /**
   * The fact of a name, made where it is not known yet.
   *
   * @param name - The same for equal facts alone. It is kept, so it must not be cut out of a credential: V8 would keep
   *   the whole of it.
   */
  once(name: string, make: () => T): T {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const fact = make();
    if (this.#known.size < MOST) this.#known.set(name, fact);
    return fact;
  }
}
