/**
 * The public keys of an issuer: a fixed set from the options, or a set that is fetched when a request needs it. If the
 * issuer cannot be reached, the fetched set stays usable until it is an hour old.
 */

import { type Clock, elapsed, type Instant, instantOf } from '../../contracts/clock.js';
import { KeywardError } from '../../errors/keyward-error.js';
import { keySetFetches } from '../../events/key-set-fetch.js';
import { FetchError, fetchJson, timeoutSignal } from '../../http/fetch-json.js';
import { KeySetError, readKeySet, type VerificationKey } from './verification-key.js';

/** Finds the public key that verifies a signature. */
export interface KeySet {
  /**
   * Whether the keys are recent enough to be used without a fetch. If not, call `find` even for a cached token. Only
   * `find` fetches the keys, and without a fetch nobody would notice that the issuer has withdrawn a key.
   */
  isFresh(now: Instant): boolean;
  /**
   * Finds a key by its `kid`; without a `kid`, finds the only key of the set. If the key is known and the set is fresh,
   * the result is the key itself, not a promise. If there is no such key, the result is `undefined`.
   *
   * @param tried - A key that did not verify the signature of a token without a `kid`. It counts as missing, because
   *   the issuer may have replaced its only key.
   * @throws KeysUnavailableError, as a rejection, if the set cannot be fetched and the last valid set does not have the
   *   key.
   */
  find(
    kid: string | undefined,
    tried?: VerificationKey,
  ): VerificationKey | undefined | Promise<VerificationKey | undefined>;
}

/** The key set cannot be fetched, so it is not known whether the key exists. */
export class KeysUnavailableError extends KeywardError {
  override readonly name = 'KeysUnavailableError';
  /** Seconds until a request may start the next attempt to fetch the set, at least 1. */
  readonly retryAfter: number;

  constructor(retryAfter: number) {
    super('keys_unavailable', 'the keys of the issuer cannot be fetched');
    this.retryAfter = retryAfter;
  }
}

/** Makes a key set whose keys never change. */
export function staticKeySet(keys: readonly VerificationKey[]): KeySet {
  return Object.freeze({
    isFresh: () => true,
    find: (kid: string | undefined, tried?: VerificationKey) => findAmong(keys, kid, tried),
  });
}

/** The time limit in milliseconds to fetch a set, with the metadata that say where it is. */
export const FETCH_TIMEOUT = 2_000;
/** From this age in milliseconds on, a request starts a fetch of a new set, but does not wait for it. */
const REFRESH_AGE = 300_000;
/** From this age in milliseconds on, requests wait for the new set. */
const MAX_AGE = 600_000;
/** Up to this age in milliseconds, the last valid set is used if no new one can be fetched. */
const MAX_STALE = 3_600_000;
/**
 * Minimum milliseconds between two fetches for an unknown `kid`, because forged tokens can name any `kid`. For a token
 * without a `kid`, also the minimum age of the set.
 */
const UNKNOWN_KID_COOLDOWN = 6_000;
/**
 * For this time in milliseconds after a failed fetch, requests use an outdated set without waiting for another fetch.
 * The time is longer than the longest back-off plus a fetch. So no request waits while fetches keep failing.
 */
const AWAY_FOR = 60_000;
const FIRST_BACK_OFF = 1_000;
const LONGEST_BACK_OFF = 10_000;

export interface RemoteKeySetOptions {
  readonly issuer: string;
  readonly clock: Clock;
  /**
   * Returns the URL of the set: from the options, or from the metadata of the issuer. It is called for the first fetch,
   * after a failed fetch, and if the last call is `REFRESH_AGE` ago or longer.
   */
  readonly locate: (signal: AbortSignal) => Promise<URL>;
}

/** Why the set is fetched: it is too old, or it lacks a key. */
type Purpose = 'refresh' | 'search';

/** A set of keys that is fetched from the issuer when a request needs it, never by a timer. */
export class RemoteKeySet implements KeySet {
  readonly #options: RemoteKeySetOptions;
  #keys: readonly VerificationKey[] = [];
  /** The URL of the set, and when it was located; `undefined` after a failed fetch. */
  #located: { readonly url: URL; readonly at: Instant } | undefined;
  #loadedAt: Instant | undefined;
  #loads = 0;
  #failures = 0;
  /** When the last attempt to fetch the set began, if it failed; otherwise `undefined`. */
  #failedAt: Instant | undefined;
  /** When the last successful fetch for an unknown `kid` began. */
  #searchedAt: Instant | undefined;
  #attempt: Promise<void> | undefined;

  constructor(options: RemoteKeySetOptions) {
    this.#options = options;
  }

  isFresh(now: Instant): boolean {
    return this.#loadedAt !== undefined && elapsed(this.#loadedAt, now) < REFRESH_AGE;
  }

  find(kid: string | undefined, tried?: VerificationKey): VerificationKey | Promise<VerificationKey | undefined> {
    const known = this.isFresh(this.#now()) ? findAmong(this.#keys, kid, tried) : undefined;
    return known ?? this.#updateAndFind(kid, tried);
  }

  /**
   * Finds a key if the set is too old or lacks the key. A set that is too old is refreshed first. If no new set arrived
   * (`#loads` is the same) and the key is still missing, the set is fetched for this `kid`. This fetch is left out
   * during the cooldown after the last such fetch, and during the pause after a failed fetch.
   *
   * After a key was `tried`, a set that was loaded during the cooldown is not fetched again: the request may already
   * have waited for it.
   */
  async #updateAndFind(
    kid: string | undefined,
    tried: VerificationKey | undefined,
  ): Promise<VerificationKey | undefined> {
    const loads = this.#loads;
    await this.#bringUpToDate();
    const key = findAmong(this.#keys, kid, tried);
    if (key !== undefined || this.#loads !== loads) return key;
    const isOldEnough = tried === undefined || this.#age() >= UNKNOWN_KID_COOLDOWN;
    if (isOldEnough && (this.#attempt !== undefined || this.#maySearch())) await this.#refresh('search');
    const found = findAmong(this.#keys, kid, tried);
    if (found === undefined && this.#failedAt !== undefined) throw this.#unavailable();
    return found;
  }

  async #bringUpToDate(): Promise<void> {
    const age = this.#age();
    if (age < REFRESH_AGE) return;
    if (this.#backOff() <= 0) {
      const refreshed = this.#refresh('refresh');
      // If a fetch failed in the last minute (`AWAY_FOR`), the last valid set is used immediately, up to `MAX_STALE`.
      if (age > MAX_STALE || (age >= MAX_AGE && !this.#isAway())) await refreshed;
    }
    if (this.#age() > MAX_STALE) throw this.#unavailable();
  }

  #maySearch(): boolean {
    if (this.#failedAt !== undefined) return this.#backOff() <= 0;
    return this.#searchedAt === undefined || elapsed(this.#searchedAt, this.#now()) >= UNKNOWN_KID_COOLDOWN;
  }

  /**
   * Fetches the set. If a fetch is already pending, all callers wait for it, whatever their purpose. It never rejects.
   */
  #refresh(purpose: Purpose): Promise<void> {
    this.#attempt ??= this.#load(purpose).finally(() => {
      this.#attempt = undefined;
    });
    return this.#attempt;
  }

  async #load(purpose: Purpose): Promise<void> {
    const signal = timeoutSignal(FETCH_TIMEOUT);
    const startedAt = this.#now();
    try {
      // A search also locates the set again. Otherwise tokens with unknown `kid`s could keep an old URL in use forever.
      if (this.#located === undefined || elapsed(this.#located.at, startedAt) >= REFRESH_AGE)
        this.#located = { url: await this.#options.locate(signal), at: startedAt };
      const keys = readKeySet(await fetchJson(this.#located.url, signal));
      if (keys.length === 0) throw new KeySetError('the key set has no key that can verify signatures');
      this.#adopt(keys);
      if (purpose === 'search') this.#searchedAt = startedAt;
    } catch (error) {
      this.#failures += 1;
      this.#failedAt = startedAt;
      this.#located = undefined;
      const known = error instanceof KeySetError || error instanceof FetchError;
      this.#report(
        error instanceof KeySetError ? 'refused' : 'failed',
        known ? error.message : 'the request failed',
        0,
      );
    }
  }

  /**
   * Replaces the set. A key that is in both sets stays the same object. An old key that is not in the new set is marked
   * as withdrawn, so that cached tokens with its signature are refused.
   */
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

  #unavailable(): KeysUnavailableError {
    return new KeysUnavailableError(Math.max(1, Math.ceil(this.#backOff() / 1_000)));
  }

  /** Returns the milliseconds until the next fetch is allowed after a failed one; 0 or less if it is allowed now. */
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
    if (!keySetFetches.hasSubscribers) return;
    keySetFetches.publish({ issuer: this.#options.issuer, outcome, reason, keys: this.#keys.length, withdrawn });
  }
}

function findAmong(
  keys: readonly VerificationKey[],
  kid: string | undefined,
  tried: VerificationKey | undefined,
): VerificationKey | undefined {
  if (kid === undefined) return keys.length === 1 && keys[0] !== tried ? keys[0] : undefined;
  return keys.find((key) => key.kid === kid);
}
