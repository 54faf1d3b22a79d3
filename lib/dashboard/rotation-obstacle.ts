/**
 * Whether a key can get a new secret. Pages do not offer a rotation or a second secret that management would refuse.
 */
import type { KeyView } from '../management/keys/key-view.js';

/**
 * What must be done before the key can be rotated; `undefined` if it can be rotated now.
 *
 * @param isAccountDisabled - Whether the account of the key is disabled.
 */
export function rotationObstacle({ state, secrets }: KeyView, isAccountDisabled: boolean): string | undefined {
  if (isAccountDisabled) return 'You cannot rotate this key while your account is disabled.';
  // All secrets of an expired key have ended, and its new secret would be refused too.
  if (state === 'expired') return 'This key has expired. To rotate it, first choose a later expiration date.';
  const current = secrets.filter((secret) => secret.state === 'current').length;
  if (current > 1) return 'This key has two client secrets. To rotate it, first delete one of them.';
  return current === 0 ? 'This key has no client secret to rotate. Add a client secret instead.' : undefined;
}

/**
 * Whether an access key can get one more secret. It can have two secrets that have not ended, and gets none while its
 * account is disabled, or if it is expired or revoked.
 */
export function mayAddSecret({ state, secrets }: KeyView, isAccountDisabled: boolean): boolean {
  if (isAccountDisabled || state === 'expired' || state === 'revoked') return false;
  return secrets.filter((secret) => secret.state !== 'ended').length < 2;
}
