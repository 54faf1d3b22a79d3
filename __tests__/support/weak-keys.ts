/** RSA keys that no verifier may believe, as JWK. */
import { generateKeyPairSync } from 'node:crypto';
import type { JWK } from 'jose';

/** An odd number of so many bits; nobody needs its factors here. */
export const modulusOf = (bits: number) => base64urlOf((2n ** BigInt(bits) - 1n) ^ (1n << BigInt(bits >> 1)));

export const rsaJwk = (n: string, e = 'AQAB', kid = 'weak'): JWK => ({
  kty: 'RSA',
  n,
  e,
  kid,
  alg: 'RS256',
  use: 'sig',
});

/**
 * CVE-2017-15361: a modulus that is a power of 65537 modulo each of the small primes.
 *
 * @param except - The one prime for which it is not.
 */
export function rocaModulus(exponent: bigint, except?: number): string {
  const product = primesTo(167)
    .filter((prime) => prime !== except)
    .reduce((all, prime) => all * BigInt(prime), 1n);
  const fits = (modulus: bigint) =>
    modulus % 2n === 1n && (except === undefined || !powersModulo(except).has(Number(modulus % BigInt(except))));
  let modulus = (65_537n ** exponent % product) + product * (2n ** 2_047n / product + 1n);
  while (!fits(modulus)) modulus += product;
  return base64urlOf(modulus);
}

/** Each with what is wrong with it. */
export const weakKeys: readonly (readonly [string, JWK])[] = [
  ['1,024 bits', rsaJwk(shortModulus())],
  ['e = 1', rsaJwk(modulusOf(2_048), 'AQ')],
  ['even e', rsaJwk(modulusOf(2_048), 'AQAA')],
  ['n = 0', rsaJwk('AA')],
  ['ROCA modulus', rsaJwk(rocaModulus(5n))],
];

function shortModulus(): string {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 });
  return String(publicKey.export({ format: 'jwk' }).n);
}

function primesTo(last: number): number[] {
  const numbers = Array.from({ length: last + 1 }, (_, number) => number);
  return numbers.filter((number) => number > 2 && numbers.slice(2, number).every((divisor) => number % divisor !== 0));
}

function powersModulo(prime: number): Set<number> {
  const powers = new Set<number>();
  for (let power = 1; !powers.has(power); power = (power * 65_537) % prime) powers.add(power);
  return powers;
}

function base64urlOf(value: bigint): string {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64url');
}
