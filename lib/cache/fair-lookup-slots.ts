/**
 * Distributes the slots for lookups: each lookup in flight takes one. Anyone can send keys that do not exist, and a
 * flood of them could take every slot; a valid key whose cache entry is too old would then get 503.
 *
 * So while slots are short, a quarter of them is reserved for keys that were found before. A network gets at most a
 * quarter once `MAX_MISSES` of its lookups have found nothing.
 */
import { LRUCache } from 'lru-cache';

/** The network from which the request of a lookup came: an IPv4 address, or the /64 network of an IPv6 address. */
export interface LookupSource {
  readonly network: string;
}

/** A slot that a lookup has taken, and frees when it settles or expires. */
export interface LookupSlot {
  /**
   * The network that the slot is counted for. It is set only if the slot was taken while slots were short, for a key
   * that was not found before.
   */
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
  /**
   * Slots count as short until this time on the monotonic clock, in milliseconds. Until then, each lookup must ask
   * `take`.
   */
  shortUntil = Number.NEGATIVE_INFINITY;

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Takes a slot for a lookup. Called only while slots are short or all taken.
   *
   * @param now - The monotonic clock in milliseconds.
   * @param isFull - Whether all slots are in use.
   * @param isKnown - Whether the key was found before.
   * @returns `undefined` if no slot is left for this key. Slots then count as short for another `SHORT_FOR`
   *   milliseconds.
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
