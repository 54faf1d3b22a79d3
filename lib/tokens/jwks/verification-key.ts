/** Reads public keys from a JWK Set (RFC 7517), and decides which of them may verify access tokens. */
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { KeywardError } from '../../errors/keyward-error.js';
import { PRIVATE_JWK_MEMBERS } from '../../protocol/jose-rules.js';
import { ALGORITHMS } from '../algorithms.js';
import { isWeakRsa } from './weak-rsa.js';

/** A public key that may verify signatures. */
export class VerificationKey {
  readonly kid: string | undefined;
  readonly key: KeyObject;
  readonly #jwk: PublicJwk;
  /**
   * The only algorithm that the key may verify (RFC 8725 section 3.1): `alg` of its JWK, or else the algorithm of the
   * first signature that it verified.
   */
  #alg: string | undefined;
  /**
   * Whether the issuer no longer publishes the key. All tokens with its signature are then refused, even if they are
   * cached.
   */
  withdrawn = false;

  constructor(jwk: PublicJwk, key: KeyObject) {
    this.kid = jwk.kid;
    this.key = key;
    this.#jwk = jwk;
    this.#alg = jwk.alg && canonical(jwk.alg);
  }

  /** Whether the key has the type and curve of an algorithm, and is not pinned to another algorithm. */
  fits(alg: string): boolean {
    const algorithm = ALGORITHMS.get(alg);
    if (algorithm === undefined || (this.#alg !== undefined && this.#alg !== canonical(alg))) return false;
    return algorithm.kty === this.#jwk.kty && (algorithm.crv === undefined || algorithm.crv === this.#jwk.crv);
  }

  /**
   * Pins the key to the algorithm of a signature that it verified. Returns `false` if it is already pinned to another
   * one.
   */
  pinAlgorithm(alg: string): boolean {
    this.#alg ??= canonical(alg);
    return this.#alg === canonical(alg);
  }

  /** Returns the length of a signature with this key, in bytes. */
  signatureLength(alg: string): number {
    return ALGORITHMS.get(alg)?.signatureLength ?? Math.ceil((this.key.asymmetricKeyDetails?.modulusLength ?? 0) / 8);
  }

  /** Whether two keys have the same id, the same `alg` and the same key material. */
  equals(other: VerificationKey): boolean {
    return this.kid === other.kid && this.#jwk.alg === other.#jwk.alg && this.key.equals(other.key);
  }
}

/** Returns one name for each algorithm. `EdDSA` becomes `Ed25519`, the only accepted curve (RFC 9864 section 2.2). */
function canonical(alg: string): string {
  return alg === 'EdDSA' ? 'Ed25519' : alg;
}

interface PublicJwk {
  readonly kty: string | undefined;
  readonly crv: string | undefined;
  readonly kid: string | undefined;
  readonly alg: string | undefined;
}

/** A JWK Set that must not be used. The message says why. */
export class KeySetError extends KeywardError {
  override readonly name = 'KeySetError';

  constructor(message: string) {
    super('key_set_invalid', message);
  }
}

const MAX_KEYS = 100;

/**
 * Parses a JWK Set. Keys that must not verify signatures are left out: keys of an unknown type, keys for another use,
 * invalid keys (RFC 7517 section 5) and weak RSA keys.
 *
 * @throws KeySetError if the value is not a JWK Set, or if the set has more than 100 keys, a private key, or two usable
 *   keys with the same `kid`.
 */
export function readKeySet(value: unknown): readonly VerificationKey[] {
  const members = keysOf(value);
  if (members.length > MAX_KEYS) throw new KeySetError(`the key set has more than ${MAX_KEYS} keys`);
  if (members.some(isPrivate))
    throw new KeySetError('the key set contains a private key; it may contain only public keys');
  const keys = members.map(readKey).filter((key) => key !== undefined);
  const ids = keys.map((key) => key.kid).filter((kid) => kid !== undefined);
  if (new Set(ids).size < ids.length)
    throw new KeySetError('the key set has two keys with the same kid; each key must have its own kid');
  return keys;
}

/**
 * Whether a JWK Set has a symmetric key. `readKeySet` leaves out this key, but in an option it is a mistake: the
 * developer has put a secret into a public set.
 */
export function holdsSymmetricKey(value: unknown): boolean {
  return keysOf(value).some((member) => isObject(member) && member.kty === 'oct');
}

function keysOf(value: unknown): readonly unknown[] {
  const keys = isObject(value) ? value.keys : undefined;
  if (!Array.isArray(keys))
    throw new KeySetError('the key set is not a JWK Set; expected an object whose "keys" is an array');
  return keys;
}

function isPrivate(member: unknown): boolean {
  return isObject(member) && member.kty !== 'oct' && PRIVATE_JWK_MEMBERS.some((name) => Object.hasOwn(member, name));
}

function readKey(member: unknown): VerificationKey | undefined {
  if (!isObject(member) || !mayVerify(member)) return undefined;
  const { kty, crv, kid, alg, n, e, x, y } = member as Record<string, string | undefined>;
  const jwk = { kty, crv, kid, alg };
  try {
    const key = createPublicKey({ key: { kty, crv, n, e, x, y } as JsonWebKey, format: 'jwk' });
    if (kty === 'RSA' && isWeakRsa(key)) return undefined;
    const usable = new VerificationKey(jwk, key);
    return [...ALGORITHMS.keys()].some((name) => usable.fits(name)) ? usable : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a JWK is for signatures, with members of the right types (RFC 7517 §4.2 to §4.5). */
function mayVerify(member: Record<string, unknown>): boolean {
  const { use, key_ops: operations, kid, alg } = member;
  if (use !== undefined && use !== 'sig') return false;
  if (operations !== undefined) {
    if (!Array.isArray(operations) || !operations.includes('verify')) return false;
    if (new Set(operations).size < operations.length) return false;
  }
  return [kid, alg].every((text) => text === undefined || (typeof text === 'string' && text !== ''));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
