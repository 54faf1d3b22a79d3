/** Reads the private key of a client, and signs JWTs with it. */
import { createPrivateKey, KeyObject } from 'node:crypto';
import type { JWK, JWTPayload } from 'jose';

/** A private key: a JWK, a `KeyObject`, or PEM (PKCS #8, PKCS #1 or SEC 1). */
export type PrivateKeyInput = JWK | KeyObject | string;

/** A private key, with the values for the header of JWTs. */
export interface ClientPrivateKey {
  readonly key: KeyObject;
  readonly alg: string;
  readonly kid: string | undefined;
}

const RSA_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
/** The minimum length of an RSA key in bits: jose refuses to sign with a shorter key (RFC 7518 §3.3). */
const MIN_MODULUS = 2_048;
/** The JWS algorithm for each elliptic curve (RFC 7518 §3.4), by the name that OpenSSL gives to the curve. */
const ALGORITHM_OF_CURVE = new Map([
  ['prime256v1', 'ES256'],
  ['secp384r1', 'ES384'],
  ['secp521r1', 'ES512'],
]);

/**
 * Reads a private key.
 *
 * @returns `undefined` if the input is not a private key that can sign, or if the key cannot sign with the `alg` of its
 *   JWK.
 */
export function readPrivateKey(input: unknown, keyId: string | undefined): ClientPrivateKey | undefined {
  const key = parseKey(input);
  if (key?.type !== 'private') return undefined;
  const jwk = isJwk(input) ? input : {};
  const algorithms = algorithmsOf(key);
  const alg = jwk.alg ?? algorithms[0];
  return alg === undefined || !algorithms.includes(alg) ? undefined : { key, alg, kid: keyId ?? jwk.kid };
}

/** Signs a JWT. The first call loads jose. */
export async function signJwt(
  { key, alg }: Pick<ClientPrivateKey, 'key' | 'alg'>,
  header: Readonly<Record<string, unknown>>,
  payload: JWTPayload,
): Promise<string> {
  const { SignJWT } = await import('jose');
  return new SignJWT(payload).setProtectedHeader({ ...header, alg }).sign(key);
}

function parseKey(input: unknown): KeyObject | undefined {
  if (input instanceof KeyObject) return input;
  try {
    if (typeof input === 'string') return createPrivateKey(input);
    return isJwk(input) ? createPrivateKey({ key: input, format: 'jwk' }) : undefined;
  } catch {
    return undefined;
  }
}

function isJwk(input: unknown): input is JWK {
  return typeof input === 'object' && input !== null && !(input instanceof KeyObject);
}

/** Returns the JWS algorithms with which a key can sign, the default first; an empty list if there is none. */
function algorithmsOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): readonly string[] {
  const { modulusLength = 0, namedCurve = '' } = asymmetricKeyDetails ?? {};
  if (asymmetricKeyType === 'rsa') return modulusLength < MIN_MODULUS ? [] : RSA_ALGORITHMS;
  if (asymmetricKeyType === 'ed25519') return ['EdDSA', 'Ed25519'];
  const algorithm = ALGORITHM_OF_CURVE.get(namedCurve);
  return algorithm === undefined ? [] : [algorithm];
}
