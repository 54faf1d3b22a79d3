/**
 * Decides when a signing key is published, when it signs, and when it is retired and removed.
 *
 * A machine with a wrong clock may publish a key too early. But rotation never removes a key whose tokens are valid: a
 * key is retired by a mark in the store, and an instance removes it only when the instance has seen the mark for longer
 * than the lifetime of a token, by its own monotonic clock.
 */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The age of the newest key at which a new key is created. */
export const ROTATE_AFTER = 90 * DAY;

/**
 * How long a key is published before it signs. In this time all caches get it: resource servers refresh keys within
 * minutes, proxies within hours.
 */
export const ANNOUNCED_FOR = DAY;

/** How long a retired key stays published: the lifetime of its last token, plus a margin. */
export const KEPT_FOR = 2 * HOUR;

/**
 * Maximum number of keys in a store. Two algorithms need only four keys, and a resource server may refuse a long list.
 */
export const MAX_KEYS = 20;

/** The properties of a key that the schedule uses. */
export interface Scheduled {
  readonly alg: string;
  /** Milliseconds since 1970, by the clock of the instance that created the key. */
  readonly createdAt: number;
  readonly isRetired: boolean;
}

/**
 * Decides whether a new key must be created.
 *
 * @param isStart - Whether the instance has just started. Only then, it creates a key if the store has none of its
 *   algorithm: otherwise, two running instances with different algorithms would create keys in turn.
 */
export function isRotationDue(keys: readonly Scheduled[], algorithm: string, now: number, isStart: boolean): boolean {
  const usable = keys.filter(({ isRetired }) => !isRetired);
  const newest = usable.findLast(({ alg }) => alg === algorithm) ?? (isStart ? undefined : usable.at(-1));
  // A key with a time far in the future was created with a wrong clock. It counts as old; otherwise it would not be
  // replaced until long after that time.
  return newest === undefined || Math.abs(now - newest.createdAt) >= ROTATE_AFTER;
}

/**
 * Returns the key that signs: the newest key of the algorithm that was published for a day; if there is none, the
 * newest such key of another algorithm; if there is none either, the oldest key, because the first key of a store must
 * sign at once. `undefined` if all keys are retired.
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
