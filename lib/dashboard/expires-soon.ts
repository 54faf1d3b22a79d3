/** Finds active keys that expire within 14 days. The list of keys and the page of a key warn about them. */
import type { KeyView } from '../management/keys/key-view.js';

const EXPIRES_SOON_MS = 14 * 86_400_000;

export type ExpiringKey = KeyView & { readonly expiresAt: Date };

export function expiresSoon(key: KeyView, now: number): key is ExpiringKey {
  return key.state === 'active' && key.expiresAt !== null && key.expiresAt.getTime() - now < EXPIRES_SOON_MS;
}
