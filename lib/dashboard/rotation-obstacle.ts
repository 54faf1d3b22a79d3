/**
 * Checks whether a key can be rotated or get another secret, so that pages offer neither in vain. Management refuses
 * both on a disabled account. It accepts both for an expired key, but the new secret would be refused with its key.
 */
import type { KeyView } from '../management/keys/key-view.js';

/**
 * What must be done before the key can be rotated; `undefined` if it can be rotated now.
 *
 * @param isAccountDisabled - Whether the account of the key is disabled.
 */
export function rotationObstacle({ state, secrets }: KeyView, isAccountDisabled: boolean): string | undefined {
  if (isAccountDisabled) return 'You cannot rotate this key while your account is disabled.';
  if (state === 'expired') return 'This key has expired. To rotate it, first choose a later expiration date.';
  const current = secrets.filter((secret) => secret.state === 'current').length;
  if (current > 1) return 'This key has two client secrets. To rotate it, first delete one of them.';
  return current === 0 ? 'This key has no client secret to rotate. Add a client secret instead.' : undefined;
}

/**
 * What must be done before a client secret can be added to an access key; `undefined` if it can be added now. At most
 * two client secrets of a key are accepted at the same time.
 */
export function secretObstacle({ state, secrets }: KeyView, isAccountDisabled: boolean): string | undefined {
  if (isAccountDisabled) return 'You cannot add a client secret while your account is disabled.';
  if (state === 'expired') return 'This key has expired. To add a client secret, first choose a later expiration date.';
  const accepted = secrets.filter((secret) => secret.state !== 'ended');
  if (accepted.length < 2) return undefined;
  const remedy = accepted.some((secret) => secret.state === 'grace_period')
    ? 'end the grace period of the old one'
    : 'delete one of them';
  return `This key has two client secrets. To add another one, first ${remedy}.`;
}
