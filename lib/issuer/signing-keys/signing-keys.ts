/**
 * Manages the signing keys of an issuer. Keys are created on first use, rotated on schedule, and published before they
 * sign.
 */
import type { JWK } from 'jose';
import type { Clock } from '../../contracts/clock.js';
import type { Awaitable } from '../../contracts/key-resolver.js';
import type { SigningKeyStore } from '../../contracts/signing-key-store.js';
import { describeError } from '../../errors/describe-error.js';
import { issuerWarnings } from '../../events/issuer-warning.js';
import { withTimeout } from '../with-timeout.js';
import { isRotationDue, KEPT_FOR, MAX_KEYS, replacedKeysOf, signingKeyOf } from './key-schedule.js';
import {
  isRetired,
  makeSigningKey,
  readSigningKey,
  type SigningAlgorithm,
  type SigningKey,
  SigningKeyError,
} from './signing-key.js';

/** The published keys, oldest first. `signing` is the key that signed when the keys were read from the store. */
interface Keys {
  readonly all: readonly SigningKey[];
  readonly signing: SigningKey;
}

/** Milliseconds between two reads of the keys from the store. All instances see a new key within this time. */
const READ_EVERY = 60_000;
/**
 * Minimum milliseconds between two reads if a token names a `kid` that is not cached. Otherwise an attacker could
 * overload the store with tokens that name random keys.
 */
const READ_UNKNOWN_EVERY = 1_000;

/** Seconds for which HTTP caches may use the published key set. */
export const PUBLISHED_KEYS_MAX_AGE = 300;
/**
 * For this many milliseconds after an instance has read a new key, it still signs with the previous key. After this
 * time, every instance has read the new key, and every cache has a key set with it, so resource servers can verify
 * tokens of the new key. The last 5 seconds are for slow reads.
 */
const SIGNS_AFTER = READ_EVERY + PUBLISHED_KEYS_MAX_AGE * 1_000 + 5_000;
/**
 * An instance that has not read the keys for this many milliseconds signs with a new key at once, without waiting for
 * `SIGNS_AFTER`. The previous key may have been retired long ago: other instances could remove it before the tokens
 * that it signs now expire.
 */
const MAX_READ_GAP = 1_800_000;

/**
 * Maximum milliseconds for one call of the store. After a call fails, cached keys are used, and the store is called
 * again after `ASK_AGAIN_AFTER` milliseconds.
 */
const TIMEOUT_MS = 1_000;
const ASK_AGAIN_AFTER = 5_000;

export class SigningKeys {
  readonly #store: SigningKeyStore;
  readonly #algorithm: SigningAlgorithm;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  #keys: Keys | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<Keys> | undefined;
  /** The time of the monotonic clock at which this process first saw that a key is retired, by `kid`. */
  readonly #retiredSince = new Map<string, number>();
  /** The time of the monotonic clock at which this process first saw a key, by `kid`. */
  readonly #knownSince = new Map<string, number>();

  /** @param timeoutMs - Maximum milliseconds for one call of the store. */
  constructor(store: SigningKeyStore, algorithm: SigningAlgorithm, clock: Clock, timeoutMs = TIMEOUT_MS) {
    this.#store = store;
    this.#algorithm = algorithm;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Returns the key that signs now.
   *
   * @throws SigningKeyError if there is no usable key, and none can be created.
   */
  current(): Awaitable<SigningKey> {
    const keys = this.#fresh();
    return keys === undefined ? this.#readOrKept().then((read) => this.#signing(read)) : this.#signing(keys);
  }

  #signing({ all, signing }: Keys): SigningKey {
    const scheduled = signingKeyOf(all, this.#algorithm, this.#clock.now());
    return scheduled === undefined || this.#isNew(scheduled) ? signing : scheduled;
  }

  /**
   * Whether a key is so new that another instance or a cache may not have it yet. Resource servers could then refuse
   * tokens that the key signs.
   */
  #isNew({ kid }: SigningKey): boolean {
    return this.#clock.monotonic() - (this.#knownSince.get(kid) ?? Number.NEGATIVE_INFINITY) < SIGNS_AFTER;
  }

  /**
   * Returns the JWK Set to publish (RFC 7517 section 5), without private members.
   *
   * @param kid - The `kid` of a token to verify. If it is not cached, the keys are read again: after the command
   *   `keyward signing-keys rotate --now`, another instance may already sign with a new key.
   * @throws SigningKeyError like `current`; and if `kid` is not cached while the store is unavailable, because another
   *   instance may have created the key.
   */
  async published(kid?: string): Promise<{ readonly keys: readonly JWK[] }> {
    const { all } = this.#fresh(kid) ?? (await this.#readOrKept());
    if (this.#failedAt > this.#readAt && kid !== undefined && !all.some((key) => key.kid === kid))
      throw new SigningKeyError('the kid of the token matches no cached signing key, and the store cannot be reached');
    return { keys: all.map((key) => key.publicJwk) };
  }

  /**
   * Returns the cached keys if they are recent, or if the last read failed a moment ago; `undefined` if the keys must
   * be read from the store.
   */
  #fresh(kid?: string): Keys | undefined {
    const now = this.#clock.monotonic();
    const isUnknown = kid !== undefined && this.#keys?.all.every((key) => key.kid !== kid);
    const isFresh = now - this.#readAt < (isUnknown ? READ_UNKNOWN_EVERY : READ_EVERY);
    return isFresh || now - this.#failedAt < ASK_AGAIN_AFTER ? this.#keys : undefined;
  }

  /** Reads the keys from the store. If this fails, returns the cached keys. */
  async #readOrKept(): Promise<Keys> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    try {
      return await this.#reading;
    } catch (error) {
      if (this.#keys === undefined) throw error;
      return this.#keys;
    }
  }

  async #read(): Promise<Keys> {
    try {
      await this.#announce();
      let keys = await this.#stored();
      if (isRotationDue(keys, this.#algorithm, this.#clock.now(), this.#keys === undefined))
        keys = await this.#rotate(keys);
      this.#noteKnown(keys);
      const scheduled = signingKeyOf(keys, this.#algorithm, this.#clock.now());
      if (scheduled === undefined)
        throw new SigningKeyError(
          keys.length >= MAX_KEYS
            ? `the store has the maximum of ${keys.length} signing keys, but all of them are retired; revoke one that is no longer used`
            : 'the store has no usable signing key after the issuer added one; check that addSigningKey() stores the key and that listSigningKeys() returns it',
        );
      for (const { kid } of replacedKeysOf(keys, scheduled))
        await this.#ask('retireSigningKey', (store) => store.retireSigningKey(kid));
      // While the scheduled key is too new, the previous key signs, even if it was retired with `rotate --now`. A
      // revoked key is no longer in the store, so it never signs again.
      const previous = keys.find(({ kid }) => kid === this.#keys?.signing.kid);
      const signing = previous !== undefined && this.#isNew(scheduled) ? previous : scheduled;
      const expired = this.#expired(keys);
      this.#keys = { all: keys.filter((key) => !expired.includes(key)), signing };
      this.#readAt = this.#clock.monotonic();
      for (const { kid } of expired) await this.#ask('removeSigningKey', (store) => store.removeSigningKey(kid));
      return this.#keys;
    } catch (error) {
      this.#failedAt = this.#clock.monotonic();
      this.#notify(error instanceof SigningKeyError ? error.message : describeError(error));
      throw error;
    }
  }

  /**
   * Tells the store which algorithm this issuer uses. If an issuer with another algorithm is running, an issuer that
   * has no keys yet fails. An issuer that already has keys continues.
   */
  async #announce(): Promise<void> {
    const other = await this.#ask('announceIssuer', (store) => store.announceIssuer?.(this.#algorithm));
    if (other === undefined || this.#keys !== undefined) return;
    throw new SigningKeyError(
      `another issuer with the same store signs with ${other}, but this issuer signs with ${this.#algorithm}; stop the other issuer, or use its algorithm`,
    );
  }

  async #rotate(keys: readonly SigningKey[]): Promise<readonly SigningKey[]> {
    if (keys.length >= MAX_KEYS) {
      this.#notify(
        `no new signing key was created, because the store already has the maximum of ${keys.length}; revoke one that is no longer used`,
      );
      return keys;
    }
    const made = await makeSigningKey(this.#algorithm, this.#clock.now());
    await this.#ask('addSigningKey', (store) => store.addSigningKey(made, keys.at(-1)?.kid));
    return await this.#stored();
  }

  #noteKnown(keys: readonly SigningKey[]): void {
    const now = this.#clock.monotonic();
    const since = now - this.#readAt < MAX_READ_GAP ? now : Number.NEGATIVE_INFINITY;
    for (const { kid } of keys) if (!this.#knownSince.has(kid)) this.#knownSince.set(kid, since);
  }

  /**
   * Returns the keys that this process has seen as retired for at least `KEPT_FOR`, by the monotonic clock. All tokens
   * that these keys signed have expired: every instance reads the store each minute, and stops signing with a key a few
   * minutes after the key was retired.
   */
  #expired(keys: readonly SigningKey[]): readonly SigningKey[] {
    const now = this.#clock.monotonic();
    const retired = keys.filter(({ isRetired }) => isRetired);
    for (const { kid } of retired) if (!this.#retiredSince.has(kid)) this.#retiredSince.set(kid, now);
    return retired.filter(({ kid }) => now - (this.#retiredSince.get(kid) ?? now) >= KEPT_FOR);
  }

  #notify(detail: string): void {
    if (issuerWarnings.hasSubscribers) issuerWarnings.publish({ warning: 'signing_keys_away', detail });
  }

  async #stored(): Promise<readonly SigningKey[]> {
    const records: unknown = await this.#ask('listSigningKeys', (store) => store.listSigningKeys());
    if (!Array.isArray(records)) throw new SigningKeyError('listSigningKeys() must return an array');
    return Promise.all(
      records.map((record) => {
        const known = this.#keys?.all.find(({ kid }) => kid === record?.kid);
        return known === undefined ? readSigningKey(record) : { ...known, isRetired: isRetired(record) };
      }),
    );
  }

  async #ask<T>(what: keyof SigningKeyStore, ask: (store: SigningKeyStore) => Awaitable<T>): Promise<T> {
    try {
      return await withTimeout(ask(this.#store), this.#timeoutMs);
    } catch (error) {
      throw new SigningKeyError(`${what}: ${describeError(error)}`);
    }
  }
}
