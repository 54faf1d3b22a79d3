/** Validates the public keys with which a client authenticates instead of a secret (RFC 7523 §2.2). */
import { PRIVATE_JWK_MEMBERS } from '../../protocol/jose-rules.js';
import { digestOf } from '../digest.js';
import { RecordError } from './record-error.js';

/** A public key as a JSON Web Key (RFC 7517): RSA, EC or OKP, without private members. */
export type PublicJwk = Readonly<Record<string, unknown>>;

/** Maximum number of public keys of an access key. Ten are enough to rotate the keys of several deployments. */
export const MAX_PUBLIC_KEYS = 10;

/** The JWK members that contain private key material; `k` is a symmetric key (RFC 7518 §6.4.1). */
const PRIVATE_MEMBERS = [...PRIVATE_JWK_MEMBERS, 'k'];
const KEY_TYPES: readonly unknown[] = ['RSA', 'EC', 'OKP'];

/** Checks whether a JWK contains private key material, which must not be stored. */
export function hasPrivateMember(jwk: PublicJwk): boolean {
  return PRIVATE_MEMBERS.some((member) => member in jwk);
}

/** Validates the public keys of a record. Whether a key can verify signatures is checked only when it is used. */
export function publicJwks(field: string, value: unknown): readonly PublicJwk[] {
  const keys: unknown[] = Array.isArray(value) ? [...value] : [undefined];
  if (keys.length > MAX_PUBLIC_KEYS || !keys.every(isJwk)) {
    throw new RecordError(`${field}: expected a list of at most ${MAX_PUBLIC_KEYS} JWKs of type RSA, EC or OKP`);
  }
  if (keys.some(hasPrivateMember)) throw new RecordError(`${field}: contains a private key; store only public keys`);
  const ids = keys.map(({ kid }) => kid).filter((kid) => kid !== undefined);
  if (new Set(ids).size < ids.length)
    throw new RecordError(`${field}: contains two keys with the same kid; each key must have its own kid`);
  return Object.freeze(keys);
}

function isJwk(value: unknown): value is PublicJwk {
  return typeof value === 'object' && value !== null && KEY_TYPES.includes((value as { kty?: unknown }).kty);
}

/**
 * Returns the digest under which the use of a public key is recorded: SHA-256 in lowercase hex of the client ID, a
 * space and the `kid`. It includes the client ID, because two access keys may have the same public key.
 */
export function publicKeyDigest(clientId: string, kid: string | undefined): string {
  return digestOf(`${clientId} ${kid ?? ''}`);
}
