/**
 * Adds and removes the public keys of an access key, with which its client authenticates by a signed assertion (RFC
 * 7523). Parses the JWK or PEM text that a member gives.
 */

import { createPublicKey, hash, type JsonWebKey, type KeyObject } from 'node:crypto';
import {
  hasPrivateMember,
  MAX_PUBLIC_KEYS,
  type PublicJwk,
  publicKeyDigest,
} from '../../credentials/records/public-jwk.js';
import type { RepositoryTransaction } from '../../store/repository/repository.js';
import type { KeyRow, PublicKeyRow } from '../../store/tables.js';
import { readKeySet } from '../../tokens/jwks/verification-key.js';
import { isSlowRsa } from '../../tokens/jwks/weak-rsa.js';
import { invalid, ManagementError } from '../management-error.js';
import { LAST_CREDENTIAL } from './secrets.js';

/**
 * A public key as the member gives it: a JWK or a JWK Set with one key, as an object or as JSON text; or a public key
 * or certificate in PEM format.
 */
export type PublicKeyInput = PublicJwk | string;

/** A validated public key. The JWK has only public members, so it may be stored. */
interface ReadPublicKey {
  readonly kid: string;
  readonly jwk: PublicJwk;
}

const FIELD = 'publicKey';
const MAX_LENGTH = 16_384;
/** URL clients remove the path segments `.` and `..`, so `DELETE .../public-keys/..` would revoke the access key. */
const KID = /^(?!\.\.?$)[A-Za-z0-9_.~:-]{1,128}$/;
const PEM = /^-----BEGIN (?:PUBLIC KEY|RSA PUBLIC KEY|CERTIFICATE)-----/;
const REFUSED_PRIVATE =
  'this is a private key, and it was not stored; send the public key, and keep the private key on the client';
const EXPECTED = 'expected a public key as a JWK or in PEM format';
const EXPECTED_TYPE =
  'expected a public signing key: RSA (2048 to 4096 bits, exponent up to 65537), P-256, P-384, P-521 or Ed25519';

/**
 * Parses and validates a public key.
 *
 * @throws ManagementError `invalid` for a value that is not a single public key, and for a key or `kid` that is not
 *   accepted. If the value is a private key, the message does not contain it.
 */
function readPublicKey(value: unknown): ReadPublicKey {
  const jwk = typeof value === 'string' ? parseText(value) : readJwk(value);
  const { kid: given, alg } = jwk;
  const key = importKey(jwk);
  const members = key.export({ format: 'jwk' });
  const kid = given ?? thumbprintOf(members);
  if (typeof kid !== 'string' || !KID.test(kid)) {
    throw invalid(
      FIELD,
      '"kid" must be omitted or have 1 to 128 characters from A-Z, a-z, 0-9, "-", "_", ".", "~" and ":", and must not be "." or ".."',
    );
  }
  const stored = { ...members, kid, use: 'sig', alg };
  // A key that cannot verify assertions is refused now (RFC 7517 §4.2 to §4.4, RFC 7518 §3.3). Otherwise each token
  // request of the client would be refused later, and the member would not know why.
  const [usable] = readKeySet({ keys: [{ ...jwk, ...members, kid }] });
  if (usable === undefined || isSlowRsa(key)) throw invalid(FIELD, EXPECTED_TYPE);
  return { kid, jwk: stored };
}

/**
 * Adds a public key to an access key.
 *
 * @throws ManagementError `invalid` for an invalid public key, an eleventh key, or a `kid` that the access key already
 *   has.
 */
export async function addPublicKeyTo(
  tx: RepositoryTransaction,
  key: KeyRow,
  given: unknown,
  now: number,
): Promise<void> {
  const { kid, jwk } = readPublicKey(given);
  const present = await tx.publicKeys(key.id);
  if (present.some((row) => row.kid === kid))
    throw invalid(
      FIELD,
      'the access key already has a public key with this kid; use another kid, or remove that key first',
    );
  if (present.length >= MAX_PUBLIC_KEYS) {
    throw invalid(FIELD, `an access key can have at most ${MAX_PUBLIC_KEYS} public keys; remove one first`);
  }
  const row: PublicKeyRow = {
    ...{ key_id: key.id, kid, jwk: JSON.stringify(jwk), digest: publicKeyDigest(key.id, kid) },
    ...{ created_at: Math.max(now, (present.at(-1)?.created_at ?? 0) + 1), last_used_at: null, last_used_from: null },
  };
  await tx.insertPublicKey(row);
}

/**
 * Removes a public key.
 *
 * @throws ManagementError `not_found` if the access key has no public key with this `kid`; `invalid` if it is the last
 *   credential of the access key.
 */
export async function removePublicKeyFrom(tx: RepositoryTransaction, key: KeyRow, kid: unknown): Promise<void> {
  const present = await tx.publicKeys(key.id);
  const found = present.find((row) => row.kid === kid);
  if (found === undefined) throw new ManagementError('not_found', 'the public key was not found');
  const hasSecret = (await tx.secrets(key.id)).some(
    ({ ended_at, retires_at }) => ended_at === null && retires_at === null,
  );
  if (present.length === 1 && !hasSecret) {
    throw invalid('kid', LAST_CREDENTIAL);
  }
  await tx.deletePublicKey(found.digest);
}

function parseText(text: string): PublicJwk {
  if (text.length > MAX_LENGTH) throw invalid(FIELD, EXPECTED);
  // `createPublicKey` would also accept a private key, and derive the public key from it. But a private key that was
  // sent to a server is no longer secret, so the member must learn of the mistake.
  if (text.includes('PRIVATE KEY')) throw invalid(FIELD, REFUSED_PRIVATE);
  const trimmed = text.trim();
  if (PEM.test(trimmed)) return toJwk(importPem(trimmed));
  try {
    return readJwk(JSON.parse(trimmed));
  } catch (error) {
    if (error instanceof ManagementError) throw error;
    throw invalid(FIELD, EXPECTED);
  }
}

function importPem(pem: string): KeyObject {
  try {
    return createPublicKey(pem);
  } catch {
    throw invalid(FIELD, EXPECTED);
  }
}

/** Converts a key to a JWK. `export` throws for types without a JWK, such as DSA, RSA-PSS and P-224. */
function toJwk(key: KeyObject): PublicJwk {
  try {
    return { ...key.export({ format: 'jwk' }) };
  } catch {
    throw invalid(FIELD, EXPECTED_TYPE);
  }
}

function readJwk(value: unknown): PublicJwk {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(FIELD, EXPECTED);
  const { keys } = value as { readonly keys?: unknown };
  if (Array.isArray(keys)) {
    if (keys.length !== 1) throw invalid(FIELD, 'expected a JWK Set with exactly one key; add each key separately');
    return readJwk(keys[0]);
  }
  const jwk = value as PublicJwk;
  if (jwk.kty === 'oct')
    throw invalid(FIELD, 'this is a symmetric key, and it was not stored; send a public key instead');
  if (hasPrivateMember(jwk)) throw invalid(FIELD, REFUSED_PRIVATE);
  return jwk;
}

function importKey({ kty, crv, x, y, n, e }: PublicJwk): KeyObject {
  try {
    return createPublicKey({ key: { kty, crv, x, y, n, e } as JsonWebKey, format: 'jwk' });
  } catch {
    throw invalid(FIELD, EXPECTED);
  }
}

/**
 * Returns the JWK thumbprint (RFC 7638 §3): SHA-256 of the required members, ordered by name. `JSON.stringify` leaves
 * out the members that are `undefined`, because the type of the key does not have them.
 */
function thumbprintOf({ crv, e, kty, n, x, y }: JsonWebKey): string {
  return hash('sha256', JSON.stringify({ crv, e, kty, n, x, y }), 'base64url');
}
