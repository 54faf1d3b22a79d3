/**
 * Decides when a signing key is published, when it signs, and when it is retired and removed.
 *
 * An instance with a wrong clock may create a key too early, but must not remove a key whose tokens are still valid. So
 * a key is first marked as retired in the store. An instance removes the key when it has seen the mark for longer than
 * the lifetime of a token. It measures this time by its monotonic clock, which is never set.
 */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** When the newest key has this age, a new key is created. */
export const ROTATE_AFTER = 90 * DAY;

/**
 * How long a new key is published before it signs. In this time, the key gets into all caches: resource servers refresh
 * the key set within minutes, and proxies within hours.
 */
export const ANNOUNCED_FOR = DAY;

/** How long a retired key stays published: the lifetime of its last token, plus a margin. */
export const KEPT_FOR = 2 * HOUR;

/**
 * Maximum number of keys in a store, because a resource server may refuse a long key set. Two algorithms need only four
 * keys.
 */
export const MAX_KEYS = 20;

/** The properties of a signing key that the functions in this file use. */
export interface Scheduled {
  readonly alg: string;
  /** Milliseconds since 1970, by the clock of the instance that created the key. */
  readonly createdAt: number;
  readonly isRetired: boolean;
}

/**
 * Decides whether a new key must be created.
 *
 * @param isStart - Whether the instance has just started. Only a starting instance creates a key because the store has
 *   no key of `algorithm`. Otherwise, two running instances with different algorithms would create keys in turn.
 */
export function isRotationDue(keys: readonly Scheduled[], algorithm: string, now: number, isStart: boolean): boolean {
  const usable = keys.filter(({ isRetired }) => !isRetired);
  const newest = usable.findLast(({ alg }) => alg === algorithm) ?? (isStart ? undefined : usable.at(-1));
  // A key with a `createdAt` far in the future was created with a wrong clock. `Math.abs` makes such a key count as
  // old: otherwise it would not be replaced for a very long time.
  return newest === undefined || Math.abs(now - newest.createdAt) >= ROTATE_AFTER;
}

/**
 * Returns the key that signs; `undefined` if all keys are retired. It is the newest key of the algorithm that has been
 * published for a day, or otherwise the newest key of another algorithm that has been published for a day. If all keys
 * are newer, the oldest key signs, because the first key of a store must sign at once.
 */
export function signingKeyOf<K extends Scheduled>(keys: readonly K[], algorithm: string, now: number): K | undefined {
  const usable = keys.filter(({ isRetired }) => !isRetired);
  const announced = usable.filter(({ createdAt }) => now - createdAt >= ANNOUNCED_FOR);
  return announced.findLast(({ alg }) => alg === algorithm) ?? announced.at(-1) ?? usable[0];
}

/** Returns the keys that the signing key replaces: all older keys of any algorithm that are not retired. */
export function replacedKeysOf<K extends Scheduled>(keys: readonly K[], signing: K): readonly K[] {
  return keys.slice(0, keys.indexOf(signing)).filter(({ isRetired }) => !isRetired);
}
