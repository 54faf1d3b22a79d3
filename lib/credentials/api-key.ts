/**
 * The text of an API key: a prefix that tells kind and environment, 26 random characters, and one check character.
 *
 *     sk_wlj3nsyprj5ipdr2b4nkxzepnmg          a secret key, live
 *     pk_sbox_wlj3nsyprj5ipdr2b4nkxzepnmo     a public key of the sandbox
 *
 * The check character finds every single wrong character and every swap of neighbours, so that a mistyped key costs
 * no look-up. It is no protection: anybody can compute it. docs/reference/key-format.md has the polynomial and vectors.
 */
import { randomBytes } from 'node:crypto';
import type { Environment, KeyKind } from './kind.js';

/** What the text of a key says of itself. */
export interface KeyReading {
  readonly kind: KeyKind;
  readonly environment: Environment;
}

/** How the keys of a platform are written. Give `apiKeys` one of your own for keys that were minted elsewhere. */
export interface KeyFormat {
  /**
   * Reads a presented text, without any look-up.
   *
   * @returns What the text says of itself; `'malformed'` for one that has this format's prefix and is no key (refused);
   *   `undefined` for one that has not (somebody else's).
   */
  read(text: string): KeyReading | 'malformed' | undefined;
}

interface Prefix extends KeyReading {
  readonly text: string;
  /** Mixed into the check, so that a key with another key's prefix fails it. */
  readonly mark: number;
}

// Longest first: `sk_` begins `sk_sbox_` too.
const PREFIXES: readonly Prefix[] = [
  { text: 'sk_sbox_', kind: 'secret', environment: 'sandbox', mark: 4 },
  { text: 'pk_sbox_', kind: 'public', environment: 'sandbox', mark: 8 },
  { text: 'sk_', kind: 'secret', environment: 'live', mark: 1 },
  { text: 'pk_', kind: 'public', environment: 'live', mark: 2 },
];

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const RANDOM_LENGTH = 26;
const BODY = /^[a-z2-7]{27}$/;

/** keyward's own format, and the only one that the SDKs of the platform accept. */
export const keywardFormat: KeyFormat = Object.freeze({
  read(text: string): KeyReading | 'malformed' | undefined {
    const prefix = PREFIXES.find((candidate) => text.startsWith(candidate.text));
    if (prefix === undefined) return undefined;
    const body = text.slice(prefix.text.length);
    if (!BODY.test(body) || checkCharacter(prefix, body) !== body[RANDOM_LENGTH]) {
      return 'malformed';
    }
    return prefix;
  },
});

/** Draws a new key: 130 random bits. */
export function mintKey(kind: KeyKind, environment: Environment): string {
  const prefix = PREFIXES.find((candidate) => candidate.kind === kind && candidate.environment === environment);
  if (prefix === undefined) throw new TypeError(`mintKey: no key is of kind ${kind} and environment ${environment}`);
  let random = '';
  for (const byte of randomBytes(RANDOM_LENGTH)) random += ALPHABET[byte & 31];
  return prefix.text + random + checkCharacter(prefix, random);
}

/**
 * The check character of the random part that a text begins with: the c₂₆ for which mark + Σ αⁱ·cᵢ = 0 over
 * GF(32) = GF(2)[x]/(x⁵ + x² + 1), α = x.
 *
 * α has order 31, so the 27 weights differ: a wrong character changes the sum by αⁱ·d ≠ 0, a swap of neighbours by
 * (αⁱ + αⁱ⁺¹)·d ≠ 0. Horner's rule from the last character on; dividing by α²⁶ is multiplying by α⁵.
 */
function checkCharacter(prefix: Prefix, text: string): string | undefined {
  let sum = 0;
  for (let i = RANDOM_LENGTH - 1; i >= 0; i -= 1) sum = timesAlpha(sum) ^ ALPHABET.indexOf(text.charAt(i));
  sum ^= prefix.mark;
  for (let i = 0; i < 31 - RANDOM_LENGTH; i += 1) sum = timesAlpha(sum);
  return ALPHABET[sum];
}

function timesAlpha(element: number): number {
  const shifted = element << 1;
  return shifted & 0b100000 ? shifted ^ 0b100101 : shifted;
}
