import type { Kind } from './credential-kind.js';

/**
 * Creates the hint: `sk_…abcd` for an API key, `…abcd` for a client secret. People recognize the secret by it, and it
 * does not help an attacker to guess the secret.
 */
export function hintOf(text: string, kind: Kind): string {
  const prefix = kind === 'access' ? '' : text.slice(0, text.lastIndexOf('_') + 1);
  return `${prefix}\u2026${text.slice(-4)}`;
}
