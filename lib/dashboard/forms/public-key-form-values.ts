/** The form that adds a public key, after management has refused it. The page shows the form again with the error. */
import { createPublicKey } from 'node:crypto';
import type { ManagementError } from '../../management/management-error.js';

export interface PublicKeyFormValues {
  readonly error: ManagementError;
  readonly formId: string | undefined;
  /** The text that the member sent. It may contain a private key. */
  readonly text: string;
}

const PEM = /^-----BEGIN (PUBLIC KEY|RSA PUBLIC KEY|CERTIFICATE)-----[A-Za-z0-9+/=\s]*-----END \1-----$/;
const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e', 'kid', 'use', 'alg', 'key_ops', 'x5t', 'x5t#S256'];

/**
 * Returns the text that the form shows again. A text that is not certainly a public key becomes `''`, because the page
 * must never contain a private key.
 */
export function shownAgain(text: string): string {
  return isPublicJwk(text) || isPublicPem(text.trim()) ? text : '';
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
    // This throws if somebody pasted a private key between the BEGIN and END lines of a public key.
    createPublicKey(text);
    return true;
  } catch {
    return false;
  }
}
