/** Finds complete secrets in texts that must not contain one, such as URLs and logs, and shortens them. */
import { HINT_LENGTH } from './secret-hint.js';

/**
 * Matches a complete secret. An API key of this or another platform has `sk_` or `pk_`, an optional word such as
 * `live_`, and at least 24 letters or digits; before it may be a prefix such as `acme_`. A client secret has 86
 * characters (64 bytes in base64url). IDs that keyward generates do not match. The script in
 * dashboard/assets/secret-in-search-script.ts uses the same expression.
 *
 * One of the two groups contains the part of the match that is not secret.
 */
export const WHOLE_SECRET: RegExp =
  /((?:^|[^a-z0-9])[sp]k_(?:[a-z]{2,8}_)?)[a-z0-9]{24,}|(^|[^\w-])[\w-]{86}(?![\w-])/i;

const EVERY_WHOLE_SECRET = new RegExp(WHOLE_SECRET.source, 'gi');
/** Matches a percent-escape of an ASCII character. It may be escaped several times, such as `%252F`. */
const ESCAPE = /%(?:25)*([0-7][0-9a-f])/gi;

/** Replaces each complete secret in a text by its hint, such as `sk_\u2026abcd`. */
function shortenSecrets(text: string): string {
  return text.replace(
    EVERY_WHOLE_SECRET,
    (found, ofKey: string | undefined, ofClientSecret: string | undefined) =>
      `${ofKey ?? ofClientSecret}\u2026${found.slice(-HINT_LENGTH)}`,
  );
}

/**
 * Replaces each complete secret in the path of a URL by its hint. If percent-escapes in the path hide a secret, such as
 * `%2F` before it, the result is the decoded path. Otherwise, the rest of the path stays as it is.
 */
export function shortenSecretsInPath(path: string): string {
  const shortened = shortenSecrets(path);
  const decoded = shortened.replace(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const both = shortenSecrets(decoded);
  return both === decoded ? shortened : both;
}
