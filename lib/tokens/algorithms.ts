/**
 * The supported signature algorithms (RFC 7518 §3.1, RFC 8037 §3.1). There is no symmetric one: an attacker could use a
 * public key of the issuer as the secret of HS256.
 */
import { constants } from 'node:crypto';

/** What a JWS `alg` requires of the key and the signature, and how `node:crypto` verifies the signature. */
export interface Algorithm {
  readonly kty: 'RSA' | 'EC' | 'OKP';
  readonly crv: string | undefined;
  /** Length of a signature in bytes; `undefined` for RSA, where it depends on the key. */
  readonly signatureLength: number | undefined;
  /** The hash function; `null` for Ed25519, which includes its own. */
  readonly hash: string | null;
  readonly options: VerifyOptions;
  /**
   * Whether to verify in the thread pool: P-384 and P-521 take about a millisecond, which would block the event loop.
   */
  readonly isSlow: boolean;
}

/** Options of `crypto.verify`. */
interface VerifyOptions {
  readonly padding?: number;
  readonly saltLength?: number;
  readonly dsaEncoding?: 'ieee-p1363';
}

const ed25519: Algorithm = {
  ...{ kty: 'OKP', crv: 'Ed25519', signatureLength: 64 },
  ...{ hash: null, options: {}, isSlow: false },
};

/** All supported algorithms by name. `EdDSA` and `Ed25519` are two names for the same algorithm. */
export const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map<string, Algorithm>([
  ['RS256', rsa('sha256', {})],
  ['RS384', rsa('sha384', {})],
  ['RS512', rsa('sha512', {})],
  ['PS256', rsa('sha256', pss())],
  ['PS384', rsa('sha384', pss())],
  ['PS512', rsa('sha512', pss())],
  ['ES256', ecdsa('sha256', 'P-256', 64)],
  ['ES384', { ...ecdsa('sha384', 'P-384', 96), isSlow: true }],
  ['ES512', { ...ecdsa('sha512', 'P-521', 132), isSlow: true }],
  ['EdDSA', ed25519],
  ['Ed25519', ed25519],
]);

function rsa(hash: string, options: VerifyOptions): Algorithm {
  return { kty: 'RSA', crv: undefined, signatureLength: undefined, hash, options, isSlow: false };
}

/**
 * Returns the options for RSA-PSS. The salt must be as long as the hash (RFC 7518 §3.5); by default, Node accepts any
 * length.
 */
function pss(): VerifyOptions {
  return { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
}

/**
 * Makes an ECDSA algorithm. Its signature is r and s concatenated (RFC 7518 §3.4), not the DER form that OpenSSL
 * expects by default.
 */
function ecdsa(hash: string, crv: string, signatureLength: number): Algorithm {
  const options: VerifyOptions = { dsaEncoding: 'ieee-p1363' };
  return { kty: 'EC', crv, signatureLength, hash, options, isSlow: false };
}
