/** The accepted signature algorithms (RFC 7518 §3.1, RFC 8037 §3.1): asymmetric ones only. */
import { constants } from 'node:crypto';

/** The requirements of a JWS "alg" on its key and signature, and how `node:crypto` verifies it. */
export interface Algorithm {
  readonly kty: 'RSA' | 'EC' | 'OKP';
  readonly crv: string | undefined;
  /** Bytes of a signature; `undefined` for RSA, where the length of the key decides. */
  readonly signatureLength: number | undefined;
  /** The hash; `null` for Ed25519, which hashes by itself. */
  readonly hash: string | null;
  readonly options: VerifyOptions;
  /**
   * Whether the signature is verified in the thread pool: some curves take about a millisecond and would block the
   * event loop.
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

/** Every algorithm, by its name. */
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
 * Returns the options for RSA-PSS. The salt is as long as the hash (RFC 7518 §3.5); by default Node accepts any length.
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
