/** Which keys expire soon. The list of keys and the page of such a key show a warning. */
import type { KeyView } from '../management/keys/key-view.js';

/** 14 days. */
const EXPIRES_SOON_MS = 14 * 86_400_000;

/** A key with an expiry. */
export type ExpiringKey = KeyView & { readonly expiresAt: Date };

export function expiresSoon(key: KeyView, now: number): key is ExpiringKey {
  return key.state === 'active' && key.expiresAt !== null && key.expiresAt.getTime() - now < EXPIRES_SOON_MS;
}
