/**
 * What is under way, found by its key.
 *
 * It is no Map. Where entries come and go, a Map has its table replaced again and again, and V8 leaves each old table
 * with a pointer to the next one. Once a table has grown old, the collector of young garbage takes all later ones for
 * living, with all that ever stood in them, until the next collection of everything.
 */
import { randomInt } from 'node:crypto';

interface Entry<V> {
  readonly key: string;
  value: V;
}

/** A prime, so that keys which differ in a character that is weighed share a lane once in so many times. */
const LANES = 251;
/** Characters that are weighed, from the end: of a digest and of an id the end tells one from another. */
const WEIGHED = 8;

export class UnderWay<V> {
  readonly #lanes: readonly Entry<V>[][] = Array.from({ length: LANES }, () => []);
  /** Drawn, since who could tell the lane of a key could have a flood of tokens stand in one. */
  readonly #weights: readonly number[] = Array.from({ length: WEIGHED }, () => randomInt(1, LANES));

  get(key: string): V | undefined {
    for (const entry of this.#laneOf(key)) if (entry.key === key) return entry.value;
    return undefined;
  }

  set(key: string, value: V): void {
    const lane = this.#laneOf(key);
    const known = lane.find((entry) => entry.key === key);
    if (known === undefined) lane.push({ key, value });
    else known.value = value;
  }

  delete(key: string): void {
    const lane = this.#laneOf(key);
    const index = lane.findIndex((entry) => entry.key === key);
    if (index === -1) return;
    const last = lane.pop() as Entry<V>;
    if (index < lane.length) lane[index] = last;
  }

  #laneOf(key: string): Entry<V>[] {
    let sum = 0;
    for (let place = 1; place <= Math.min(WEIGHED, key.length); place += 1) {
      sum += key.charCodeAt(key.length - place) * (this.#weights[place - 1] as number);
    }
    return this.#lanes[sum % LANES] as Entry<V>[];
  }
}
