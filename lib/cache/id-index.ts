/**
 * Maps the id or the account of a record to the keys of its entries in an LRU cache. Nearly every id has one entry.
 * During a rotation, an API key may have two entries: one for each secret. An account may have many.
 */
export class IdIndex {
  /** The key of each id; a set if the id got a second key, which saves memory for ids with one key. */
  readonly #keysOfId = new Map<string, string | Set<string>>();

  add(id: string | undefined, key: string): void {
    if (id === undefined) return;
    const known = this.#keysOfId.get(id);
    if (known === undefined) this.#keysOfId.set(id, key);
    else if (known instanceof Set) known.add(key);
    else if (known !== key) this.#keysOfId.set(id, new Set([known, key]));
  }

  keysOf(id: string): readonly string[] {
    const known = this.#keysOfId.get(id) ?? [];
    return typeof known === 'string' ? [known] : [...known];
  }

  delete(id: string | undefined, key: string): void {
    if (id === undefined) return;
    const known = this.#keysOfId.get(id);
    // The set is never iterated here: its iterator steps over deleted keys, so deleting all keys would be quadratic.
    if (known === key) this.#keysOfId.delete(id);
    else if (known instanceof Set && known.delete(key) && known.size === 0) this.#keysOfId.delete(id);
  }
}
