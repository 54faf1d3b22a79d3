import { randomUUID } from 'node:crypto';
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { START } from './manual-clock.js';
import { GRANT, ID } from './token-service.js';

/** A key pair of a client: the public half as its access key has it. */
export interface ClientKeyPair {
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK & { readonly kid: string };
}

export async function clientKeyPair(alg: string): Promise<ClientKeyPair> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(publicKey);
  return { alg, privateKey, publicJwk: { ...jwk, kid: await calculateJwkThumbprint(jwk) } };
}

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Members that differ from those of a good assertion; one that is `undefined` is left out. */
export interface AssertionTraits {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** Signs an assertion of the client `ID`, a minute long by the clock of the token service. */
export async function signAssertion(
  { alg, privateKey, publicJwk }: ClientKeyPair,
  audience: string,
  { header = {}, claims = {} }: AssertionTraits = {},
): Promise<string> {
  const now = START / 1_000;
  const payload = { iss: ID, sub: ID, aud: audience, jti: randomUUID(), iat: now, exp: now + 60, ...claims };
  return new SignJWT(payload).setProtectedHeader({ alg, kid: publicJwk.kid, ...header }).sign(privateKey);
}

/** The body of a token request with an assertion, and what is beside it. */
export function assertionBody(assertion: string, others: Readonly<Record<string, string>> = {}): string {
  const form = new URLSearchParams({ client_assertion_type: ASSERTION_TYPE, client_assertion: assertion, ...others });
  return `${GRANT}&${form}`;
}
