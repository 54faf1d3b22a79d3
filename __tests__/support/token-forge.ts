/** Forges tokens: any header, any claims, any signature. Signed by node:crypto, so that jose judges another's work. */
import { constants, createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { JSONWebKeySet, JWK } from 'jose';
import { START } from './manual-clock.js';

export const ISSUER = 'https://issuer.test';
export const AUDIENCE = 'https://api.test';

/** Where the clocks of these tests begin: seconds since 1970. */
export const NOW = START / 1_000;

/** A key pair, and the algorithm that it signs with. */
export interface ForgeKey {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export type Members = Readonly<Record<string, unknown>>;

/** A part of a token: an object, or its very text or bytes. */
export type Part = string | Buffer | Members;

export type Signer = (input: string) => Buffer;

const CURVES = new Map([
  ['ES256', 'P-256'],
  ['ES384', 'P-384'],
  ['ES512', 'P-521'],
]);

export function createKey(alg: string, kid = `key of ${alg}`, modulusLength = 2_048): ForgeKey {
  return { alg, kid, ...keyPair(alg, modulusLength) };
}

function keyPair(alg: string, modulusLength: number) {
  const namedCurve = CURVES.get(alg);
  if (namedCurve !== undefined) return generateKeyPairSync('ec', { namedCurve });
  return alg.startsWith('Ed') ? generateKeyPairSync('ed25519') : generateKeyPairSync('rsa', { modulusLength });
}

/** The public half as a JWK; `members` replace or join the others, one that is `undefined` is left out. */
export function jwkOf(key: ForgeKey, members: Members = {}): JWK {
  const jwk = { ...key.publicKey.export({ format: 'jwk' }), kid: key.kid, alg: key.alg, use: 'sig', ...members };
  return JSON.parse(JSON.stringify(jwk));
}

export function jwksOf(...keys: readonly ForgeKey[]): JSONWebKeySet {
  return { keys: keys.map((key) => jwkOf(key)) };
}

export function headerOf(key: ForgeKey): Members {
  return { alg: key.alg, typ: 'at+jwt', kid: key.kid };
}

/** Claims that keep every rule of RFC 9068 §2.2, from `NOW` for an hour. */
export function claimsOf(): Members {
  return {
    iss: ISSUER,
    aud: AUDIENCE,
    sub: 'ack_forged',
    client_id: 'ack_forged',
    iat: NOW,
    exp: NOW + 3_600,
    jti: 'token-1',
    scope: 'payments',
  };
}

/** Signs with a key, by its algorithm or by another one of its type. */
export function signedBy({ privateKey, alg: own }: ForgeKey, alg: string = own): Signer {
  const hash = alg.startsWith('Ed') ? undefined : `sha${alg.slice(2)}`;
  const padding = alg.startsWith('PS') ? constants.RSA_PKCS1_PSS_PADDING : undefined;
  const saltLength = constants.RSA_PSS_SALTLEN_DIGEST;
  return (input) =>
    sign(hash, Buffer.from(input), {
      key: privateKey,
      dsaEncoding: 'ieee-p1363',
      ...(padding === undefined ? {} : { padding, saltLength }),
    });
}

/** Puts a token together of any parts. */
export function assemble(header: Part, payload: Part, signer: Signer): string {
  return signInput(`${base64url(header)}.${base64url(payload)}`, signer);
}

/** Signs a text, well formed or not. */
export function signInput(input: string, signer: Signer): string {
  return `${input}.${signer(input).toString('base64url')}`;
}

/** A valid token, except for the given members: they replace or join the others, `undefined` leaves one out. */
export function forge(key: ForgeKey, claims: Members = {}, header: Members = {}): string {
  return assemble({ ...headerOf(key), ...header }, { ...claimsOf(), ...claims }, signedBy(key));
}

export function base64url(part: Part): string {
  const bytes = Buffer.isBuffer(part) ? part : Buffer.from(typeof part === 'string' ? part : JSON.stringify(part));
  return bytes.toString('base64url');
}

/** Bytes that no key signed, the same for the same text. */
export const unsigned: Signer = (input) => createHash('sha512').update(input).digest();
