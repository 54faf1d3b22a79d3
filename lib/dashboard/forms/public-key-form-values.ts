/** The form that adds a public key, after management has refused it. It is shown again with its error. */
import { createPublicKey } from 'node:crypto';
import type { ManagementError } from '../../management/management-error.js';

export interface RefusedPublicKey {
  readonly error: ManagementError;
  readonly formId: string | undefined;
  /** The text that was sent. */
  readonly text: string;
}

const PEM = /^-----BEGIN (PUBLIC KEY|RSA PUBLIC KEY|CERTIFICATE)-----[A-Za-z0-9+/=\s]*-----END \1-----$/;
const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e', 'kid', 'use', 'alg', 'key_ops', 'x5t', 'x5t#S256'];

/**
 * Returns the text that the form may show again: a text that is certainly a public key, and `''` for any other, because
 * the page must not contain a private key.
 */
export function shownAgain(text: string): string {
  if (!isPublicJwk(text) && !isPublicPem(text.trim())) return '';
  // `html` would show a tab as `[U+0009]`, and the `\r` that browsers send at the end of a line as `[U+000D]`.
  return text.replaceAll('\r\n', '\n').replaceAll('\t', ' ');
}

function isPublicJwk(text: string): boolean {
  try {
    const jwk: unknown = JSON.parse(text);
    if (typeof jwk !== 'object' || jwk === null || Array.isArray(jwk)) return false;
    return Object.keys(jwk).every((name) => PUBLIC_MEMBERS.includes(name));
  } catch {
    return false;
  }
}

function isPublicPem(text: string): boolean {
  if (!PEM.test(text)) return false;
  try {
    // A private key below the line of a public one is not readable as a public key.
    createPublicKey(text);
    return true;
  } catch {
    return false;
  }
}
