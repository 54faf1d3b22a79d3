/** A client with a key pair of its own: tokens that are bound to it, and proofs, good or bad. */
import { createHash, randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { assemble, createKey, type ForgeKey, forge, jwkOf, type Members, NOW, signedBy } from './token-forge.js';

export const ORIGIN = 'https://api.test';

export interface DpopClient {
  readonly key: ForgeKey;
  /** The public key, without `kid`, `use` and `alg`. */
  readonly jwk: JWK;
  readonly thumbprint: string;
  /** A token that the issuer bound to the key. */
  token(claims?: Members): string;
  /** A proof for `GET https://api.test/`; the given members replace or join the others, `undefined` leaves one out. */
  proof(token: string, claims?: Members, header?: Members): string;
}

export async function createDpopClient(issuerKey: ForgeKey, alg = 'ES256'): Promise<DpopClient> {
  const key = createKey(alg);
  const jwk = jwkOf(key, { kid: undefined, use: undefined, alg: undefined });
  const thumbprint = await calculateJwkThumbprint(jwk);
  return {
    key,
    jwk,
    thumbprint,
    token: (claims = {}) => forge(issuerKey, { cnf: { jkt: thumbprint }, ...claims }),
    proof: (token, claims = {}, header = {}) =>
      assemble(
        { typ: 'dpop+jwt', alg, jwk, ...header },
        { jti: randomUUID(), htm: 'GET', htu: `${ORIGIN}/`, iat: NOW, ath: athOf(token), ...claims },
        signedBy(key),
      ),
  };
}

export function athOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
