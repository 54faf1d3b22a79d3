/**
 * When a signing key is published, when it signs, and when it goes. All of it follows from when the keys were made and
 * what the clock says, so that every instance with the same keys agrees.
 */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A new key is made when the newest is this old. */
export const ROTATE_AFTER = 90 * DAY;

/** It is published this long before it signs: resource servers fetch the keys anew within minutes, proxies within hours. */
export const ANNOUNCED_FOR = DAY;

/** An old key stays published this long after its successor signs: until its last token has expired, and a margin. */
export const KEPT_FOR = 2 * HOUR;

/** A key, as the schedule sees it: when it was made, in milliseconds since 1970. */
export interface Scheduled {
  readonly createdAt: number;
}

/** Whether a new key is due. */
export function isRotationDue(keys: readonly Scheduled[], now: number): boolean {
  const newest = keys.at(-1);
  return newest === undefined || now - newest.createdAt >= ROTATE_AFTER;
}

/** The key that signs: the newest that was announced long enough; the very first signs at once. */
export function signingKeyOf<K extends Scheduled>(keys: readonly [K, ...K[]], now: number): K {
  return keys.findLast((key) => now - key.createdAt >= ANNOUNCED_FOR) ?? keys[0];
}

/** The keys whose tokens have all expired: those replaced so long ago. */
export function retiredKeysOf<K extends Scheduled>(keys: readonly K[], now: number): readonly K[] {
  return keys.filter((_key, index) => {
    const successor = keys[index + 1];
    return successor !== undefined && now - successor.createdAt >= ANNOUNCED_FOR + KEPT_FOR;
  });
}
