/** An access token that expired an hour ago. No issuer issues one, so it is signed here, with the issuer's key. */
import { decodeJwt, importJWK, type JWK, SignJWT } from 'jose';
import type { SigningKeyStore } from 'keyward/issuer';

const TWO_HOURS = 7_200;

export async function expiredTokenLike(token: string, signingKeys: SigningKeyStore): Promise<string> {
  const key = (await signingKeys.listSigningKeys()).at(-1);
  if (key === undefined) throw new Error('there is no signing key; the issuer creates it with the first token');
  const { iat = 0, exp = 0, ...claims } = decodeJwt(token);
  return new SignJWT({ ...claims, iat: iat - TWO_HOURS, exp: exp - TWO_HOURS })
    .setProtectedHeader({ alg: key.alg, typ: 'at+jwt', kid: key.kid })
    .sign(await importJWK(key.jwk as JWK, key.alg));
}
