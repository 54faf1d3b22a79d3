/** The form that adds a public key, after management has refused it. It is shown again with its error. */
import type { ManagementError } from '../../management/management-error.js';

export interface RefusedPublicKey {
  readonly error: ManagementError;
  readonly formId: string | undefined;
  /** The text that was sent. */
  readonly text: string;
}

const PUBLIC = /^\s*(?:-----BEGIN (?:PUBLIC KEY|RSA PUBLIC KEY|CERTIFICATE)-----|\{\s*"|ssh-|ecdsa-)/;
/** Also matches the members of a JWK that is not valid JSON, and the escapes by which JSON can hide their names. */
const PRIVATE = /PRIVATE|\\|\b(?:d|dp|dq|k|oth|p|q|qi)["']?\s*:/;

/**
 * Returns the text that the form may show again: a text that looks like a public key, and `''` for any other. The page
 * must not contain a private key, not even one that was pasted without its first line.
 */
export function shownAgain(text: string): string {
  // `html` would show a tab as `[U+0009]`, and the `\r` that browsers send at the end of a line as `[U+000D]`.
  return PUBLIC.test(text) && !PRIVATE.test(text) ? text.replaceAll('\r\n', '\n').replaceAll('\t', ' ') : '';
}
