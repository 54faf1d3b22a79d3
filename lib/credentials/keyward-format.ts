/**
 * The format of an API key: a prefix for kind and environment, 26 random characters, and one check character.
 *
 *     sk_wlj3nsyprj5ipdr2b4nkxzepnmg          a secret key, live
 *     pk_sbox_wlj3nsyprj5ipdr2b4nkxzepnmo     a public key of the sandbox
 *
 * The check character detects every single wrong character and every swap of two neighbors, so a mistyped key is
 * refused without a lookup. It protects only against mistakes: anybody can compute it. docs/reference/key-format.md has
 * the polynomial and test vectors.
 */
import { randomBytes } from 'node:crypto';
import type { KeyKind } from './credential-kind.js';
import type { Environment } from './environment.js';

/** The kind and the environment that the prefix of a key states. */
export interface KeyReading {
  readonly kind: KeyKind;
  readonly environment: Environment;
}

/** The format of API keys. Pass your own to `apiKeys` to accept keys that another system created. */
export interface KeyFormat {
  /**
   * Parses a presented credential, synchronously and without a lookup. It is not called for these credentials: a
   * credential with three parts like a JWT, a cached valid key, a credential with the scheme `DPoP`, and a text that is
   * not a b64token (RFC 6750 section 2.1).
   *
   * @returns The kind and environment of the key; `'malformed'` if the credential has the prefix of this format but is
   *   not a valid key, so that it is refused; `undefined` if it has another prefix, so that the next verifier is asked.
   */
  read(text: string): KeyReading | 'malformed' | undefined;
}

interface Prefix extends KeyReading {
  readonly text: string;
  /**
   * A number for the check character. It differs for each prefix, so a key becomes invalid if its prefix is replaced.
   */
  readonly mark: number;
}

// The longest prefixes come first, because `sk_sbox_` also starts with `sk_`.
const PREFIXES: readonly Prefix[] = [
  { text: 'sk_sbox_', kind: 'secret', environment: 'sandbox', mark: 4 },
  { text: 'pk_sbox_', kind: 'public', environment: 'sandbox', mark: 8 },
  { text: 'sk_', kind: 'secret', environment: 'live', mark: 1 },
  { text: 'pk_', kind: 'public', environment: 'live', mark: 2 },
];

export const KEY_ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const RANDOM_LENGTH = 26;
const BODY = /^[a-z2-7]{27}$/;

/** keyward's own key format. The SDKs of Checkout.com accept only keys of this format. */
export const keywardFormat: KeyFormat = Object.freeze({
  read(text: string): KeyReading | 'malformed' | undefined {
    for (const prefix of PREFIXES) {
      if (!text.startsWith(prefix.text)) continue;
      const body = text.slice(prefix.text.length);
      return BODY.test(body) && checkCharacter(prefix, body) === body[RANDOM_LENGTH] ? prefix : 'malformed';
    }
    return undefined;
  },
});

/** Creates a key with 130 random bits. */
export function mintKey(kind: KeyKind, environment: Environment): string {
  const prefix = PREFIXES.find((candidate) => candidate.kind === kind && candidate.environment === environment);
  if (prefix === undefined) {
    throw new TypeError(`mintKey: "kind" must be 'secret' or 'public', and "environment" must be 'live' or 'sandbox'`);
  }
  const random = createRandomPart();
  return prefix.text + random + checkCharacter(prefix, random);
}

/** Creates 26 random characters with 5 bits each. */
export function createRandomPart(): string {
  let random = '';
  for (const byte of randomBytes(RANDOM_LENGTH)) random += KEY_ALPHABET[byte & 31];
  return random;
}

/**
 * Returns the check character c[26] for the first 26 characters c[0] to c[25] of a text, each as a number from 0 to 31.
 * With it, the sum of the mark and of all a^i * c[i] is 0 in the field GF(32) = GF(2)[x]/(x^5 + x^2 + 1), where a = x.
 *
 * The order of a is 31, so the 27 weights a^i differ. If the difference of two characters is d, a wrong character
 * changes the sum by a^i * d, and a swap of neighbors changes it by (a^i + a^(i+1)) * d. Neither is 0, so both mistakes
 * are detected.
 *
 * The first loop is Horner's rule, from the last character to the first. The second loop divides by a^26: it multiplies
 * by a^5, because a^31 is 1.
 */
function checkCharacter(prefix: Prefix, text: string): string | undefined {
  let sum = 0;
  for (let i = RANDOM_LENGTH - 1; i >= 0; i -= 1) sum = timesAlpha(sum) ^ KEY_ALPHABET.indexOf(text.charAt(i));
  sum ^= prefix.mark;
  for (let i = 0; i < 31 - RANDOM_LENGTH; i += 1) sum = timesAlpha(sum);
  return KEY_ALPHABET[sum];
}

function timesAlpha(element: number): number {
  const shifted = element << 1;
  return shifted & 0b100000 ? shifted ^ 0b100101 : shifted;
}
