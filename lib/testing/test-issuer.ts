/**
 * The issuer of a test kit: signs access tokens with its own key pair. It uses jose, not the signing code of keyward's
 * issuer.
 */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { type JSONWebKeySet, type JWTPayload, SignJWT } from 'jose';
import type { Clock } from '../contracts/clock.js';

export interface TestIssuerOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly clock: Clock;
}

/** The properties of a token that a test chooses. */
export interface TokenContent {
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Seconds until the token expires; negative if it has expired. */
  readonly expiresIn: number;
  /** Claims that replace default claims or are added to them; `undefined` removes a claim. */
  readonly claims: Readonly<Record<string, unknown>>;
}

const ALG = 'ES256';
const LIFETIME = 3_600;
const KID = 'test';

export class TestIssuer {
  readonly #options: TestIssuerOptions;
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  constructor(options: TestIssuerOptions) {
    this.#options = options;
  }

  get jwks(): JSONWebKeySet {
    const jwk = this.#keys.publicKey.export({ format: 'jwk' });
    return { keys: [{ ...jwk, kty: 'EC', kid: KID, alg: ALG, use: 'sig' }] };
  }

  /** Signs a token with the claims and header of RFC 9068. */
  sign({ clientId, scopes, expiresIn, claims }: TokenContent): Promise<string> {
    const { issuer, audience, clock } = this.#options;
    const now = Math.floor(clock.now() / 1_000);
    const exp = now + expiresIn;
    const payload: JWTPayload = {
      iss: issuer,
      aud: audience,
      sub: clientId,
      client_id: clientId,
      iat: Math.min(now, exp - LIFETIME),
      exp,
      jti: randomUUID(),
      scope: scopes.join(' '),
      ...claims,
    };
    return new SignJWT(payload).setProtectedHeader({ alg: ALG, typ: 'at+jwt', kid: KID }).sign(this.#keys.privateKey);
  }
}
