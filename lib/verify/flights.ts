/** Look-ups under way: so many at most, waited for no longer than they may take, told of every change until they land. */
import type { Reach } from './change-reach.js';
import type { Instant } from './freshness.js';
import { UnderWay } from './under-way.js';

/** One look-up under way. */
export interface Flight {
  /** When it began, among the look-ups of the cache. */
  sequence: number;
  departed: Instant;
  /** While it is under way its subject is unknown, so every change since it began is kept. */
  changes: Reach[];
  /** Set when it took so long that changes are no longer kept for it: then what it brings is not believed. */
  abandoned: boolean;
  /** Where it stands among those under way; `undefined` where it is not one of them. */
  place: number | undefined;
}

export interface FlightsOptions {
  /** Milliseconds, then a look-up has failed. */
  readonly timeout: number;
  /** Look-ups under way, beyond which none is begun. */
  readonly max: number;
}

/** A look-up that never ends gives its place back after so many time-outs. */
const PATIENCE = 10;

export class Flights<L> {
  readonly #options: FlightsOptions;
  readonly #open = new UnderWay<{ readonly flight: Flight; readonly arrival: Promise<L> }>();
  readonly #underWay: Flight[] = [];

  constructor(options: FlightsOptions) {
    this.#options = options;
  }

  get areFull(): boolean {
    return this.#underWay.length >= this.#options.max;
  }

  /** What the look-up of a key that others may join will bring. */
  joined(key: string): Promise<L> | undefined {
    return this.#open.get(key)?.arrival;
  }

  /** Tells every look-up under way of a change. */
  tell(reach: Reach): void {
    for (const flight of this.#underWay) flight.changes.push(reach);
  }

  /**
   * Begins a look-up. One that lands after its time-out may still be believed, but nobody waits for it any more.
   *
   * @param key - What others join it by; `undefined` for one that nobody may join.
   * @param fly - Makes the look-up, and calls `end` in the turn in which it lands. It must not reject.
   * @param late - What is answered when it takes too long.
   */
  begin(key: string | undefined, flight: Flight, fly: () => Promise<L>, late: () => L): Promise<L> {
    flight.place = this.#underWay.push(flight) - 1;
    const arrival = this.#inTime(flight, fly(), () => {
      this.#close(key, flight);
      return late();
    });
    if (key !== undefined && flight.place !== undefined) this.#open.set(key, { flight, arrival });
    return arrival;
  }

  /** A look-up has landed: who asks after the next change must not join one from before it. */
  end(key: string, flight: Flight): void {
    this.#leave(flight);
    this.#close(key, flight);
  }

  /** The last one takes its place. */
  #leave(flight: Flight): void {
    const { place } = flight;
    if (place === undefined) return;
    const last = this.#underWay.pop() as Flight;
    if (last !== flight) this.#underWay[place] = last;
    last.place = place;
    flight.place = undefined;
  }

  #close(key: string | undefined, flight: Flight): void {
    if (key !== undefined && this.#open.get(key)?.flight === flight) this.#open.delete(key);
  }

  #inTime(flight: Flight, landing: Promise<L>, late: () => L): Promise<L> {
    const { timeout } = this.#options;
    return new Promise((resolve) => {
      const abandon = () => {
        flight.abandoned = true;
        this.#leave(flight);
      };
      const giveUp = () => {
        timer = setTimeout(abandon, timeout * (PATIENCE - 1)).unref();
        resolve(late());
      };
      let timer = setTimeout(giveUp, timeout);
      landing.then((landed) => {
        clearTimeout(timer);
        resolve(landed);
      });
    });
  }
}
