/** The signature algorithms that are taken (RFC 7518 §3.1, RFC 8037 §3.1): asymmetric ones alone. */

/** What a JWS "alg" asks of its key and its signature. */
export interface Algorithm {
  readonly kty: 'RSA' | 'EC' | 'OKP';
  readonly crv: string | undefined;
  /** Bytes of a signature, where the algorithm fixes it. */
  readonly signatureLength: number | undefined;
}

const rsa: Algorithm = { kty: 'RSA', crv: undefined, signatureLength: undefined };
const ed25519: Algorithm = { kty: 'OKP', crv: 'Ed25519', signatureLength: 64 };

/** Every algorithm, by its name. */
export const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map<string, Algorithm>([
  ['RS256', rsa],
  ['RS384', rsa],
  ['RS512', rsa],
  ['PS256', rsa],
  ['PS384', rsa],
  ['PS512', rsa],
  ['ES256', { kty: 'EC', crv: 'P-256', signatureLength: 64 }],
  ['ES384', { kty: 'EC', crv: 'P-384', signatureLength: 96 }],
  ['ES512', { kty: 'EC', crv: 'P-521', signatureLength: 132 }],
  ['EdDSA', ed25519],
  ['Ed25519', ed25519],
]);
