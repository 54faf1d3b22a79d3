/** What a cache keeps of its look-ups: good entries, negatives, and what was revoked, each bounded by itself. */
import type { CacheBounds } from './cache-options.js';
import { isOfId, type Reach, touches } from './change-reach.js';
import { EntrySegment } from './entry-segment.js';
import type { Flight } from './flights.js';
import { type Entry, type Landing, landedOnMiss, landedWell, type Miss } from './look-up-landing.js';

export class KeptEntries<F> {
  readonly #good: EntrySegment<Entry<F>>;
  readonly #misses: EntrySegment<Miss>;
  /** Revoked is final: apart, so that no flood of unknown keys makes it forgotten. */
  readonly #revoked: EntrySegment<Miss>;

  constructor({ max, negativeMax }: CacheBounds) {
    this.#good = new EntrySegment(max);
    this.#misses = new EntrySegment(negativeMax);
    this.#revoked = new EntrySegment(negativeMax);
  }

  /** The good entry of a key; it counts as used. */
  use(key: string): Entry<F> | undefined {
    return this.#good.get(key);
  }

  /** The good entry of a key, which does not count as used. */
  peek(key: string): Entry<F> | undefined {
    return this.#good.peek(key);
  }

  /** The negative entry of a key. */
  miss(key: string): Miss | undefined {
    return this.#revoked.get(key) ?? this.#misses.get(key);
  }

  /** Drops the good entry of a key. */
  delete(key: string): void {
    this.#good.delete(key);
  }

  /** Drops what a change reaches; what was revoked stays so. */
  drop(reach: Reach): void {
    const isTouched = ({ subject }: Entry<F> | Miss) => touches(reach, subject);
    for (const segment of [this.#good, this.#misses]) {
      if (isOfId(reach)) segment.deleteOf(reach.id, isTouched);
      else segment.deleteWhere(isTouched);
    }
  }

  /** Keeps what a look-up brought, unless something is known that it does not outweigh: then that is what holds. */
  keep(key: string, { sequence, abandoned }: Flight, landing: Landing<F>): Landing<F> {
    const final = this.#revoked.peek(key);
    if (final !== undefined) return landedOnMiss(final);
    // Revoked is final, however late it is heard.
    if (landing.miss?.final) {
      this.#good.delete(key);
      this.#misses.delete(key);
      this.#revoked.set(key, landing.miss);
      return landing;
    }
    const [entry, miss] = [this.#good.peek(key), this.#misses.peek(key)];
    if (miss !== undefined && miss.sequence > sequence) return landedOnMiss(miss);
    if (entry !== undefined && entry.sequence > sequence) return landedWell(entry);
    if (abandoned) return landing;
    if (landing.entry !== undefined) {
      this.#misses.delete(key);
      this.#good.set(key, landing.entry);
    } else if (landing.miss !== undefined) {
      this.#good.delete(key);
      this.#misses.set(key, landing.miss);
    }
    return landing;
  }
}
