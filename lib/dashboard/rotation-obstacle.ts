/**
 * Checks whether a key can be rotated or get another secret. Management refuses both in some states of a key, and pages
 * use these checks to offer only what management accepts.
 */
import type { KeyView } from '../management/keys/key-view.js';

/**
 * What must be done before the key can be rotated; `undefined` if it can be rotated now.
 *
 * @param isAccountDisabled - Whether the account of the key is disabled.
 */
export function rotationObstacle({ state, secrets }: KeyView, isAccountDisabled: boolean): string | undefined {
  if (isAccountDisabled) return 'You cannot rotate this key while your account is disabled.';
  // A rotation does not help: the new secret of an expired key would be refused too.
  if (state === 'expired') return 'This key has expired. To rotate it, first choose a later expiration date.';
  const current = secrets.filter((secret) => secret.state === 'current').length;
  if (current > 1) return 'This key has two client secrets. To rotate it, first delete one of them.';
  return current === 0 ? 'This key has no client secret to rotate. Add a client secret instead.' : undefined;
}

/**
 * Whether a client secret can be added to an access key. At most two client secrets of a key are accepted at the same
 * time. An expired or revoked key, and a key of a disabled account, cannot get a new secret.
 */
export function mayAddSecret({ state, secrets }: KeyView, isAccountDisabled: boolean): boolean {
  if (isAccountDisabled || state === 'expired' || state === 'revoked') return false;
  return secrets.filter((secret) => secret.state !== 'ended').length < 2;
}
