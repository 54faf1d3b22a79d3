/**
 * Distributes the places for lookups in flight. Anyone can send keys that do not exist, and a flood of such keys could
 * take every place; valid keys whose entries are outdated would then get 503. So once places run short, a quarter of
 * them is kept for keys that have an entry, and a network whose lookups find nothing gets at most a quarter.
 */
import { LRUCache } from 'lru-cache';

/** Where a lookup came from. */
export interface LookupSource {
  readonly network: string;
}

/** A place that a lookup has taken and must give back. */
export interface Place {
  /** The network that counts the place: set for a key without an entry, while places are short. */
  readonly network: Network | undefined;
}

interface Network {
  inFlight: number;
  /** Lookups that found nothing since places ran short. */
  misses: number;
}

/** The place of a lookup while there are enough places. It is not counted. */
export const UNCOUNTED: Place = Object.freeze({ network: undefined });

/** Milliseconds that places count as short after a lookup got none. */
const SHORT_FOR = 10_000;
/** A network whose lookups found nothing this many times gets at most a quarter of the places. */
const MAX_MISSES = 50;
const MAX_NETWORKS = 1_000;

export class LookupSlots {
  readonly #max: number;
  readonly #networks = new LRUCache<string, Network>({ max: MAX_NETWORKS });
  #takenByNewKeys = 0;
  /** The time on the monotonic clock, in milliseconds, until which each lookup must ask for a place. */
  shortUntil = Number.NEGATIVE_INFINITY;

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Takes a place for a lookup. Called only while places are short or all taken.
   *
   * @param now - The monotonic clock in milliseconds.
   * @returns `undefined` if there is none for this key.
   */
  take(source: LookupSource | undefined, now: number, isFull: boolean, isKnown: boolean): Place | undefined {
    const place = isFull ? undefined : isKnown ? UNCOUNTED : this.#placeForNewKey(source);
    if (place !== undefined) return place;
    // The counts of networks start again each time that places run short.
    if (now >= this.shortUntil) this.#networks.clear();
    this.shortUntil = now + SHORT_FOR;
    return undefined;
  }

  free({ network }: Place): void {
    if (network === undefined) return;
    this.#takenByNewKeys -= 1;
    network.inFlight -= 1;
  }

  /** Notes that a lookup found nothing while places are short. */
  missed(source: LookupSource): void {
    this.#networkOf(source).misses += 1;
  }

  #placeForNewKey(source: LookupSource | undefined): Place | undefined {
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
