/** Recognizes RSA keys that are weak, or so large that verifying a signature is slow. */
import type { KeyObject } from 'node:crypto';

const MIN_BITS = 2_048;
/**
 * The lengths of 8,192 and 64 bits in base64url. The time to verify grows with the square of the length, so a longer key
 * would help an attacker to overload the service.
 */
const MAX_MODULUS_LENGTH = 1_366;
const MAX_EXPONENT_LENGTH = 11;
/**
 * Limits for the keys of clients. A client chooses its key, and each of its requests verifies a signature: 8,192 bits
 * with a long exponent would block the event loop for 3 ms.
 */
const MAX_CLIENT_BITS = 4_096;
const MAX_CLIENT_EXPONENT = 65_537n;

const SMALL_PRIMES = [
  3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113,
  127, 131, 137, 139, 149, 151, 157, 163, 167,
];

/**
 * Whether an RSA public key is too short (RFC 7518 §3.3), too long, has a bad exponent, or can be factored (ROCA). It is
 * `true` for every other type of key.
 */
export function isWeakRsa(key: KeyObject): boolean {
  const { kty, n, e } = key.export({ format: 'jwk' }) as { readonly [name in 'kty' | 'n' | 'e']: string };
  // `asymmetricKeyDetails` needs half a second for an exponent of 320,000 bits, so the lengths are checked first.
  if (kty !== 'RSA' || n.length > MAX_MODULUS_LENGTH || e.length > MAX_EXPONENT_LENGTH) return true;
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < MIN_BITS || publicExponent < 3n || publicExponent % 2n === 0n) return true;
  return isRoca(BigInt(`0x${Buffer.from(n, 'base64url').toString('hex')}`));
}

/**
 * Whether verifying with an RSA public key is too slow for a key that a client chooses: over 4,096 bits, or an exponent
 * over 65537.
 */
export function isSlowRsa({
  asymmetricKeyDetails: { modulusLength = 0, publicExponent = 0n } = {},
}: KeyObject): boolean {
  return modulusLength > MAX_CLIENT_BITS || publicExponent > MAX_CLIENT_EXPONENT;
}

/**
 * Whether a key has the weakness of CVE-2017-15361: its primes are powers of 65537 modulo every small prime, and so is
 * its modulus. For other keys this happens by chance once in about a hundred million.
 */
function isRoca(modulus: bigint): boolean {
  return SMALL_PRIMES.every((prime) => {
    const rest = Number(modulus % BigInt(prime));
    let power = 1;
    do {
      if (power === rest) return true;
      power = (power * 65_537) % prime;
    } while (power !== 1);
    return false;
  });
}
