/**
 * Distributes the slots: each lookup in flight takes one. Anyone can send keys that do not exist, and a flood of such
 * keys could take every slot; valid keys whose entries are outdated would then get 503. So once slots run short, a
 * quarter of them is kept for keys that were found before, and a network whose lookups find nothing gets at most a
 * quarter.
 */
import { LRUCache } from 'lru-cache';

/** Where a lookup came from. */
export interface LookupSource {
  readonly network: string;
}

/** A slot that a lookup has taken, and frees when it settles or expires. */
export interface LookupSlot {
  /** The network whose count includes the slot: set only while slots are short, for a key that was not found before. */
  readonly network: Network | undefined;
}

interface Network {
  inFlight: number;
  /** Lookups that found nothing since slots became short. */
  misses: number;
}

/**
 * The slot of a lookup that does not count for its network, because there are enough slots or the key was found before.
 * It still counts for the maximum number of lookups.
 */
export const UNCOUNTED: LookupSlot = Object.freeze({ network: undefined });

/** Milliseconds for which slots count as short after a lookup got no slot. */
const SHORT_FOR = 10_000;
/** A network whose lookups found nothing this many times gets at most a quarter of the slots. */
const MAX_MISSES = 50;
const MAX_NETWORKS = 1_000;

export class LookupSlots {
  readonly #max: number;
  readonly #networks = new LRUCache<string, Network>({ max: MAX_NETWORKS });
  #takenByNewKeys = 0;
  /** The time on the monotonic clock, in milliseconds, until which each lookup must ask for a slot. */
  shortUntil = Number.NEGATIVE_INFINITY;

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Takes a slot for a lookup. Called only while slots are short or all taken.
   *
   * @param now - The monotonic clock in milliseconds.
   * @returns `undefined` if no slot is left for this key.
   */
  take(source: LookupSource | undefined, now: number, isFull: boolean, isKnown: boolean): LookupSlot | undefined {
    const slot = isFull ? undefined : isKnown ? UNCOUNTED : this.#slotForNewKey(source);
    if (slot !== undefined) return slot;
    // The counts of networks start again each time that slots run short.
    if (now >= this.shortUntil) this.#networks.clear();
    this.shortUntil = now + SHORT_FOR;
    return undefined;
  }

  free({ network }: LookupSlot): void {
    if (network === undefined) return;
    this.#takenByNewKeys -= 1;
    network.inFlight -= 1;
  }

  /** Counts a lookup that found nothing, for its network. Called only while slots are short. */
  missed(source: LookupSource): void {
    this.#networkOf(source).misses += 1;
  }

  #slotForNewKey(source: LookupSource | undefined): LookupSlot | undefined {
    if (this.#takenByNewKeys >= this.#max * 0.75) return undefined;
    const network = source === undefined ? { inFlight: 0, misses: 0 } : this.#networkOf(source);
    if (network.misses >= MAX_MISSES && network.inFlight >= this.#max * 0.25) return undefined;
    this.#takenByNewKeys += 1;
    network.inFlight += 1;
    return { network };
  }

  #networkOf({ network: name }: LookupSource): Network {
    const network = this.#networks.get(name) ?? { inFlight: 0, misses: 0 };
    this.#networks.set(name, network);
    return network;
  }
}
