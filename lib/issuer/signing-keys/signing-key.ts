/** Creates signing keys, reads them from their records, and signs tokens with them. */
import { createPrivateKey, type JsonWebKey, type KeyObject, sign as signBytes } from 'node:crypto';
import { types } from 'node:util';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import type { SigningKeyRecord } from '../../contracts/signing-key-store.js';
import { KeywardError } from '../../errors/keyward-error.js';
import { readCompactJws } from '../../protocol/compact-jws.js';
import { readKeySet } from '../../tokens/jwks/verification-key.js';
import { verifySignature } from '../../tokens/signature.js';
import type { Scheduled } from './key-schedule.js';

/** Signing algorithms of an issuer. */
export type SigningAlgorithm = 'RS256' | 'ES256' | 'EdDSA';

/** A key that is ready to sign. */
export interface SigningKey extends Scheduled {
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  readonly publicJwk: JWK;
  /** Signs the claims of an access token. Returns a JWS in compact serialization (RFC 7515 §7.1). */
  sign(claims: object): Promise<string>;
}

/**
 * Thrown if an issuer cannot use its signing keys: the store cannot be reached, or has no key or an invalid key. The
 * message contains no secret.
 */
export class SigningKeyError extends KeywardError {
  override readonly name = 'SigningKeyError';

  constructor(message: string) {
    super('signing_key_invalid', message);
  }
}

interface Signing {
  readonly hash: string | null;
  /**
   * Whether to sign in the thread pool. This is faster only for RSA: a signature with an elliptic curve takes less time
   * than switching threads.
   */
  readonly pooled: boolean;
}

const SIGNING: Readonly<Record<SigningAlgorithm, Signing>> = Object.freeze({
  RS256: { hash: 'sha256', pooled: true },
  ES256: { hash: 'sha256', pooled: false },
  EdDSA: { hash: null, pooled: false },
});

/** The algorithms with which an issuer can sign. */
export const SIGNING_ALGORITHMS = Object.freeze(Object.keys(SIGNING)) as readonly SigningAlgorithm[];

// Only public JWK members are published (RFC 7518 §6).
const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e'] as const;

export async function makeSigningKey(alg: SigningAlgorithm, now: number): Promise<SigningKeyRecord> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true, modulusLength: 2_048 });
  const jwk = await exportJWK(privateKey);
  return { kid: await calculateJwkThumbprint(jwk), alg, jwk: { ...jwk }, createdAt: new Date(now) };
}

/**
 * Reads a stored key.
 *
 * @throws SigningKeyError if the record is invalid, or if its public key cannot verify a test signature of its private
 *   key.
 */
export async function readSigningKey(record: SigningKeyRecord | null | undefined): Promise<SigningKey> {
  const { kid, alg, jwk, createdAt, retiredAt } = record ?? ({} as Partial<SigningKeyRecord>);
  if (typeof kid !== 'string' || kid === '') throw new SigningKeyError('a signing key in the store has no kid');
  const fault = (what: string) => new SigningKeyError(`signing key ${JSON.stringify(kid)}: ${what}`);
  if (!isSigningAlgorithm(alg)) throw fault('its alg must be RS256, ES256 or EdDSA');
  if (!types.isDate(createdAt) || Number.isNaN(createdAt.getTime())) throw fault('its createdAt must be a valid Date');
  const privateKey = privateKeyOf(jwk);
  if (privateKey === undefined) throw fault('its jwk must be a private key');
  const publicJwk = Object.freeze({ ...publicMembersOf(jwk), kid, alg, use: 'sig' });
  const sign = signer(privateKey, { kid, alg });
  const key = { kid, alg, publicJwk, sign, createdAt: createdAt.getTime(), isRetired: isRetired({ retiredAt }) };
  if (!(await provesItself(key)))
    throw fault(`a test signature (${alg}) made with its private key cannot be verified with its public key`);
  return key;
}

export function isRetired({ retiredAt }: Pick<SigningKeyRecord, 'retiredAt'>): boolean {
  return retiredAt !== undefined && retiredAt !== null;
}

/** Creates the function that signs. The header is the same for every token of a key, so it is encoded only once. */
function signer(privateKey: KeyObject, { kid, alg }: { kid: string; alg: SigningAlgorithm }): SigningKey['sign'] {
  const { hash, pooled } = SIGNING[alg];
  const header = encoded({ alg, typ: 'at+jwt', kid });
  // With `ieee-p1363`, an ECDSA signature has the format that JWS requires (RFC 7518 §3.4). RSA and Ed25519 ignore this
  // option.
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;

  return function signClaims(claims) {
    const input = `${header}.${encoded(claims)}`;
    return new Promise((resolve, reject) => {
      const finish = (signature: Buffer) => resolve(`${input}.${signature.toString('base64url')}`);
      if (!pooled) finish(signBytes(hash, Buffer.from(input), key));
      else signBytes(hash, Buffer.from(input), key, (error, signature) => (error ? reject(error) : finish(signature)));
    });
  };
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

async function provesItself({ alg, publicJwk, sign }: SigningKey): Promise<boolean> {
  const [verificationKey] = readKeySet({ keys: [publicJwk] });
  if (verificationKey === undefined) return false;
  try {
    const token = readCompactJws(await sign({}));
    return token !== undefined && (await verifySignature(token, verificationKey, alg));
  } catch {
    return false;
  }
}

function isSigningAlgorithm(alg: unknown): alg is SigningAlgorithm {
  return typeof alg === 'string' && Object.hasOwn(SIGNING, alg);
}

function privateKeyOf(jwk: unknown): KeyObject | undefined {
  try {
    return createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' });
  } catch {
    return undefined;
  }
}

function publicMembersOf(jwk: Readonly<JsonWebKey> = {}): JWK {
  return Object.fromEntries(PUBLIC_MEMBERS.map((name) => [name, jwk[name]]));
}
