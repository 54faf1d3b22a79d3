/**
 * Distributes the slots for lookups: each lookup in flight takes one slot. Anyone can send keys that do not exist, and
 * a flood of them could take every slot. A valid key that is not cached would then get 503.
 *
 * So while slots are short, a quarter of them is reserved for keys that were found before. A network from which
 * `MAX_MISSES` unknown keys have come gets at most a quarter.
 */
import { LRUCache } from 'lru-cache';

/** The network of the client whose request caused a lookup: an IPv4 address, or the /64 network of an IPv6 address. */
export interface LookupSource {
  readonly network: string;
}

/** A slot that a lookup has taken. The lookup frees it when it settles or expires. */
export interface LookupSlot {
  /**
   * The network against which the slot is counted. `undefined` if there were enough slots, or if the key was found
   * before.
   */
  readonly network: Network | undefined;
}

interface Network {
  inFlight: number;
  /** Lookups that found nothing since slots became short. */
  misses: number;
}

/**
 * The slot of a lookup that is not counted against a network: there were enough slots, or the key was found before. It
 * still counts for the maximum number of lookups.
 */
export const UNCOUNTED: LookupSlot = Object.freeze({ network: undefined });

/** Milliseconds for which slots count as short after a lookup got no slot. */
const SHORT_FOR = 10_000;
/** After this many lookups that found nothing, a network gets at most a quarter of the slots. */
const MAX_MISSES = 50;
const MAX_NETWORKS = 1_000;

export class LookupSlots {
  readonly #max: number;
  readonly #networks = new LRUCache<string, Network>({ max: MAX_NETWORKS });
  #takenByNewKeys = 0;
  /**
   * Slots are short until this time on the monotonic clock, in milliseconds. Until then, each lookup needs a slot from
   * `take`.
   */
  shortUntil = Number.NEGATIVE_INFINITY;

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Takes a slot for a lookup. Call it only while slots are short, or if all are in use.
   *
   * @param now - The monotonic clock in milliseconds.
   * @param isFull - Whether all slots are in use.
   * @param isKnown - Whether the key was found before.
   * @returns `undefined` if there is no slot for this key. Slots then count as short for another `SHORT_FOR`
   *   milliseconds.
   */
  take(source: LookupSource | undefined, now: number, isFull: boolean, isKnown: boolean): LookupSlot | undefined {
    const slot = isFull ? undefined : isKnown ? UNCOUNTED : this.#slotForNewKey(source);
    if (slot !== undefined) return slot;
    // A new shortage begins: the counts of all networks start at zero.
    if (now >= this.shortUntil) this.#networks.clear();
    this.shortUntil = now + SHORT_FOR;
    return undefined;
  }

  free({ network }: LookupSlot): void {
    if (network === undefined) return;
    this.#takenByNewKeys -= 1;
    network.inFlight -= 1;
  }

  /** Counts a lookup that found nothing against the network of its client. Call it only while slots are short. */
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
