import type { Kind } from './credential-kind.js';

/** The number of last characters of a secret in its hint. */
export const HINT_LENGTH = 4;

/**
 * Creates a hint by which people recognize a secret: `sk_…abcd` for an API key, `…abcd` for a client secret. The hint
 * is too short to help an attacker guess the secret.
 */
export function hintOf(text: string, kind: Kind): string {
  const prefix = kind === 'access' ? '' : text.slice(0, text.lastIndexOf('_') + 1);
  return `${prefix}\u2026${text.slice(-HINT_LENGTH)}`;
}
