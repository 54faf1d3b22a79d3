/** Patterns of keyward's keys for secret scanners. Only `keyward keys scan` verifies the check character. */

/** Matches a key anywhere in a text, but not in the middle of a longer word. */
export const KEY_PATTERN = /(?<![A-Za-z0-9_])(?:sk|pk)_(?:sbox_)?[a-z2-7]{27}(?![A-Za-z0-9])/g;

const SECRET = 'sk_(?:sbox_)?[a-z2-7]{27}';

export const SCANNERS = ['gitleaks', 'trufflehog', 'github'] as const;

const PATTERNS: Readonly<Record<(typeof SCANNERS)[number], string>> = {
  gitleaks: `[[rules]]
id = "keyward-secret-key"
description = "keyward secret key"
regex = '''\\b(${SECRET})\\b'''
keywords = ["sk_"]
entropy = 3`,
  trufflehog: `detectors:
  - name: keyward-secret-key
    keywords:
      - sk_
    regex:
      key: '\\b(${SECRET})\\b'`,
  github: `name: keyward secret key
secret format: ${SECRET}
before secret: \\A|[^0-9A-Za-z_]
after secret: \\z|[^0-9A-Za-z]`,
};

export function patternsFor(scanner: (typeof SCANNERS)[number]): string {
  return PATTERNS[scanner];
}
