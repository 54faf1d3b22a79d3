/**
 * Regular expressions that find keyward's keys in texts. Other secret scanners use them to find secret keys. The
 * command `keys scan` also finds public keys, and verifies the check character of each key.
 */

/**
 * Matches an escaped character before a key, such as `\n` in JSON or `%3D` in a URL. It ends with a letter or a digit,
 * so there is no word boundary (`\b`) between it and the key. Other scanners use RE2 or Hyperscan, which have no
 * lookbehind, so their patterns include this character in the match.
 */
const ESCAPED = String.raw`\\[abefnrtv0]|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|%(?:25){0,3}[0-9A-Fa-f]{2}`;
const SECRET = 'sk_(?:sbox_)?[a-z2-7]{27}';

/**
 * Matches a secret or public key in a text. Before the key, there may be an escaped character, but no other letter,
 * digit or `_`. After the key, there may be no letter or digit.
 */
export const KEY_PATTERN = new RegExp(
  `(?:(?<![A-Za-z0-9_])|(?<=${ESCAPED}))(?:sk|pk)_(?:sbox_)?[a-z2-7]{27}(?![A-Za-z0-9])`,
  'g',
);

export const SCANNERS = ['gitleaks', 'trufflehog', 'github'] as const;

const PATTERNS: Readonly<Record<(typeof SCANNERS)[number], string>> = {
  gitleaks: `[[rules]]
id = "keyward-secret-key"
description = "keyward secret key"
regex = '''(?:\\b|${ESCAPED})(${SECRET})\\b'''
keywords = ["sk_"]
entropy = 3`,
  trufflehog: `detectors:
  - name: keyward-secret-key
    keywords:
      - sk_
    regex:
      key: '(?:\\b|${ESCAPED})(${SECRET})\\b'`,
  github: `name: keyward secret key
secret format: ${SECRET}
before secret: \\A|[^0-9A-Za-z_]|${ESCAPED}
after secret: \\z|[^0-9A-Za-z]`,
};

export function patternsFor(scanner: (typeof SCANNERS)[number]): string {
  return PATTERNS[scanner];
}
