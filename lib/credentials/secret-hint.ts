import type { Kind } from './credential-kind.js';

/**
 * Creates a hint by which people recognize a secret: `sk_…abcd` for an API key, `…abcd` for a client secret. The hint
 * is too short to help an attacker guess the secret.
 */
export function hintOf(text: string, kind: Kind): string {
  const prefix = kind === 'access' ? '' : text.slice(0, text.lastIndexOf('_') + 1);
  return `${prefix}\u2026${text.slice(-4)}`;
}
