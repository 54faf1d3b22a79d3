/**
 * What is under way, found by its key.
 *
 * It is no Map. Where entries come and go, a Map has its table replaced again and again, and V8 leaves each old table
 * with a pointer to the next one. Once a table has grown old, the collector of young garbage takes all later ones for
 * living, with all that ever stood in them: a few hundred bytes more to copy for each look-up, until the next
 * collection of everything.
 */

interface Entry<V> {
  readonly key: string;
  readonly value: V;
}

/** Entries are few: what is looked up or verified at one time. */
const LANES = 64;

export class UnderWay<V> {
  readonly #lanes: readonly Entry<V>[][] = Array.from({ length: LANES }, () => []);

  get(key: string): V | undefined {
    for (const entry of this.#laneOf(key)) if (entry.key === key) return entry.value;
    return undefined;
  }

  /** Adds a key that is not there yet. */
  add(key: string, value: V): void {
    this.#laneOf(key).push({ key, value });
  }

  delete(key: string): void {
    const lane = this.#laneOf(key);
    const index = lane.findIndex((entry) => entry.key === key);
    const last = index === -1 ? undefined : lane.pop();
    if (last !== undefined && index < lane.length) lane[index] = last;
  }

  /** By the last character: of a digest it is random, and of an id as good as. */
  #laneOf(key: string): Entry<V>[] {
    return this.#lanes[(key.charCodeAt(key.length - 1) || 0) % LANES] as Entry<V>[];
  }
}
