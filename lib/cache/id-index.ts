/**
 * Maps the id or the account of a record to the keys of its entries in an LRU cache. Nearly every id has one entry.
 * During a rotation, an API key may have two entries: one for each secret. An account may have many.
 */
export class IdIndex {
  readonly #keyOfId = new Map<string, string>();
  readonly #moreKeysOfId = new Map<string, Set<string>>();

  add(id: string | undefined, key: string): void {
    if (id === undefined) return;
    const first = this.#keyOfId.get(id);
    if (first === undefined || first === key) this.#keyOfId.set(id, key);
    else this.#moreKeysOfId.set(id, (this.#moreKeysOfId.get(id) ?? new Set()).add(key));
  }

  keysOf(id: string): readonly string[] {
    const first = this.#keyOfId.get(id);
    return first === undefined ? [] : [first, ...(this.#moreKeysOfId.get(id) ?? [])];
  }

  delete(id: string | undefined, key: string): void {
    if (id === undefined) return;
    const more = this.#moreKeysOfId.get(id);
    const [next] = more ?? [];
    if (this.#keyOfId.get(id) !== key) more?.delete(key);
    else if (next === undefined) this.#keyOfId.delete(id);
    else {
      this.#keyOfId.set(id, next);
      more?.delete(next);
    }
    if (more?.size === 0) this.#moreKeysOfId.delete(id);
  }
}
