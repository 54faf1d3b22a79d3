/** Reads the error code in the `WWW-Authenticate` field of a response (RFC 6750 section 3, RFC 9449 section 7.1). */
import type { CredentialScheme } from './authorization-header.js';

/**
 * Matches the next part of the field (RFC 9110 sections 11.2 and 11.6.1): a quoted-string that is not the value of a
 * parameter, also without its closing quote; a parameter, or a token without a value, such as a scheme; or other
 * characters up to the next space, comma or quote, such as the rest of a URL that should be quoted. A quoted-string is
 * always matched as a whole, because its text may look like a parameter.
 */
const PART =
  /"[^"\\]*(?:\\.[^"\\]*)*"?|([\w!#$%&'*+.^`|~-]+)(?:[ \t]*=[ \t]*(?:"([^"\\]*(?:\\.[^"\\]*)*)"|([\w!#$%&'*+.^`|~-]+)))?|[^\s,"]+/gs;

/**
 * Returns the error code of the challenge for the presented scheme. If that challenge has none, returns the first one
 * of the other challenges: some servers report the error of a DPoP-bound token in the challenge of `Bearer`.
 *
 * @param field - The value of the field. If a response has several fields, their values, joined with commas.
 */
export function readChallengeError(field: string, presented: CredentialScheme): string | undefined {
  let scheme: string | undefined;
  let otherError: string | undefined;
  for (const [, token, quoted, plain] of field.matchAll(PART)) {
    if (token === undefined) continue;
    // Names of schemes and of parameters are case-insensitive (RFC 9110 sections 11.1 and 11.2).
    const name = token.toLowerCase();
    const value = quoted?.replaceAll(/\\(.)/gs, '$1') ?? plain;
    if (value === undefined) scheme = name;
    else if (name === 'error') {
      if (scheme === presented.toLowerCase()) return value;
      otherError ??= value;
    }
  }
  return otherError;
}
