/** The key pairs of test clients, which sign DPoP proofs and client assertions. */
import { createHash, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { signJwt } from '../http/client-private-key.js';

/** Generates a key pair for each algorithm that DPoP proofs or client assertions may use. */
const GENERATE = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  Ed25519: () => generateKeyPairSync('ed25519'),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2_048 }),
};

export type TestAlgorithm = keyof typeof GENERATE;

/** The required members of public keys, in the order in which the thumbprint needs them (RFC 7638 section 3.3). */
const MEMBERS = ['crv', 'e', 'kty', 'n', 'x', 'y'];

export class TestKeyPair {
  readonly alg: TestAlgorithm;
  /** The public key, with only the members that RFC 7638 requires. */
  readonly publicJwk: JsonWebKey;
  readonly privateJwk: JsonWebKey;
  /** The thumbprint of the public key (RFC 7638): SHA-256 in base64url. */
  readonly thumbprint: string;
  readonly #privateKey: KeyObject;

  constructor(alg: TestAlgorithm) {
    const { publicKey, privateKey } = GENERATE[alg]();
    const jwk = publicKey.export({ format: 'jwk' });
    this.alg = alg;
    this.publicJwk = Object.fromEntries(MEMBERS.filter((name) => name in jwk).map((name) => [name, jwk[name]]));
    this.privateJwk = privateKey.export({ format: 'jwk' });
    this.thumbprint = createHash('sha256').update(JSON.stringify(this.publicJwk)).digest('base64url');
    this.#privateKey = privateKey;
  }

  /** Signs a JWT; a claim that is `undefined` is left out. */
  sign(header: Readonly<Record<string, unknown>>, claims: JWTPayload): Promise<string> {
    return signJwt({ key: this.#privateKey, alg: this.alg }, header, claims);
  }
}
