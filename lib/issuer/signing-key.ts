/** One signing key: made, read from its record, and what it signs with. */
import { createPrivateKey, type JsonWebKey, type KeyObject, sign as signBytes } from 'node:crypto';
import { types } from 'node:util';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import type { SigningKeyRecord } from '../contracts/signing-key-store.js';
import { readCompactJws } from '../protocol/compact-jws.js';
import { verifySignature } from '../verify/signature.js';
import { readKeySet } from '../verify/verification-key.js';
import type { Scheduled } from './key-schedule.js';

/** The algorithms that an issuer signs with. */
export type SigningAlgorithm = 'RS256' | 'ES256' | 'EdDSA';

/** A key, ready to sign. */
export interface SigningKey extends Scheduled {
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  readonly publicJwk: JWK;
  /** Signs the claims of an access token: a JWS in the compact serialisation (RFC 7515 §7.1). */
  sign(claims: object): Promise<string>;
}

/** There is no key to sign with: the store cannot be reached, or what it holds is no key. No secret is in the message. */
export class SigningKeyFault extends Error {
  override readonly name = 'SigningKeyFault';
}

interface Signing {
  readonly hash: string | null;
  /** Whether the thread pool signs. RSA takes ten times as long as the way there and back, a curve less than that. */
  readonly pooled: boolean;
}

const SIGNING: Readonly<Record<SigningAlgorithm, Signing>> = Object.freeze({
  RS256: { hash: 'sha256', pooled: true },
  ES256: { hash: 'sha256', pooled: false },
  EdDSA: { hash: null, pooled: false },
});

/** Every algorithm that an issuer signs with, for checking options. */
export const SIGNING_ALGORITHMS = Object.freeze(Object.keys(SIGNING)) as readonly SigningAlgorithm[];

// RFC 7518 §6: nothing but these leaves the house.
const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e'] as const;

/** Makes a key, to be stored. */
export async function makeSigningKey(alg: SigningAlgorithm, now: number): Promise<SigningKeyRecord> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true, modulusLength: 2_048 });
  const jwk = await exportJWK(privateKey);
  return { kid: await calculateJwkThumbprint(jwk), alg, jwk: { ...jwk }, createdAt: new Date(now) };
}

/**
 * Reads a stored key.
 *
 * @throws SigningKeyFault where it is not what its record says, or its tokens would be refused: it signs one to see.
 */
export async function readSigningKey(record: SigningKeyRecord | null | undefined): Promise<SigningKey> {
  const { kid, alg, jwk, createdAt } = record ?? ({} as Partial<SigningKeyRecord>);
  if (typeof kid !== 'string' || kid === '') throw new SigningKeyFault('a key without kid');
  const fault = (what: string) => new SigningKeyFault(`key ${JSON.stringify(kid)}: ${what}`);
  if (!isSigningAlgorithm(alg)) throw fault('of an algorithm that is unknown here');
  if (!types.isDate(createdAt) || Number.isNaN(createdAt.getTime())) throw fault('createdAt is no Date');
  const privateKey = privateKeyOf(jwk);
  if (privateKey === undefined) throw fault('no private key');
  const publicJwk = Object.freeze({ ...publicMembersOf(jwk), kid, alg, use: 'sig' });
  const key = { kid, alg, publicJwk, sign: signer(privateKey, { kid, alg }), createdAt: createdAt.getTime() };
  if (!(await provesItself(key))) throw fault(`its ${alg} signatures cannot be verified with its public members`);
  return key;
}

/** The header is the same for every token of a key, so that it is written once. */
function signer(privateKey: KeyObject, { kid, alg }: { kid: string; alg: SigningAlgorithm }): SigningKey['sign'] {
  const { hash, pooled } = SIGNING[alg];
  const header = encoded({ alg, typ: 'at+jwt', kid });
  // RFC 7518 §3.4: r and s one behind the other. RSA and Ed25519 have no such choice.
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
  return Object.fromEntries(PUBLIC_MEMBERS.flatMap((name) => (jwk[name] === undefined ? [] : [[name, jwk[name]]])));
}
