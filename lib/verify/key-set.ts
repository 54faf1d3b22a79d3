/** The keys of an issuer, kept fresh, and usable while the issuer cannot be reached. */
import type { Clock } from '../contracts/clock.js';
import { keySetChanges } from '../events/key-set-change.js';
import { FetchFault, fetchJson } from './fetch-json.js';
import { elapsed, type Instant, instantOf } from './freshness.js';
import { KeySetFault, readKeySet, type VerificationKey } from './verification-key.js';

/** Where a signature's key is found. */
export interface KeySet {
  /** Whether the keys, and what they proved, may be believed now without asking. */
  isFresh(now: Instant): boolean;
  /**
   * Finds a key by its id, at once where it is known; without an id, the only key of a set of one.
   *
   * @throws KeysUnavailable, as a rejection, while there are no keys to look among.
   */
  find(kid: string | undefined): VerificationKey | undefined | Promise<VerificationKey | undefined>;
}

/** There are no keys that may be believed. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
  /** Seconds until the next attempt to fetch them. */
  readonly retryAfter: number;

  constructor(retryAfter: number) {
    super('the keys of the issuer cannot be had');
    this.retryAfter = retryAfter;
  }
}

/** Keys that are known from the start. */
export function staticKeySet(keys: readonly VerificationKey[]): KeySet {
  return Object.freeze({
    isFresh: () => true,
    find: (kid: string | undefined) => findAmong(keys, kid),
  });
}

const FETCH_TIMEOUT = 2_000;
/** From here on the set is fetched anew beside the requests that need it. */
const REFRESH_AGE = 300_000;
/** From here on requests wait for a new set. */
const MAX_AGE = 600_000;
/** The last good set is believed so long when it cannot be fetched, and no longer. */
const MAX_STALE = 3_600_000;
/** An unknown `kid` makes one fetch in so long a time, so that forged ones make no traffic. */
const SEARCH_COOLDOWN = 30_000;
/** A failure tells for so long that the issuer is away: longer than the longest back-off and a fetch. */
const AWAY_FOR = 60_000;
const FIRST_BACK_OFF = 1_000;
const LONGEST_BACK_OFF = 30_000;

export interface RemoteKeySetOptions {
  readonly issuer: string;
  readonly clock: Clock;
  /** Finds the URL of the set: at the first fetch, and again whenever the set has come of age. */
  readonly locate: (signal: AbortSignal) => Promise<URL>;
}

/** Keys that are fetched from the issuer when they are needed: never by a timer. */
export class RemoteKeySet implements KeySet {
  readonly #options: RemoteKeySetOptions;
  #keys: readonly VerificationKey[] = [];
  #url: URL | undefined;
  #loadedAt: Instant | undefined;
  #loads = 0;
  #failures = 0;
  #failedAt: Instant | undefined;
  #searchedAt: Instant | undefined;
  #attempt: Promise<void> | undefined;

  constructor(options: RemoteKeySetOptions) {
    this.#options = options;
  }

  isFresh(now: Instant): boolean {
    return this.#loadedAt !== undefined && elapsed(this.#loadedAt, now) < REFRESH_AGE;
  }

  find(kid: string | undefined): VerificationKey | Promise<VerificationKey | undefined> {
    const known = this.isFresh(this.#now()) ? findAmong(this.#keys, kid) : undefined;
    return known ?? this.#search(kid);
  }

  async #search(kid: string | undefined): Promise<VerificationKey | undefined> {
    const loads = this.#loads;
    await this.#bringUpToDate();
    const key = findAmong(this.#keys, kid);
    if (key !== undefined || this.#loads !== loads) return key;
    if (this.#attempt === undefined) {
      if (!this.#maySearch()) return undefined;
      this.#searchedAt = this.#now();
    }
    await this.#refresh(false);
    return findAmong(this.#keys, kid);
  }

  async #bringUpToDate(): Promise<void> {
    const age = this.#age();
    if (age < REFRESH_AGE) return;
    if (this.#backOff() <= 0) {
      const refreshed = this.#refresh(true);
      // Once it is known that the issuer is away, the last good set serves at once.
      if (age > MAX_STALE || (age >= MAX_AGE && !this.#isAway())) await refreshed;
    }
    if (this.#age() > MAX_STALE) throw new KeysUnavailable(Math.max(1, Math.ceil(this.#backOff() / 1_000)));
  }

  #maySearch(): boolean {
    const cool = this.#searchedAt === undefined || elapsed(this.#searchedAt, this.#now()) >= SEARCH_COOLDOWN;
    return cool && this.#backOff() <= 0;
  }

  /** One attempt at a time: whoever needs one waits for the one under way. It never rejects. */
  #refresh(anew: boolean): Promise<void> {
    this.#attempt ??= this.#load(anew).finally(() => {
      this.#attempt = undefined;
    });
    return this.#attempt;
  }

  /** @param anew - Whether to ask the issuer again where its keys are: they may have moved. */
  async #load(anew: boolean): Promise<void> {
    const signal = AbortSignal.timeout(FETCH_TIMEOUT);
    try {
      if (anew || this.#url === undefined) this.#url = await this.#options.locate(signal);
      const keys = readKeySet(await fetchJson(this.#url, signal));
      if (keys.length === 0) throw new KeySetFault('no usable key');
      this.#adopt(keys);
    } catch (error) {
      this.#failures += 1;
      this.#failedAt = this.#now();
      const known = error instanceof KeySetFault || error instanceof FetchFault;
      this.#report(error instanceof KeySetFault ? 'refused' : 'failed', known ? error.message : 'failed', 0);
    }
  }

  /** Takes a new set over: a key that is in the old one too stays the same object, and the others are withdrawn. */
  #adopt(published: readonly VerificationKey[]): void {
    const old = this.#keys;
    this.#keys = published.map((key) => old.find((before) => before.equals(key)) ?? key);
    const withdrawn = old.filter((key) => !this.#keys.includes(key));
    for (const key of withdrawn) key.withdrawn = true;
    this.#loadedAt = this.#now();
    this.#loads += 1;
    this.#failures = 0;
    this.#failedAt = undefined;
    this.#report('loaded', undefined, withdrawn.length);
  }

  /** Milliseconds until the next attempt may be made after one that failed. */
  #backOff(): number {
    if (this.#failedAt === undefined) return 0;
    const pause = Math.min(FIRST_BACK_OFF * 2 ** (this.#failures - 1), LONGEST_BACK_OFF);
    return pause - elapsed(this.#failedAt, this.#now());
  }

  #isAway(): boolean {
    return this.#failedAt !== undefined && elapsed(this.#failedAt, this.#now()) < AWAY_FOR;
  }

  #age(): number {
    return this.#loadedAt === undefined ? Number.POSITIVE_INFINITY : elapsed(this.#loadedAt, this.#now());
  }

  #now(): Instant {
    return instantOf(this.#options.clock);
  }

  #report(outcome: 'loaded' | 'failed' | 'refused', reason: string | undefined, withdrawn: number): void {
    if (!keySetChanges.hasSubscribers) return;
    keySetChanges.publish({ issuer: this.#options.issuer, outcome, reason, keys: this.#keys.length, withdrawn });
  }
}

function findAmong(keys: readonly VerificationKey[], kid: string | undefined): VerificationKey | undefined {
  if (kid === undefined) return keys.length === 1 ? keys[0] : undefined;
  return keys.find((key) => key.kid === kid);
}
