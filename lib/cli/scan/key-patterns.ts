/**
 * Patterns of keyward's keys: for other secret scanners, which find secret keys, and for `keyward keys scan`, which
 * also finds public keys. Only `keyward keys scan` then verifies the check character.
 */

/**
 * Matches an escaped character: `\n` in JSON or source code, `%3D` in a URL. It ends with a letter or a digit, so there
 * is no word boundary (`\b`) between it and a key. The other scanners use RE2 or Hyperscan, which have no lookbehind,
 * so their patterns match it as a part of the text before the key.
 */
const ESCAPED = String.raw`\\[abefnrtv0]|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|%(?:25){0,3}[0-9A-Fa-f]{2}`;
const SECRET = 'sk_(?:sbox_)?[a-z2-7]{27}';

/**
 * Matches a secret or public key in a text. Before it, there may be an escaped character, but no other letter, digit or
 * `_`; after it, no letter or digit.
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
