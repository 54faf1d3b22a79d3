/**
 * Reads and imports the public key in the header of a proof (RFC 9449 section 4.2), and computes its thumbprint (RFC
 * 7638).
 */
import { createPublicKey, hash, type JsonWebKey } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { PRIVATE_JWK_MEMBERS } from '../../protocol/jose-rules.js';
import { type JsonObject, own } from '../../protocol/strict-json.js';
import { ALGORITHMS } from '../algorithms.js';
import { VerificationKey } from '../jwks/verification-key.js';
import { isSlowRsa, isWeakRsa } from '../jwks/weak-rsa.js';

/**
 * The JWK of a proof, after a check of its syntax. The key may still be invalid, for example not a point on its curve:
 * `ProofKeys.import` checks this.
 */
export interface ProofJwk {
  readonly alg: string;
  /** RFC 7638 section 3: SHA-256 of the required members of the key, in base64url. */
  readonly thumbprint: string;
  /** The members that RFC 7638 section 3.2 requires for the thumbprint; no others. */
  readonly members: Readonly<Record<string, string>>;
  /** The imported key; `undefined` before it is imported. */
  key: VerificationKey | undefined;
}

/**
 * Members that the JWK of a proof must not have: members of private keys, `k` of symmetric keys (RFC 7518 section
 * 6.4.1), and `kid`, because the proof contains the key and nothing is looked up.
 */
const REFUSED_MEMBERS = [...PRIVATE_JWK_MEMBERS, 'k', 'kid'];
const BASE64URL = /^[\w-]+$/;
/**
 * Matches 32 bytes in base64url. The unused bits of the last character must be zero, so that each key has only one
 * spelling.
 */
const BYTES_32 = /^[\w-]{42}[AEIMQUYcgkosw048]$/;
const BYTES_48 = /^[\w-]{64}$/;
const COORDINATES: Readonly<Record<string, RegExp>> = { 'P-256': BYTES_32, 'P-384': BYTES_48, Ed25519: BYTES_32 };
const MAX_MEMBER = 2_048;
/**
 * Maximum imported keys in the cache. They are cached because importing a key takes about as long as verifying a
 * signature.
 */
const MAX_KEYS = 10_000;

/** Whether a text is a SHA-256 thumbprint in base64url. */
export function isThumbprint(value: unknown): value is string {
  return typeof value === 'string' && BYTES_32.test(value);
}

/**
 * Reads the JWK of a proof.
 *
 * @param alg - The `alg` of the proof. The caller must have checked that it is accepted.
 * @returns `undefined` if the value is not a public key for this algorithm.
 */
export function readProofJwk(value: unknown, alg: string): ProofJwk | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const jwk = value as JsonObject;
  const algorithm = ALGORITHMS.get(alg);
  if (algorithm === undefined || own(jwk, 'kty') !== algorithm.kty || !mayVerify(jwk, alg)) return undefined;
  if (REFUSED_MEMBERS.some((name) => Object.hasOwn(jwk, name))) return undefined;
  const members = algorithm.kty === 'RSA' ? rsaMembers(jwk) : curveMembers(jwk, algorithm.crv);
  // The thumbprint is the hash of the JWK with only its required members, ordered by name, without white space (RFC
  // 7638 section 3.3). `JSON.stringify` writes this form, because no value has a character that needs an escape.
  // `key` is an own property from the start: a polluted `Object.prototype.key` must not be taken for the imported key.
  return members && { alg, members, thumbprint: hash('sha256', JSON.stringify(members), 'base64url'), key: undefined };
}

/**
 * Whether `use`, `key_ops` and `alg` of a JWK allow it to verify signatures of `alg` (RFC 7517 sections 4.2 to 4.4).
 */
function mayVerify(jwk: JsonObject, alg: string): boolean {
  const [use, operations, named] = [own(jwk, 'use'), own(jwk, 'key_ops'), own(jwk, 'alg')];
  if (use !== undefined && use !== 'sig') return false;
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify'))) return false;
  return named === undefined || named === alg;
}

function curveMembers(jwk: JsonObject, crv: string | undefined): Record<string, string> | undefined {
  const [x, y] = [own(jwk, 'x'), own(jwk, 'y')];
  const coordinate = COORDINATES[crv ?? ''];
  if (coordinate === undefined || own(jwk, 'crv') !== crv || !isText(x, coordinate)) return undefined;
  if (crv === 'Ed25519') return { crv, kty: 'OKP', x };
  return isText(y, coordinate) ? { crv: crv as string, kty: 'EC', x, y } : undefined;
}

function rsaMembers(jwk: JsonObject): Record<string, string> | undefined {
  const [e, n] = [own(jwk, 'e'), own(jwk, 'n')];
  return isUnsigned(e) && isUnsigned(n) ? { e, kty: 'RSA', n } : undefined;
}

/**
 * Whether a value is a Base64urlUInt (RFC 7518 section 2), with only one spelling for each number: without leading zero
 * bytes, and with all unused bits zero.
 */
function isUnsigned(value: unknown): value is string {
  if (!isText(value, BASE64URL)) return false;
  const bytes = Buffer.from(value, 'base64url');
  return bytes[0] !== 0 && bytes.toString('base64url') === value;
}

function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && value.length <= MAX_MEMBER && form.test(value);
}

/**
 * Imports the public keys of proofs, and caches them by algorithm and thumbprint. Nothing else of a proof is cached:
 * each proof is verified completely.
 */
export class ProofKeys {
  readonly #imported = new LRUCache<string, VerificationKey>({ max: MAX_KEYS });

  /**
   * Imports a key, or returns it from the cache; `undefined` if it is not on its curve, or if its RSA key is too weak
   * or too slow.
   */
  import(jwk: ProofJwk): VerificationKey | undefined {
    jwk.key ??= this.#find(jwk);
    return jwk.key;
  }

  #find({ alg, thumbprint, members }: ProofJwk): VerificationKey | undefined {
    const name = `${alg} ${thumbprint}`;
    const known = this.#imported.get(name);
    if (known !== undefined) return known;
    const key = importKey(members);
    if (key !== undefined) this.#imported.set(name, key);
    return key;
  }
}

function importKey(members: Readonly<Record<string, string>>): VerificationKey | undefined {
  try {
    const key = createPublicKey({ key: members as JsonWebKey, format: 'jwk' });
    if (members.kty === 'RSA' && (isWeakRsa(key) || isSlowRsa(key))) return undefined;
    return new VerificationKey({ kty: members.kty, crv: members.crv, kid: undefined, alg: undefined }, key);
  } catch {
    return undefined;
  }
}
