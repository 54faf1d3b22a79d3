/** Public keys out of a JWK Set (RFC 7517), and which of them may verify an access token. */
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { ALGORITHMS } from './algorithms.js';
import { isWeakRsa } from './weak-rsa.js';

/** A public key that may verify signatures. */
export class VerificationKey {
  readonly kid: string | undefined;
  readonly key: KeyObject;
  readonly #jwk: PublicJwk;
  /** The one algorithm that it is used with (RFC 8725 §3.1): the one it names, else the first that it verified. */
  #alg: string | undefined;
  /** Set when the issuer no longer publishes the key: every token that it proved ends with it. */
  withdrawn = false;

  constructor(jwk: PublicJwk, key: KeyObject) {
    this.kid = jwk.kid;
    this.key = key;
    this.#jwk = jwk;
    this.#alg = jwk.alg && canonical(jwk.alg);
  }

  /** Whether the key is one for an algorithm. */
  fits(alg: string): boolean {
    const algorithm = ALGORITHMS.get(alg);
    if (algorithm === undefined || (this.#alg !== undefined && this.#alg !== canonical(alg))) return false;
    return algorithm.kty === this.#jwk.kty && (algorithm.crv === undefined || algorithm.crv === this.#jwk.crv);
  }

  /** Keeps the key to an algorithm that it has verified; `false` where it is kept to another one. */
  keepTo(alg: string): boolean {
    this.#alg ??= canonical(alg);
    return this.#alg === canonical(alg);
  }

  /** Bytes that a signature with this key has. */
  signatureLength(alg: string): number {
    return ALGORITHMS.get(alg)?.signatureLength ?? Math.ceil((this.key.asymmetricKeyDetails?.modulusLength ?? 0) / 8);
  }

  /** Whether another key is this one: the same id for the same material and use. */
  equals(other: VerificationKey): boolean {
    return this.kid === other.kid && this.#jwk.alg === other.#jwk.alg && this.key.equals(other.key);
  }
}

/** RFC 9864 §2.2: with the only curve that is taken here, EdDSA is another name of Ed25519. */
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
export class KeySetFault extends Error {
  override readonly name = 'KeySetFault';
}

const MAX_KEYS = 100;
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth'];

/**
 * Reads a JWK Set. Keys that cannot verify (RFC 7517 §5: of a type or use unknown here, or broken) are left out.
 *
 * @throws KeySetFault where it is no set, holds more than 100 keys or a private one, or gives one id to two keys.
 */
export function readKeySet(value: unknown): readonly VerificationKey[] {
  const members = keysOf(value);
  if (members.length > MAX_KEYS) throw new KeySetFault(`more than ${MAX_KEYS} keys`);
  if (members.some(isPrivate)) throw new KeySetFault('a private key');
  const keys = members.map(readKey).filter((key) => key !== undefined);
  const ids = keys.map((key) => key.kid).filter((kid) => kid !== undefined);
  if (new Set(ids).size < ids.length) throw new KeySetFault('two keys with one kid');
  return keys;
}

/** Whether a set holds a symmetric key: in a set of one's own that is a mistake, and never a key to verify with. */
export function holdsSymmetricKey(value: unknown): boolean {
  return keysOf(value).some((member) => isObject(member) && member.kty === 'oct');
}

function keysOf(value: unknown): readonly unknown[] {
  const keys = isObject(value) ? value.keys : undefined;
  if (!Array.isArray(keys)) throw new KeySetFault('no JWK Set');
  return keys;
}

function isPrivate(member: unknown): boolean {
  return isObject(member) && member.kty !== 'oct' && PRIVATE_MEMBERS.some((name) => Object.hasOwn(member, name));
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

/** RFC 7517 §4.2 to §4.5: a key for signatures, with members of the right type. */
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
